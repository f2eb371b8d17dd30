use std::fmt::Display;
use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

/// Turns of a task that does the same again and again until it is stopped: the first at once, then one every so often. One
/// that took long delays the rest instead of hurrying them.
#[derive(Debug)]
pub struct Turns {
    interval: Interval,
    stop: CancellationToken,
}

impl Turns {
    pub fn new(every: Duration, stop: CancellationToken) -> Self {
        let mut interval = tokio::time::interval(every);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { interval, stop }
    }

    /// Waits for the next turn; `false` when there is none any more.
    pub async fn next(&mut self) -> bool {
        tokio::select! {
            () = self.stop.cancelled() => false,
            _ = self.interval.tick() => true,
        }
    }
}

/// Tells that something fails once, and again only after it went well in between.
#[derive(Debug, Default)]
pub(crate) struct ToldOnce {
    told: bool,
}

impl ToldOnce {
    /// Takes note of how it went; `words` say what failed.
    pub(crate) fn note<E: Display>(&mut self, result: Result<(), E>, words: &'static str) {
        match result {
            Ok(()) => self.told = false,
            Err(error) if !std::mem::replace(&mut self.told, true) => tracing::warn!(%error, "{words}"),
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_come_at_once_and_then_every_so_often_until_the_stop() {
        let (start, stop) = (Instant::now(), CancellationToken::new());
        let mut turns = Turns::new(Duration::from_secs(10), stop.clone());
        let mut at = Vec::new();
        while turns.next().await {
            at.push(start.elapsed().as_secs());
            match at.len() {
                2 => sleep(Duration::from_secs(25)).await,
                4 => stop.cancel(),
                _ => {}
            }
        }
        assert_eq!(at, [0, 10, 35, 45], "a long turn delays those after it");
    }

    #[test]
    fn a_failure_is_told_once_until_it_went_well_again() {
        let mut told = ToldOnce::default();
        for (result, after) in [(Ok(()), false), (Err("x"), true), (Err("x"), true), (Ok(()), false)] {
            told.note(result, "it fails");
            assert_eq!(told.told, after);
        }
    }
}
