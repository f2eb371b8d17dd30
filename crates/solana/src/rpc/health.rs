use std::time::{Duration, Instant};

const MAX_SCORE: u32 = 1_000;
/// Points regained per second without a fault, so that a failed endpoint is tried again.
const RECOVERY_PER_SECOND: u32 = 10;
const INITIAL_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_mins(1);
/// Endpoints whose latencies differ by less count as equal, so that the configured order decides.
const LATENCY_STEP_MS: u64 = 250;

/// The recent health of an endpoint.
#[derive(Clone, Debug)]
pub(super) struct Health {
    score: u32,
    scored_at: Instant,
    latency_ms: u64,
    consecutive_faults: u32,
    backoff_until: Instant,
}

impl Health {
    pub(super) fn new(now: Instant) -> Self {
        Self { score: MAX_SCORE, scored_at: now, latency_ms: 0, consecutive_faults: 0, backoff_until: now }
    }

    /// From 0 (failed all the time) to 1000 (never failed).
    pub(super) fn score(&self, now: Instant) -> u32 {
        let seconds = now.saturating_duration_since(self.scored_at).as_secs();
        let recovered = u32::try_from(seconds).unwrap_or(u32::MAX).saturating_mul(RECOVERY_PER_SECOND);
        self.score.saturating_add(recovered).min(MAX_SCORE)
    }

    pub(super) fn latency(&self) -> Duration {
        Duration::from_millis(self.latency_ms)
    }

    pub(super) fn is_backing_off(&self, now: Instant) -> bool {
        now < self.backoff_until
    }

    /// Orders endpoints: the smallest rank is called first.
    pub(super) fn rank(&self, now: Instant) -> (Duration, u32, u64) {
        let backoff = self.backoff_until.saturating_duration_since(now);
        (backoff, (MAX_SCORE - self.score(now)) / 100, self.latency_ms / LATENCY_STEP_MS)
    }

    pub(super) fn served(&mut self, now: Instant, took: Duration) {
        self.score = self.score(now);
        self.score += (MAX_SCORE - self.score) / 4;
        self.scored_at = now;
        self.consecutive_faults = 0;
        self.backoff_until = now;
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX / 8);
        self.latency_ms =
            if self.latency_ms == 0 { took } else { (self.latency_ms.saturating_mul(3) + took) / 4 };
    }

    /// A fault halves the score; each consecutive one doubles the backoff, unless the server sent Retry-After.
    pub(super) fn failed(&mut self, now: Instant, retry_after: Option<Duration>) {
        self.score = self.score(now) / 2;
        self.scored_at = now;
        let doubled = INITIAL_BACKOFF.saturating_mul(1 << self.consecutive_faults.min(10));
        self.consecutive_faults = self.consecutive_faults.saturating_add(1);
        self.backoff_until = now + retry_after.unwrap_or(doubled).min(MAX_BACKOFF);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_endpoint_ranks_after_a_healthy_one() {
        let now = Instant::now();
        let good = Health::new(now);
        let mut bad = Health::new(now);
        bad.failed(now, None);
        assert!(bad.rank(now) > good.rank(now));
        let after_backoff = now + Duration::from_secs(1);
        assert!(!bad.is_backing_off(after_backoff));
        assert!(bad.rank(after_backoff) > good.rank(after_backoff));
    }

    #[test]
    fn a_failed_endpoint_recovers_with_time() {
        let now = Instant::now();
        let mut health = Health::new(now);
        for _ in 0..10 {
            health.failed(now, None);
        }
        assert_eq!(health.score(now), 0);
        assert!(health.is_backing_off(now + Duration::from_secs(59)));
        let later = now + Duration::from_secs(100);
        assert_eq!(health.score(later), MAX_SCORE);
        assert_eq!(health.rank(later), Health::new(later).rank(later));
    }

    #[test]
    fn retry_after_is_honored_up_to_a_minute() {
        let now = Instant::now();
        let mut health = Health::new(now);
        health.failed(now, Some(Duration::from_secs(7)));
        assert!(health.is_backing_off(now + Duration::from_secs(6)));
        assert!(!health.is_backing_off(now + Duration::from_secs(7)));
        health.failed(now, Some(Duration::from_secs(1_000_000)));
        assert!(!health.is_backing_off(now + Duration::from_secs(61)));
    }

    #[test]
    fn among_healthy_endpoints_the_clearly_faster_one_comes_first() {
        let now = Instant::now();
        let (mut slow, mut fast) = (Health::new(now), Health::new(now));
        slow.served(now, Duration::from_millis(900));
        fast.served(now, Duration::from_millis(80));
        assert!(fast.rank(now) < slow.rank(now));
    }
}
