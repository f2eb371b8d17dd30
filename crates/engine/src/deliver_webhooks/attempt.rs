use std::time::Duration;

use causeway_domain::ports::{
    AttemptOutcome, Delivery, DeliveryAttempt, DeliveryEnd, StoreError, Subject, WebhookEndpoint,
};
use causeway_domain::{EventKind, FiatOrderId, OrderId, RowKey};
use jiff::{SignedDuration, Timestamp};
use tokio::time::sleep;

use super::DeliverWebhooks;
use super::backoff::retry_after;
use super::endpoint_worker::random_u64;
use super::sign::sign;

/// How often writing an outcome is retried; without a stored outcome the delivery is sent again.
const MAX_WRITE_ATTEMPTS: u32 = 20;
const WRITE_RETRY_PAUSE: Duration = Duration::from_millis(500);

/// The result of one delivery attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptResult {
    Delivered,
    Failed,
    /// Nothing was sent.
    NotSent,
}

impl DeliverWebhooks {
    /// Sends one event once and records the outcome.
    pub(super) async fn attempt(
        &self,
        to: &WebhookEndpoint,
        delivery: &Delivery,
        down: bool,
    ) -> AttemptResult {
        let message = match self.message(to, delivery).await {
            Ok(Some(message)) => message,
            Ok(None) => {
                // Retention removed the event, so its delivery ends too.
                self.end(delivery, None, "the event is no longer stored", DeliveryEnd::GivenUp, None).await;
                return AttemptResult::NotSent;
            }
            Err(error) => {
                tracing::warn!(order = delivery.subject.as_str(), %error, "reading the order of a webhook failed");
                return AttemptResult::NotSent;
            }
        };
        let (headers, body) = message;
        let answer = self.parts.post.post(&to.url, &headers, body).await;
        let (status, detail) = match answer {
            Ok(status @ 200..=299) => {
                let detail = format!("acknowledged with {status}");
                self.end(delivery, Some(status), &detail, DeliveryEnd::Delivered, None).await;
                return AttemptResult::Delivered;
            }
            Ok(status) => (Some(status), format!("answered {status} instead of 2xx")),
            Err(detail) => (None, detail),
        };
        let now = Timestamp::now();
        let give_up_before = now.checked_sub(self.parts.retry_period).unwrap_or(Timestamp::MIN);
        let end = if delivery.waits_since <= give_up_before {
            DeliveryEnd::GivenUp
        } else {
            // Failures of a down endpoint are not the event's fault: it is due like all others after the backoff.
            let failed = if down { 1 } else { delivery.attempts.saturating_add(1) };
            let wait =
                SignedDuration::try_from(retry_after(failed, random_u64())).unwrap_or(SignedDuration::ZERO);
            DeliveryEnd::Later(now.checked_add(wait).unwrap_or(now))
        };
        tracing::debug!(endpoint = to.name.as_str(), event = delivery.event.get(), detail, "webhook failed");
        self.end(delivery, status, &detail, end, down.then_some(give_up_before)).await;
        AttemptResult::Failed
    }

    /// The headers and the body; `None` if the event is no longer stored.
    async fn message(
        &self,
        to: &WebhookEndpoint,
        delivery: &Delivery,
    ) -> Result<Option<(Vec<(&'static str, String)>, Vec<u8>)>, StoreError> {
        let encoded = match &delivery.subject {
            Subject::Order(order) => self.encode_order(order, delivery.event).await?,
            Subject::Purchase(purchase) => self.encode_purchase(purchase, delivery.event).await?,
        };
        let Some((kind, body)) = encoded else { return Ok(None) };
        let signature = sign(&to.secrets, Timestamp::now().as_second(), &body);
        let headers = vec![
            ("x-causeway-signature", signature),
            ("x-causeway-event-id", delivery.event.get().to_string()),
            ("x-causeway-event", kind.to_owned()),
            ("x-causeway-endpoint", to.name.to_string()),
            ("x-causeway-attempt", delivery.attempts.saturating_add(1).to_string()),
        ];
        Ok(Some((headers, body)))
    }

    /// What happened, and the body; `None` if the event is no longer stored.
    async fn encode_order(
        &self,
        id: &OrderId,
        key: RowKey,
    ) -> Result<Option<(&'static str, Vec<u8>)>, StoreError> {
        let Some(order) = self.parts.orders.order(id).await? else { return Ok(None) };
        let events = self.parts.orders.order_events(id).await?;
        let Some(event) = events.iter().find(|event| event.key == key) else { return Ok(None) };
        let kind = if event.kind == EventKind::Note { "note" } else { "status" };
        Ok(Some((kind, (self.parts.encode)(&order, &events, event))))
    }

    async fn encode_purchase(
        &self,
        id: &FiatOrderId,
        key: RowKey,
    ) -> Result<Option<(&'static str, Vec<u8>)>, StoreError> {
        let Some(purchase) = self.parts.purchases.fiat_order(id).await? else { return Ok(None) };
        let events = self.parts.purchases.fiat_order_events(id).await?;
        let Some(event) = events.iter().find(|event| event.key == key) else { return Ok(None) };
        let kind = if event.status.is_some() { "purchase.status" } else { "purchase.note" };
        Ok(Some((kind, (self.parts.encode_purchase)(&purchase, event))))
    }

    async fn end(
        &self,
        delivery: &Delivery,
        status: Option<u16>,
        detail: &str,
        end: DeliveryEnd,
        give_up_before: Option<Timestamp>,
    ) {
        let now = Timestamp::now();
        let attempt = DeliveryAttempt {
            key: self.parts.row_keys.next(now),
            endpoint: delivery.endpoint.clone(),
            event: delivery.event,
            subject: delivery.subject.clone(),
            number: delivery.attempts.saturating_add(1),
            at: now,
            status,
            outcome: match end {
                DeliveryEnd::Delivered => AttemptOutcome::Delivered,
                DeliveryEnd::Later(_) => AttemptOutcome::Failed,
                DeliveryEnd::GivenUp => AttemptOutcome::GivenUp,
            },
            message: detail.chars().take(500).collect(),
        };
        for _ in 0..MAX_WRITE_ATTEMPTS {
            match self.parts.store.end_delivery(delivery, &attempt, end, give_up_before).await {
                Ok(()) => return,
                Err(error) if error.is_retryable() => sleep(WRITE_RETRY_PAUSE).await,
                Err(error) => {
                    tracing::error!(event = delivery.event.get(), %error, "storing a webhook outcome failed");
                    return;
                }
            }
        }
        tracing::warn!(event = delivery.event.get(), "webhook outcome not stored; it is sent again");
    }
}
