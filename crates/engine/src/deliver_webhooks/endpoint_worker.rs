use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{Delivery, WebhookEndpoint};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::DeliverWebhooks;
use super::attempt::AttemptResult;
use super::backoff::pause_after;

/// How long a claimed delivery is reserved; longer than a receiver's timeout.
const LEASE: SignedDuration = SignedDuration::from_secs(20);
/// How often due deliveries are polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// After how many consecutive failures an endpoint counts as down.
const DOWN_AFTER: u32 = 5;
/// How many events are sent to an endpoint concurrently.
const MAX_CONCURRENT: usize = 16;

/// The recent failures of an endpoint, as far as this process knows.
#[derive(Default)]
struct EndpointBackoff {
    /// Consecutive failures.
    failures: u32,
    /// Consecutive pauses without a delivery in between.
    pauses: u32,
    paused_until: Option<Instant>,
}

impl EndpointBackoff {
    fn record(&mut self, result: AttemptResult) {
        match result {
            AttemptResult::Delivered => *self = Self::default(),
            AttemptResult::Failed => {
                self.failures = self.failures.saturating_add(1);
                // Concurrent sends that fail together count as one failure of a down endpoint.
                if self.is_down() && self.pause().is_none() {
                    self.pauses = self.pauses.saturating_add(1);
                    self.paused_until = Some(Instant::now() + pause_after(self.pauses, random_u64()));
                }
            }
            // Our own failures do not count against the endpoint.
            AttemptResult::NotSent => {}
        }
    }

    const fn is_down(&self) -> bool {
        self.failures >= DOWN_AFTER
    }

    fn pause(&self) -> Option<Instant> {
        self.paused_until.filter(|until| *until > Instant::now())
    }

    /// How many more events can be sent; a down endpoint is probed with one.
    fn capacity(&self, in_flight: usize) -> usize {
        let limit = if self.is_down() { 1 } else { MAX_CONCURRENT };
        if self.pause().is_some() { 0 } else { limit.saturating_sub(in_flight) }
    }
}

/// A random number for jitter.
pub(super) fn random_u64() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(())
}

impl DeliverWebhooks {
    /// Sends due deliveries to one endpoint, several orders concurrently, until `stop`.
    pub(super) async fn run_endpoint(
        self: Arc<Self>,
        endpoint: watch::Receiver<Arc<WebhookEndpoint>>,
        signal: Arc<Notify>,
        stop: CancellationToken,
    ) {
        let mut sending = JoinSet::new();
        let mut backoff = EndpointBackoff::default();
        while !stop.is_cancelled() {
            let to = Arc::clone(&endpoint.borrow());
            for delivery in self.claim(&to, backoff.capacity(sending.len())).await {
                let (this, to, down) = (Arc::clone(&self), Arc::clone(&to), backoff.is_down());
                sending.spawn(async move { this.attempt(&to, &delivery, down).await });
            }
            let pause = backoff.pause();
            tokio::select! {
                () = stop.cancelled() => {}
                Some(ended) = sending.join_next() => backoff.record(ended.unwrap_or(AttemptResult::NotSent)),
                () = signal.notified(), if pause.is_none() => {}
                () = sleep_until(pause.unwrap_or_else(Instant::now)), if pause.is_some() => {}
                () = sleep(POLL_INTERVAL) => {}
            }
        }
        while sending.join_next().await.is_some() {}
    }

    async fn claim(&self, to: &WebhookEndpoint, capacity: usize) -> Vec<Delivery> {
        let Ok(limit @ 1..) = u32::try_from(capacity) else { return Vec::new() };
        let now = Timestamp::now();
        let until = now.checked_add(LEASE).unwrap_or(now);
        let claimed = self.parts.store.claim_deliveries(&to.name, now, until, limit).await;
        claimed.unwrap_or_else(|error| {
            tracing::warn!(endpoint = to.name.as_str(), %error, "claiming webhook deliveries failed");
            Vec::new()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_counts_as_down_after_consecutive_failures_and_is_probed_with_one() {
        let mut backoff = EndpointBackoff::default();
        for _ in 1..DOWN_AFTER {
            backoff.record(AttemptResult::Failed);
        }
        assert_eq!((backoff.is_down(), backoff.capacity(3)), (false, MAX_CONCURRENT - 3));
        for _ in 0..MAX_CONCURRENT {
            backoff.record(AttemptResult::Failed);
        }
        assert_eq!((backoff.pauses, backoff.capacity(0)), (1, 0), "concurrent sends count once");
        backoff.paused_until = None;
        assert_eq!((backoff.capacity(0), backoff.capacity(1)), (1, 0));
        backoff.record(AttemptResult::NotSent);
        backoff.record(AttemptResult::Failed);
        assert_eq!(backoff.pauses, 2);
        backoff.record(AttemptResult::Delivered);
        assert_eq!(backoff.capacity(0), MAX_CONCURRENT);
    }
}
