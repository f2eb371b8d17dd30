use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// The burst after a pause, as time at the configured rate.
const BURST: Duration = Duration::from_secs(1);

/// A token bucket: `paid_until` is when the calls let through so far are paid for at the configured rate.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    every: Duration,
    paid_until: Option<Instant>,
}

impl RateLimiter {
    pub(crate) fn new(calls_per_second: Option<NonZeroU32>) -> Self {
        let every = calls_per_second.map_or(Duration::ZERO, |rate| Duration::from_secs(1) / rate.get());
        Self { every, paid_until: None }
    }

    /// Reserves `calls` and returns how long to wait before sending them; reserves nothing if that exceeds `max_wait`.
    pub(crate) fn take(&mut self, calls: usize, now: Instant, max_wait: Duration) -> Option<Duration> {
        let paid_until = self.paid_until.unwrap_or(now).max(now);
        let wait = (paid_until - now).saturating_sub(BURST);
        if wait > max_wait {
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
    fn without_a_limit_calls_do_not_wait() {
        let mut limiter = RateLimiter::new(None);
        let now = Instant::now();
        assert!((0..1_000).all(|_| limiter.take(1_000, now, Duration::ZERO) == Some(Duration::ZERO)));
    }

    #[test]
    fn calls_beyond_the_burst_wait() {
        let mut limiter = RateLimiter::new(NonZeroU32::new(10));
        let now = Instant::now();
        assert_eq!(limiter.take(20, now, Duration::ZERO), Some(Duration::ZERO));
        assert_eq!(limiter.take(1, now, Duration::ZERO), None);
        assert_eq!(limiter.take(1, now, Duration::from_secs(5)), Some(Duration::from_secs(1)));
        assert_eq!(limiter.take(1, now + Duration::from_secs(2), Duration::ZERO), Some(Duration::ZERO));
    }

    proptest! {
        #[test]
        fn over_time_no_more_calls_go_out_than_the_rate_allows(rate in 1u32..100, gaps in prop::collection::vec(0u64..500, 1..200)) {
            let mut limiter = RateLimiter::new(NonZeroU32::new(rate));
            let start = Instant::now();
            let (mut now, mut sent) = (start, 0u64);
            for gap in gaps {
                now += Duration::from_millis(gap);
                sent += u64::from(limiter.take(1, now, Duration::ZERO).is_some());
            }
            let seconds = (now - start).as_secs() + 1;
            prop_assert!(sent <= u64::from(rate) * (seconds + 2) + 1);
        }
    }
}
