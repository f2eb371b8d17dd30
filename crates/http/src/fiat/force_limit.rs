use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use causeway_domain::FiatOrderId;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// How often somebody may have a provider asked about one order, after the first few.
const EVERY: Duration = Duration::from_secs(5);
const BURST: NonZeroU32 = NonZeroU32::MIN.saturating_add(2);

/// Full buckets are forgotten once every this many checks, so that orders that are over cost no memory.
const FORGET_EVERY: u32 = 256;

/// Keeps the curious from having providers asked without end. Each process counts for itself.
#[derive(Debug)]
pub struct ForceLimit {
    buckets: DefaultKeyedRateLimiter<String>,
    checks: AtomicU32,
}

impl Default for ForceLimit {
    fn default() -> Self {
        // A period of more than nothing always makes a quota.
        let quota = Quota::with_period(EVERY).unwrap_or_else(|| Quota::per_second(NonZeroU32::MIN));
        Self { buckets: RateLimiter::keyed(quota.allow_burst(BURST)), checks: AtomicU32::new(0) }
    }
}

impl ForceLimit {
    /// Lets the question pass, or tells in how many seconds it may.
    pub(crate) fn take(&self, order: &FiatOrderId) -> Result<(), u64> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % FORGET_EVERY == FORGET_EVERY - 1 {
            self.buckets.retain_recent();
        }
        self.buckets.check_key(&order.to_string()).map_err(|not_yet| {
            let wait = not_yet.wait_time_from(DefaultClock::default().now());
            wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
        })
    }
}
