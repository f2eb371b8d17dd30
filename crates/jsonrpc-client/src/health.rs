use std::time::{Duration, Instant};

/// A penalty halves in this time.
const HALF_LIFE: Duration = Duration::from_secs(30);
const MAX_PENALTY: u64 = 64_000;
/// Below this the endpoint counts as healthy and the configured order decides.
const NEGLIGIBLE_PENALTY: u64 = 500;
/// Faults in a row from which on an endpoint is left alone for a while, if others answer.
const FAULTS_BEFORE_BACKOFF: u32 = 3;
const INITIAL_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(15);
/// A server's Retry-After counts up to this.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(1);
/// Endpoints whose latencies differ by less count as equal.
const LATENCY_STEP_MS: u64 = 1_000;

/// An endpoint's recent failures, which weigh less as they age, its latency, and whether it lags.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Health {
    penalty: u64,
    since: Instant,
    faults_in_a_row: u32,
    backoff_until: Instant,
    latency_ms: u64,
    lagging: bool,
}

impl Health {
    pub(crate) const fn new(now: Instant) -> Self {
        Self { penalty: 0, since: now, faults_in_a_row: 0, backoff_until: now, latency_ms: 0, lagging: false }
    }

    pub(crate) fn failed(&mut self, weight: u64, retry_after: Option<Duration>, now: Instant) {
        if weight == 0 {
            return;
        }
        self.penalty = self.penalty_at(now).saturating_add(weight).min(MAX_PENALTY);
        self.since = now;
        self.faults_in_a_row = self.faults_in_a_row.saturating_add(1);
        let repeated = self.faults_in_a_row.checked_sub(FAULTS_BEFORE_BACKOFF);
        let backoff = repeated.map(|more| INITIAL_BACKOFF.saturating_mul(1 << more.min(8)).min(MAX_BACKOFF));
        if let Some(wait) = retry_after.map(|wait| wait.min(MAX_RETRY_AFTER)).or(backoff) {
            self.backoff_until = now + wait;
        }
    }

    /// A success reduces the penalty by a quarter, so recovery does not depend on time alone.
    pub(crate) fn succeeded(&mut self, took: Duration, now: Instant) {
        let penalty = self.penalty_at(now);
        self.penalty = penalty - penalty / 4;
        self.since = now;
        self.faults_in_a_row = 0;
        self.backoff_until = now;
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX / 8);
        self.latency_ms =
            if self.latency_ms == 0 { took } else { (self.latency_ms.saturating_mul(3) + took) / 4 };
    }

    pub(crate) const fn set_lagging(&mut self, lagging: bool) {
        self.lagging = lagging;
    }

    pub(crate) const fn is_lagging(&self) -> bool {
        self.lagging
    }

    pub(crate) fn is_backing_off(&self, now: Instant) -> bool {
        now < self.backoff_until
    }

    /// The remaining penalty: halved per half-life, linear in between.
    pub(crate) fn penalty_at(&self, now: Instant) -> u64 {
        let age = now.saturating_duration_since(self.since).as_millis();
        let half = HALF_LIFE.as_millis();
        let halvings = u32::try_from(age / half).unwrap_or(u32::MAX);
        let kept = self.penalty.checked_shr(halvings).unwrap_or(0);
        let into = u64::try_from(age % half).unwrap_or(0);
        kept - kept * into / u64::try_from(half * 2).unwrap_or(u64::MAX)
    }

    /// Endpoints with a smaller rank are tried first: by backoff, lag, penalty, then whole seconds of latency.
    pub(crate) fn rank(&self, now: Instant) -> (bool, bool, u64, u64) {
        let penalty = self.penalty_at(now);
        let penalty = if penalty < NEGLIGIBLE_PENALTY { 0 } else { penalty };
        (self.is_backing_off(now), self.lagging, penalty, self.latency_ms / LATENCY_STEP_MS)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn failures_decay_until_the_configured_order_decides_again() {
        let now = Instant::now();
        let mut health = Health::new(now);
        health.failed(1_000, None, now);
        assert_eq!(health.penalty_at(now), 1_000);
        assert_eq!(health.penalty_at(now + HALF_LIFE), 500);
        assert!(health.rank(now) > Health::new(now).rank(now));
        let later = now + HALF_LIFE * 2;
        assert_eq!(health.rank(later), Health::new(later).rank(later));
        health.succeeded(Duration::ZERO, now);
        assert_eq!(health.penalty_at(now), 750);
    }

    #[test]
    fn repeated_faults_and_retry_after_let_an_endpoint_rest() {
        let now = Instant::now();
        let mut health = Health::new(now);
        for expected in [false, false, true] {
            health.failed(1_000, None, now);
            assert_eq!(health.is_backing_off(now), expected);
        }
        for _ in 0..40 {
            health.failed(1_000, None, now);
        }
        assert!(!health.is_backing_off(now + MAX_BACKOFF));
        health.succeeded(Duration::ZERO, now);
        assert!(!health.is_backing_off(now));
        health.failed(1_000, Some(7 * SECOND), now);
        assert!(health.is_backing_off(now + 6 * SECOND) && !health.is_backing_off(now + 7 * SECOND));
        health.failed(1_000, Some(1_000_000 * SECOND), now);
        assert!(!health.is_backing_off(now + 61 * SECOND));
    }

    #[test]
    fn our_own_limits_are_no_fault_of_the_endpoint() {
        let now = Instant::now();
        let mut health = Health::new(now);
        for _ in 0..10 {
            health.failed(0, None, now);
        }
        assert_eq!(health.rank(now), Health::new(now).rank(now));
    }

    #[test]
    fn a_lagging_or_much_slower_endpoint_ranks_after_a_healthy_one() {
        let now = Instant::now();
        let (mut lagging, mut slow, mut fast) = (Health::new(now), Health::new(now), Health::new(now));
        lagging.set_lagging(true);
        slow.succeeded(3 * SECOND, now);
        fast.succeeded(SECOND / 10, now);
        assert!(fast.rank(now) < slow.rank(now) && slow.rank(now) < lagging.rank(now));
    }

    proptest! {
        #[test]
        fn a_penalty_never_grows_by_waiting(weight in 0u64..100_000, a in 0u64..1_000_000, b in 0u64..1_000_000) {
            let now = Instant::now();
            let mut health = Health::new(now);
            health.failed(weight, None, now);
            let at = |ms| health.penalty_at(now + Duration::from_millis(ms));
            prop_assert!(at(a.max(b)) <= at(a.min(b)));
        }
    }
}
