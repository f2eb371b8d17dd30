use std::fmt;
use std::sync::Arc;

use causeway_domain::RowKeys;
use causeway_domain::fiat::{FiatEvent, FiatOrder};
use causeway_domain::ports::{FiatStore, RampReport, RampState, StoreError};
use jiff::Timestamp;

use super::{FiatError, FiatSignal, Ramps};

/// The outcome of a webhook with a valid signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookOutcome {
    /// Stored; the purchase is processed again.
    Accepted,
    /// It was stored before.
    Duplicate,
    /// This provider has no purchase with that id.
    UnknownOrder,
    /// It reports another amount, token or wallet than the purchase has.
    Rejected,
}

impl WebhookOutcome {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Duplicate => "duplicate",
            Self::UnknownOrder => "unknown_order",
            Self::Rejected => "rejected",
        }
    }
}

/// What [`ReceiveWebhook`] works with.
pub struct ReceiveWebhookParts {
    pub ramps: Ramps,
    pub store: Arc<dyn FiatStore>,
    pub row_keys: Arc<RowKeys>,
    pub signal: Arc<FiatSignal>,
}

impl fmt::Debug for ReceiveWebhookParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReceiveWebhookParts").field("ramps", &self.ramps).finish_non_exhaustive()
    }
}

/// Receives provider webhooks. A webhook only triggers a lookup at the provider; it never advances a purchase.
#[derive(Debug)]
pub struct ReceiveWebhook {
    parts: ReceiveWebhookParts,
}

impl ReceiveWebhook {
    pub const fn new(parts: ReceiveWebhookParts) -> Self {
        Self { parts }
    }

    /// Verifies a webhook's signature and contents and stores it before it is acknowledged. `header` finds a header by its
    /// lower-case name.
    pub async fn receive(
        &self,
        provider: &str,
        header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
    ) -> Result<WebhookOutcome, FiatError> {
        let ReceiveWebhookParts { ramps, store, signal, .. } = &self.parts;
        let now = Timestamp::now();
        let notice = ramps.find(provider)?.read_webhook(header, body, now).inspect_err(|error| {
            tracing::warn!(provider, %error, "webhook rejected");
        })?;
        let order = store.fiat_order(&notice.order).await?.filter(|order| order.provider == provider);
        let Some(order) = order else { return Ok(WebhookOutcome::UnknownOrder) };
        if let Some(what) = notice.report.contradiction(&order) {
            tracing::warn!(order = %order.id, provider, event = notice.event, what, "webhook contradicts its order");
            return Ok(WebhookOutcome::Rejected);
        }
        if !store.store_webhook(provider, &notice.event, &order.id, body, now).await? {
            return Ok(WebhookOutcome::Duplicate);
        }
        if order.status.is_terminal() {
            self.record_late_failure(&order, &notice.report, now).await?;
        }
        signal.notify();
        Ok(WebhookOutcome::Accepted)
    }

    /// A payment reversed after completion changes nothing on a chain: it is recorded for people.
    async fn record_late_failure(
        &self,
        order: &FiatOrder,
        report: &RampReport,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if !matches!(report.state, RampState::Failed | RampState::Canceled) {
            return Ok(());
        }
        let reason = report.reason.as_ref().map_or("", |(_, message)| message.as_str());
        tracing::warn!(order = %order.id, reason, "provider reports a failure after completion");
        let Some(newest) = self.parts.store.fiat_order(&order.id).await? else { return Ok(()) };
        let event = FiatEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            status: None,
            detail: format!("After completion, the provider reports {}. {reason}", describe(&report.state)),
            at: now,
        };
        // On a conflict only this event is lost: the raw webhook is stored.
        self.parts.store.update_fiat_order(&newest, &[event]).await.map(drop)
    }
}

const fn describe(state: &RampState) -> &'static str {
    if matches!(state, RampState::Canceled) { "a cancellation" } else { "a failure or chargeback" }
}
