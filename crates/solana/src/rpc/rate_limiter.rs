use std::time::{Duration, Instant};

/// Limits calls to a number per second after a burst.
#[derive(Clone, Debug)]
pub(super) struct RateLimiter {
    interval: Duration,
    burst: Duration,
    /// When the granted calls would have been sent at an even rate.
    used_up_to: Instant,
}

impl RateLimiter {
    pub(super) fn new(calls_per_second: u32, burst: u32, now: Instant) -> Self {
        let interval = Duration::from_secs(1) / calls_per_second.max(1);
        Self { interval, burst: interval.saturating_mul(burst.max(1)), used_up_to: now }
    }

    /// Grants `calls` after the returned wait; `None` if the wait would exceed `max_wait`.
    pub(super) fn reserve(&mut self, calls: u32, now: Instant, max_wait: Duration) -> Option<Duration> {
        let used_up_to = self.used_up_to.max(now) + self.interval.saturating_mul(calls);
        let wait = used_up_to.saturating_duration_since(now).saturating_sub(self.burst);
        if wait > max_wait {
            return None;
        }
        self.used_up_to = used_up_to;
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_WAIT: Duration = Duration::from_secs(1);

    #[test]
    fn calls_after_a_burst_are_delayed() {
        let now = Instant::now();
        let mut limiter = RateLimiter::new(10, 3, now);
        let waits: Vec<_> = (0..5).map(|_| limiter.reserve(1, now, MAX_WAIT).unwrap().as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 100, 200]);
    }

    #[test]
    fn call_that_would_wait_too_long_is_refused_without_cost() {
        let now = Instant::now();
        let mut limiter = RateLimiter::new(10, 1, now);
        assert_eq!(limiter.reserve(100, now, MAX_WAIT), None);
        assert_eq!(limiter.reserve(1, now, MAX_WAIT), Some(Duration::ZERO));
    }

    #[test]
    fn idle_time_restores_the_burst_and_no_more() {
        let now = Instant::now();
        let mut limiter = RateLimiter::new(10, 2, now);
        limiter.reserve(2, now, MAX_WAIT);
        let later = now + Duration::from_mins(1);
        let waits: Vec<_> =
            (0..3).map(|_| limiter.reserve(1, later, MAX_WAIT).unwrap().as_millis()).collect();
        assert_eq!(waits, [0, 0, 100]);
    }
}
