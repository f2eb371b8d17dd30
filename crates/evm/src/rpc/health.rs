use std::time::{Duration, Instant};

/// A penalty halves in this time.
const HALF_LIFE: Duration = Duration::from_secs(30);
const MAX_PENALTY: u64 = 64_000;
/// Below this the endpoint counts as healthy and the configured order decides.
const NEGLIGIBLE_PENALTY: u64 = 500;

/// An endpoint's recent failures. They weigh less as they age.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Health {
    penalty: u64,
    since: Instant,
    lagging: bool,
}

impl Health {
    pub(crate) const fn new(now: Instant) -> Self {
        Self { penalty: 0, since: now, lagging: false }
    }

    pub(crate) fn failed(&mut self, weight: u64, now: Instant) {
        self.penalty = self.penalty_at(now).saturating_add(weight).min(MAX_PENALTY);
        self.since = now;
    }

    /// A success reduces the penalty by a quarter, so recovery does not depend on time alone.
    pub(crate) fn succeeded(&mut self, now: Instant) {
        let penalty = self.penalty_at(now);
        self.penalty = penalty - penalty / 4;
        self.since = now;
    }

    pub(crate) const fn set_lagging(&mut self, lagging: bool) {
        self.lagging = lagging;
    }

    pub(crate) const fn is_lagging(&self) -> bool {
        self.lagging
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

    /// Endpoints with a smaller rank are tried first.
    pub(crate) fn rank(&self, now: Instant) -> (bool, u64) {
        let penalty = self.penalty_at(now);
        (self.lagging, if penalty < NEGLIGIBLE_PENALTY { 0 } else { penalty })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn failures_decay_until_the_configured_order_decides_again() {
        let now = Instant::now();
        let mut health = Health::new(now);
        health.failed(1_000, now);
        assert_eq!(health.penalty_at(now), 1_000);
        assert_eq!(health.penalty_at(now + HALF_LIFE), 500);
        assert_eq!(health.penalty_at(now + HALF_LIFE / 2), 750);
        assert_eq!(health.rank(now + HALF_LIFE * 2), (false, 0));
    }

    #[test]
    fn a_lagging_endpoint_ranks_behind_a_failing_one() {
        let now = Instant::now();
        let (mut lagging, mut failing) = (Health::new(now), Health::new(now));
        lagging.set_lagging(true);
        failing.failed(8_000, now);
        assert!(failing.rank(now) < lagging.rank(now));
    }

    proptest! {
        #[test]
        fn a_penalty_never_grows_by_waiting(weight in 0u64..100_000, a in 0u64..1_000_000, b in 0u64..1_000_000) {
            let now = Instant::now();
            let mut health = Health::new(now);
            health.failed(weight, now);
            let at = |ms| health.penalty_at(now + Duration::from_millis(ms));
            prop_assert!(at(a.max(b)) <= at(a.min(b)));
        }
    }
}
