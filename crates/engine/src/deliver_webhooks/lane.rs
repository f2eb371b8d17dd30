use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{Delivery, WebhookEndpoint};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::DeliverWebhooks;
use super::attempt::Attempted;
use super::spacing::rest_after;

/// Longer than a receiver may take, and all that is around it.
const LEASE: SignedDuration = SignedDuration::from_secs(20);
/// How often it is looked for what became due by itself, or by another process.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// After so many failures in a row an endpoint counts as down.
const DOWN_AFTER: u32 = 5;
/// How many lines are on their way to an endpoint at once.
const WIDTH: usize = 16;

/// How an endpoint has fared, as far as this process knows.
#[derive(Default)]
struct Fortune {
    /// Failures in a row.
    failures: u32,
    /// How often it rested since it took something.
    rests: u32,
    rests_until: Option<Instant>,
}

impl Fortune {
    fn hear(&mut self, attempted: Attempted) {
        match attempted {
            Attempted::Delivered => *self = Self::default(),
            Attempted::Failed => {
                self.failures = self.failures.saturating_add(1);
                // What was sent before it counted as down fails together and says nothing new.
                if self.is_down() && self.rest().is_none() {
                    self.rests = self.rests.saturating_add(1);
                    self.rests_until = Some(Instant::now() + rest_after(self.rests, chance()));
                }
            }
            // Our own trouble says nothing about the endpoint.
            Attempted::NotTried => {}
        }
    }

    const fn is_down(&self) -> bool {
        self.failures >= DOWN_AFTER
    }

    fn rest(&self) -> Option<Instant> {
        self.rests_until.filter(|until| *until > Instant::now())
    }

    /// One that is down is tried with one line.
    fn room(&self, busy: usize) -> usize {
        let width = if self.is_down() { 1 } else { WIDTH };
        if self.rest().is_some() { 0 } else { width.saturating_sub(busy) }
    }
}

/// A number that nobody foresees.
pub(super) fn chance() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(())
}

impl DeliverWebhooks {
    /// Sends to one endpoint whatever is due, several orders at once, until `stop`.
    pub(super) async fn run_lane(
        self: Arc<Self>,
        endpoint: watch::Receiver<Arc<WebhookEndpoint>>,
        bell: Arc<Notify>,
        stop: CancellationToken,
    ) {
        let mut sending = JoinSet::new();
        let mut fortune = Fortune::default();
        while !stop.is_cancelled() {
            let to = Arc::clone(&endpoint.borrow());
            for delivery in self.claim(&to, fortune.room(sending.len())).await {
                let (this, to, down) = (Arc::clone(&self), Arc::clone(&to), fortune.is_down());
                sending.spawn(async move { this.attempt(&to, &delivery, down).await });
            }
            let rest = fortune.rest();
            tokio::select! {
                () = stop.cancelled() => {}
                Some(ended) = sending.join_next() => fortune.hear(ended.unwrap_or(Attempted::NotTried)),
                () = bell.notified(), if rest.is_none() => {}
                () = sleep_until(rest.unwrap_or_else(Instant::now)), if rest.is_some() => {}
                () = sleep(LOOK_EVERY) => {}
            }
        }
        while sending.join_next().await.is_some() {}
    }

    async fn claim(&self, to: &WebhookEndpoint, room: usize) -> Vec<Delivery> {
        let Ok(limit @ 1..) = u32::try_from(room) else { return Vec::new() };
        let now = Timestamp::now();
        let until = now.checked_add(LEASE).unwrap_or(now);
        let claimed = self.parts.store.claim_deliveries(&to.name, now, until, limit).await;
        claimed.unwrap_or_else(|error| {
            tracing::warn!(endpoint = to.name.as_str(), %error, "what is due for a webhook cannot be read now");
            Vec::new()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_counts_as_down_after_failures_in_a_row_and_is_then_tried_with_one() {
        let mut fortune = Fortune::default();
        for _ in 1..DOWN_AFTER {
            fortune.hear(Attempted::Failed);
        }
        assert_eq!((fortune.is_down(), fortune.room(3)), (false, WIDTH - 3));
        for _ in 0..WIDTH {
            fortune.hear(Attempted::Failed);
        }
        assert_eq!((fortune.rests, fortune.room(0)), (1, 0), "those that were on their way count once");
        fortune.rests_until = None;
        assert_eq!((fortune.room(0), fortune.room(1)), (1, 0));
        fortune.hear(Attempted::NotTried);
        fortune.hear(Attempted::Failed);
        assert_eq!(fortune.rests, 2);
        fortune.hear(Attempted::Delivered);
        assert_eq!(fortune.room(0), WIDTH);
    }
}
