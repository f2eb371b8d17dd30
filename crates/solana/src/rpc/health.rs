use std::time::{Duration, Instant};

const BEST: u32 = 1_000;
/// Points that come back with each second without a fault, so that an endpoint that failed is tried again.
const RECOVERY_PER_SECOND: u32 = 10;
const FIRST_REST: Duration = Duration::from_millis(500);
const LONGEST_REST: Duration = Duration::from_mins(1);
/// Endpoints whose delays differ by less count as equally fast, so that the configured order decides.
const LATENCY_STEP_MS: u64 = 250;

/// How well an endpoint has served lately.
#[derive(Clone, Debug)]
pub(super) struct Health {
    score: u32,
    scored_at: Instant,
    latency_ms: u64,
    faults_in_a_row: u32,
    rests_until: Instant,
}

impl Health {
    pub(super) fn new(now: Instant) -> Self {
        Self { score: BEST, scored_at: now, latency_ms: 0, faults_in_a_row: 0, rests_until: now }
    }

    /// From 0 (failed all the time) to 1000 (never failed).
    pub(super) fn score(&self, now: Instant) -> u32 {
        let seconds = now.saturating_duration_since(self.scored_at).as_secs();
        let recovered = u32::try_from(seconds).unwrap_or(u32::MAX).saturating_mul(RECOVERY_PER_SECOND);
        self.score.saturating_add(recovered).min(BEST)
    }

    pub(super) fn latency(&self) -> Duration {
        Duration::from_millis(self.latency_ms)
    }

    pub(super) fn is_resting(&self, now: Instant) -> bool {
        now < self.rests_until
    }

    /// Orders endpoints: the smallest is asked first.
    pub(super) fn rank(&self, now: Instant) -> (Duration, u32, u64) {
        let rest = self.rests_until.saturating_duration_since(now);
        (rest, (BEST - self.score(now)) / 100, self.latency_ms / LATENCY_STEP_MS)
    }

    pub(super) fn served(&mut self, now: Instant, took: Duration) {
        self.score = self.score(now);
        self.score += (BEST - self.score) / 4;
        self.scored_at = now;
        self.faults_in_a_row = 0;
        self.rests_until = now;
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX / 8);
        self.latency_ms =
            if self.latency_ms == 0 { took } else { (self.latency_ms.saturating_mul(3) + took) / 4 };
    }

    /// A fault halves the score; each further one in a row doubles the rest, unless the server named one.
    pub(super) fn failed(&mut self, now: Instant, named_rest: Option<Duration>) {
        self.score = self.score(now) / 2;
        self.scored_at = now;
        let doubled = FIRST_REST.saturating_mul(1 << self.faults_in_a_row.min(10));
        self.faults_in_a_row = self.faults_in_a_row.saturating_add(1);
        self.rests_until = now + named_rest.unwrap_or(doubled).min(LONGEST_REST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_that_fails_is_asked_after_one_that_does_not() {
        let now = Instant::now();
        let good = Health::new(now);
        let mut bad = Health::new(now);
        bad.failed(now, None);
        assert!(bad.rank(now) > good.rank(now));
        let rested = now + Duration::from_secs(1);
        assert!(!bad.is_resting(rested));
        assert!(bad.rank(rested) > good.rank(rested));
    }

    #[test]
    fn a_failed_endpoint_recovers_with_time() {
        let now = Instant::now();
        let mut health = Health::new(now);
        for _ in 0..10 {
            health.failed(now, None);
        }
        assert_eq!(health.score(now), 0);
        assert!(health.is_resting(now + Duration::from_secs(59)));
        let later = now + Duration::from_secs(100);
        assert_eq!(health.score(later), BEST);
        assert_eq!(health.rank(later), Health::new(later).rank(later));
    }

    #[test]
    fn a_server_may_name_its_rest_but_not_beyond_a_minute() {
        let now = Instant::now();
        let mut health = Health::new(now);
        health.failed(now, Some(Duration::from_secs(7)));
        assert!(health.is_resting(now + Duration::from_secs(6)));
        assert!(!health.is_resting(now + Duration::from_secs(7)));
        health.failed(now, Some(Duration::from_secs(1_000_000)));
        assert!(!health.is_resting(now + Duration::from_secs(61)));
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
