use std::time::{Duration, Instant};

/// Spreads calls so that no more than a number a second leave, after a burst.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    interval: Duration,
    burst: Duration,
    /// When the calls granted so far would have left at the even pace.
    used_up_to: Instant,
}

impl Pace {
    pub(super) fn new(calls_per_second: u32, burst: u32, now: Instant) -> Self {
        let interval = Duration::from_secs(1) / calls_per_second.max(1);
        Self { interval, burst: interval.saturating_mul(burst.max(1)), used_up_to: now }
    }

    /// Grants `calls` after the returned wait, or nothing at all if they would have to wait longer than `patience`.
    pub(super) fn reserve(&mut self, calls: u32, now: Instant, patience: Duration) -> Option<Duration> {
        let used_up_to = self.used_up_to.max(now) + self.interval.saturating_mul(calls);
        let wait = used_up_to.saturating_duration_since(now).saturating_sub(self.burst);
        if wait > patience {
            return None;
        }
        self.used_up_to = used_up_to;
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(1);

    #[test]
    fn calls_after_a_burst_wait_their_turn() {
        let now = Instant::now();
        let mut pace = Pace::new(10, 3, now);
        let waits: Vec<_> = (0..5).map(|_| pace.reserve(1, now, PATIENCE).unwrap().as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 100, 200]);
    }

    #[test]
    fn what_would_wait_too_long_is_refused_and_costs_nothing() {
        let now = Instant::now();
        let mut pace = Pace::new(10, 1, now);
        assert_eq!(pace.reserve(100, now, PATIENCE), None);
        assert_eq!(pace.reserve(1, now, PATIENCE), Some(Duration::ZERO));
    }

    #[test]
    fn a_pause_restores_the_burst_and_no_more() {
        let now = Instant::now();
        let mut pace = Pace::new(10, 2, now);
        pace.reserve(2, now, PATIENCE);
        let later = now + Duration::from_mins(1);
        let waits: Vec<_> = (0..3).map(|_| pace.reserve(1, later, PATIENCE).unwrap().as_millis()).collect();
        assert_eq!(waits, [0, 0, 100]);
    }
}
