use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// How many seconds' worth of calls may go out at once after a rest.
const BURST: Duration = Duration::from_secs(1);

/// Spaces calls evenly: the time at which the calls let through so far would all be paid for.
#[derive(Debug)]
pub(crate) struct Pace {
    every: Duration,
    paid_until: Option<Instant>,
}

impl Pace {
    pub(crate) fn new(calls_per_second: Option<NonZeroU32>) -> Self {
        let every = calls_per_second.map_or(Duration::ZERO, |rate| Duration::from_secs(1) / rate.get());
        Self { every, paid_until: None }
    }

    /// Takes `calls` and says how long to wait before sending them; takes nothing if that is longer than `patience`.
    pub(crate) fn take(&mut self, calls: usize, now: Instant, patience: Duration) -> Option<Duration> {
        let paid_until = self.paid_until.unwrap_or(now).max(now);
        let wait = (paid_until - now).saturating_sub(BURST);
        if wait > patience {
            return None;
        }
        let cost = self.every.saturating_mul(u32::try_from(calls).unwrap_or(u32::MAX));
        self.paid_until = paid_until.checked_add(cost).or(Some(paid_until));
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn without_a_limit_nobody_waits() {
        let mut pace = Pace::new(None);
        let now = Instant::now();
        assert!((0..1_000).all(|_| pace.take(1_000, now, Duration::ZERO) == Some(Duration::ZERO)));
    }

    #[test]
    fn past_the_burst_calls_wait_their_turn() {
        let mut pace = Pace::new(NonZeroU32::new(10));
        let now = Instant::now();
        assert_eq!(pace.take(20, now, Duration::ZERO), Some(Duration::ZERO));
        assert_eq!(pace.take(1, now, Duration::ZERO), None);
        assert_eq!(pace.take(1, now, Duration::from_secs(5)), Some(Duration::from_secs(1)));
        assert_eq!(pace.take(1, now + Duration::from_secs(2), Duration::ZERO), Some(Duration::ZERO));
    }

    proptest! {
        #[test]
        fn over_time_no_more_calls_go_out_than_the_rate_allows(rate in 1u32..100, gaps in prop::collection::vec(0u64..500, 1..200)) {
            let mut pace = Pace::new(NonZeroU32::new(rate));
            let start = Instant::now();
            let (mut now, mut sent) = (start, 0u64);
            for gap in gaps {
                now += Duration::from_millis(gap);
                sent += u64::from(pace.take(1, now, Duration::ZERO).is_some());
            }
            let seconds = (now - start).as_secs() + 1;
            prop_assert!(sent <= u64::from(rate) * (seconds + 2) + 1);
        }
    }
}
