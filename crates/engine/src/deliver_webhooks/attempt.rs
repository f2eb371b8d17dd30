use std::time::Duration;

use causeway_domain::EventKind;
use causeway_domain::ports::{
    AttemptOutcome, Delivery, DeliveryAttempt, DeliveryEnd, StoreError, WebhookEndpoint,
};
use jiff::{SignedDuration, Timestamp};
use tokio::time::sleep;

use super::DeliverWebhooks;
use super::lane::chance;
use super::sign::sign;
use super::spacing::retry_after;

/// How often an outcome is written, should the store be away: what is not written down is sent again.
const WRITE_ATTEMPTS: u32 = 20;
const WRITE_AGAIN: Duration = Duration::from_millis(500);

/// What became of one line that was to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attempted {
    Delivered,
    Failed,
    /// It did not come to sending.
    NotTried,
}

impl DeliverWebhooks {
    /// Sends one line once and writes down how it went.
    pub(super) async fn attempt(&self, to: &WebhookEndpoint, delivery: &Delivery, down: bool) -> Attempted {
        let message = match self.message(to, delivery).await {
            Ok(Some(message)) => message,
            Ok(None) => {
                // Retention was faster; the delivery goes with its event.
                self.end(delivery, None, "the event is no longer kept", DeliveryEnd::GivenUp, None).await;
                return Attempted::NotTried;
            }
            Err(error) => {
                tracing::warn!(order = delivery.order.as_str(), %error, "an order to tell of cannot be read now");
                return Attempted::NotTried;
            }
        };
        let (headers, body) = message;
        let answer = self.parts.post.post(&to.url, &headers, body).await;
        let (status, words) = match answer {
            Ok(status @ 200..=299) => {
                let words = format!("acknowledged with {status}");
                self.end(delivery, Some(status), &words, DeliveryEnd::Delivered, None).await;
                return Attempted::Delivered;
            }
            Ok(status) => (Some(status), format!("answered {status} instead of 2xx")),
            Err(words) => (None, words),
        };
        let now = Timestamp::now();
        let patient_since = now.checked_sub(self.parts.patience).unwrap_or(Timestamp::MIN);
        let end = if delivery.waits_since <= patient_since {
            DeliveryEnd::GivenUp
        } else {
            // Of an endpoint that is down nothing can be told about the line: it is as due as all others when the rest is over.
            let failed = if down { 1 } else { delivery.attempts.saturating_add(1) };
            let wait =
                SignedDuration::try_from(retry_after(failed, chance())).unwrap_or(SignedDuration::ZERO);
            DeliveryEnd::Later(now.checked_add(wait).unwrap_or(now))
        };
        tracing::debug!(endpoint = to.name.as_str(), event = delivery.event.get(), words, "a webhook failed");
        self.end(delivery, status, &words, end, down.then_some(patient_since)).await;
        Attempted::Failed
    }

    /// The headers and the body; nothing when the line is no longer kept.
    async fn message(
        &self,
        to: &WebhookEndpoint,
        delivery: &Delivery,
    ) -> Result<Option<(Vec<(&'static str, String)>, Vec<u8>)>, StoreError> {
        let Some(order) = self.parts.orders.order(&delivery.order).await? else { return Ok(None) };
        let story = self.parts.orders.story(&delivery.order).await?;
        let Some(event) = story.iter().find(|event| event.key == delivery.event) else { return Ok(None) };
        let body = (self.parts.describe)(&order, &story, event);
        let kind = if event.kind == EventKind::Note { "note" } else { "status" };
        let signature = sign(&to.secrets, Timestamp::now().as_second(), &body);
        let headers = vec![
            ("x-causeway-signature", signature),
            ("x-causeway-event-id", event.key.get().to_string()),
            ("x-causeway-event", kind.to_owned()),
            ("x-causeway-endpoint", to.name.to_string()),
            ("x-causeway-attempt", delivery.attempts.saturating_add(1).to_string()),
        ];
        Ok(Some((headers, body)))
    }

    async fn end(
        &self,
        delivery: &Delivery,
        status: Option<u16>,
        words: &str,
        end: DeliveryEnd,
        give_up_before: Option<Timestamp>,
    ) {
        let now = Timestamp::now();
        let attempt = DeliveryAttempt {
            key: self.parts.row_keys.next(now),
            endpoint: delivery.endpoint.clone(),
            event: delivery.event,
            order: delivery.order.clone(),
            number: delivery.attempts.saturating_add(1),
            at: now,
            status,
            outcome: match end {
                DeliveryEnd::Delivered => AttemptOutcome::Delivered,
                DeliveryEnd::Later(_) => AttemptOutcome::Failed,
                DeliveryEnd::GivenUp => AttemptOutcome::GivenUp,
            },
            words: words.chars().take(500).collect(),
        };
        for _ in 0..WRITE_ATTEMPTS {
            match self.parts.store.end_delivery(delivery, &attempt, end, give_up_before).await {
                Ok(()) => return,
                Err(error) if error.is_retryable() => sleep(WRITE_AGAIN).await,
                Err(error) => {
                    tracing::error!(event = delivery.event.get(), %error, "a webhook's outcome was not written");
                    return;
                }
            }
        }
        tracing::warn!(event = delivery.event.get(), "a webhook's outcome was not written; it is sent again");
    }
}
