use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// How many recent blocks show how fast the next one can come.
const KEPT_GAPS: usize = 8;

/// When a chain's blocks came by our own clock, and when to look for the next one.
#[derive(Debug, Default)]
pub(super) struct Rhythm {
    last: Option<Instant>,
    gaps: VecDeque<Duration>,
}

impl Rhythm {
    /// Records that a new block was seen.
    pub(super) fn block_seen(&mut self, at: Instant) {
        if let Some(last) = self.last.replace(at) {
            if self.gaps.len() == KEPT_GAPS {
                self.gaps.pop_front();
            }
            self.gaps.push_back(at.saturating_duration_since(last));
        }
    }

    /// When to look again: after `pause`, but not before seven eighths of the shortest recent gap have passed since the last
    /// block, because none came faster than that.
    pub(super) fn next_look(&self, now: Instant, pause: Duration) -> Instant {
        let soonest = now + pause;
        let shortest = self.gaps.iter().min().copied().unwrap_or_default();
        match self.last {
            Some(last) => soonest.max(last + shortest / 8 * 7),
            None => soonest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_millis(50);

    fn millis(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn the_next_block_is_looked_for_shortly_before_it_can_come() {
        let (start, mut rhythm) = (Instant::now(), Rhythm::default());
        assert_eq!(rhythm.next_look(start, PAUSE), start + PAUSE, "nothing is known yet");
        rhythm.block_seen(start);
        assert_eq!(rhythm.next_look(start, PAUSE), start + PAUSE, "one block shows no gap");
        rhythm.block_seen(start + millis(2_000));
        let seen = start + millis(2_000);
        assert_eq!(rhythm.next_look(seen, PAUSE), seen + millis(1_750));
        let late = seen + millis(1_900);
        assert_eq!(rhythm.next_look(late, PAUSE), late + PAUSE, "any moment now");
    }

    #[test]
    fn the_shortest_of_the_recent_gaps_counts() {
        let (mut at, mut rhythm) = (Instant::now(), Rhythm::default());
        for gap in [0, 400, 2_000, 1_000] {
            at += millis(gap);
            rhythm.block_seen(at);
        }
        assert_eq!(rhythm.next_look(at, PAUSE), at + millis(350));
        for _ in 0..KEPT_GAPS {
            at += millis(800);
            rhythm.block_seen(at);
        }
        assert_eq!(rhythm.next_look(at, PAUSE), at + millis(700), "older ones are forgotten");
    }
}
