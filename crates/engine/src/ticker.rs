use std::fmt::Display;
use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

/// Paces a periodic task until it is stopped. The first tick comes immediately; a slow iteration delays later ticks instead
/// of bunching them.
#[derive(Debug)]
pub struct Ticker {
    interval: Interval,
    stop: CancellationToken,
}

impl Ticker {
    pub fn new(every: Duration, stop: CancellationToken) -> Self {
        let mut interval = tokio::time::interval(every);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { interval, stop }
    }

    /// Waits for the next tick; `false` once the task is stopped.
    pub async fn next(&mut self) -> bool {
        tokio::select! {
            () = self.stop.cancelled() => false,
            _ = self.interval.tick() => true,
        }
    }
}

/// Logs a repeated failure once, and again only after a success in between.
#[derive(Debug, Default)]
pub(crate) struct LogOnce {
    logged: bool,
}

impl LogOnce {
    /// Records a result; `message` says what failed.
    pub(crate) fn record<E: Display>(&mut self, result: Result<(), E>, message: &'static str) {
        match result {
            Ok(()) => self.logged = false,
            Err(error) if !std::mem::replace(&mut self.logged, true) => tracing::warn!(%error, "{message}"),
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn first_tick_is_immediate_and_a_slow_iteration_delays_later_ticks() {
        let (start, stop) = (Instant::now(), CancellationToken::new());
        let mut ticker = Ticker::new(Duration::from_secs(10), stop.clone());
        let mut at = Vec::new();
        while ticker.next().await {
            at.push(start.elapsed().as_secs());
            match at.len() {
                2 => sleep(Duration::from_secs(25)).await,
                4 => stop.cancel(),
                _ => {}
            }
        }
        assert_eq!(at, [0, 10, 35, 45]);
    }

    #[test]
    fn repeated_failure_is_logged_once_until_a_success() {
        let mut log_once = LogOnce::default();
        for (result, after) in [(Ok(()), false), (Err("x"), true), (Err("x"), true), (Ok(()), false)] {
            log_once.record(result, "it fails");
            assert_eq!(log_once.logged, after);
        }
    }
}
