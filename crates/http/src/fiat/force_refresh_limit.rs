use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use causeway_domain::FiatOrderId;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// Minimum interval between forced refreshes of one order, after the initial burst.
const INTERVAL: Duration = Duration::from_secs(5);
const BURST: NonZeroU32 = NonZeroU32::MIN.saturating_add(2);

/// Full buckets are removed once in this many checks, to bound the memory.
const PRUNE_EVERY: u32 = 256;

/// Limits how often `force=true` queries the provider for one order. Each process counts for itself.
#[derive(Debug)]
pub struct ForceRefreshLimit {
    buckets: DefaultKeyedRateLimiter<String>,
    checks: AtomicU32,
}

impl Default for ForceRefreshLimit {
    fn default() -> Self {
        // A non-zero period always gives a quota.
        let quota = Quota::with_period(INTERVAL).unwrap_or_else(|| Quota::per_second(NonZeroU32::MIN));
        Self { buckets: RateLimiter::keyed(quota.allow_burst(BURST)), checks: AtomicU32::new(0) }
    }
}

impl ForceRefreshLimit {
    /// Allows one refresh, or returns the seconds until the next is allowed.
    pub(crate) fn check(&self, order: &FiatOrderId) -> Result<(), u64> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % PRUNE_EVERY == PRUNE_EVERY - 1 {
            self.buckets.retain_recent();
        }
        self.buckets.check_key(&order.to_string()).map_err(|not_yet| {
            let wait = not_yet.wait_time_from(DefaultClock::default().now());
            wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
        })
    }
}
