use std::fmt;
use std::sync::Arc;

use causeway_domain::RowKeys;
use causeway_domain::fiat::{FiatEvent, FiatOrder};
use causeway_domain::ports::{FiatStore, RampReport, RampState, StoreError};
use jiff::Timestamp;

use super::{FiatBell, FiatError, Ramps};

/// What became of a webhook whose signature is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookOutcome {
    /// Kept; the purchase is looked at anew.
    Accepted,
    /// It was kept before.
    Duplicate,
    /// No purchase of this provider has that name here.
    UnknownOrder,
    /// It tells of another amount, token or wallet than the purchase has.
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

/// What [`TakeWebhook`] works with.
pub struct TakeWebhookParts {
    pub ramps: Ramps,
    pub store: Arc<dyn FiatStore>,
    pub row_keys: Arc<RowKeys>,
    pub bell: Arc<FiatBell>,
}

impl fmt::Debug for TakeWebhookParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TakeWebhookParts").field("ramps", &self.ramps).finish_non_exhaustive()
    }
}

/// Takes a provider's word that something has changed: a reason to ask the provider, never what moves a purchase.
#[derive(Debug)]
pub struct TakeWebhook {
    parts: TakeWebhookParts,
}

impl TakeWebhook {
    pub const fn new(parts: TakeWebhookParts) -> Self {
        Self { parts }
    }

    /// Checks who signed it and what it is about, and keeps it before it is acknowledged. `header` finds a header by its
    /// lower-case name.
    pub async fn take(
        &self,
        provider: &str,
        header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
    ) -> Result<WebhookOutcome, FiatError> {
        let TakeWebhookParts { ramps, store, bell, .. } = &self.parts;
        let now = Timestamp::now();
        let notice = ramps.find(provider)?.read_webhook(header, body, now).inspect_err(|error| {
            tracing::warn!(provider, %error, "a webhook is not believed");
        })?;
        let order = store.fiat_order(&notice.order).await?.filter(|order| order.provider == provider);
        let Some(order) = order else { return Ok(WebhookOutcome::UnknownOrder) };
        if let Some(what) = notice.report.contradiction(&order) {
            tracing::warn!(order = %order.id, provider, event = notice.event, what, "a webhook contradicts its order");
            return Ok(WebhookOutcome::Rejected);
        }
        if !store.keep_webhook(provider, &notice.event, &order.id, body, now).await? {
            return Ok(WebhookOutcome::Duplicate);
        }
        if order.status.is_terminal() {
            self.note_late(&order, &notice.report, now).await?;
        }
        bell.ring();
        Ok(WebhookOutcome::Accepted)
    }

    /// A payment that is taken back after its end changes nothing on a chain: it is written down for people.
    async fn note_late(
        &self,
        order: &FiatOrder,
        report: &RampReport,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if !matches!(report.state, RampState::Failed | RampState::Canceled) {
            return Ok(());
        }
        let why = report.reason.as_ref().map_or("", |(_, words)| words.as_str());
        tracing::warn!(order = %order.id, why, "a provider takes back what was over");
        let Some(newest) = self.parts.store.fiat_order(&order.id).await? else { return Ok(()) };
        let event = FiatEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            status: None,
            detail: format!("After the end, the provider reports {}. {why}", word(&report.state)),
            at: now,
        };
        // Who was faster has seen the webhook too; the note alone is lost, and it is kept raw.
        self.parts.store.update_fiat_order(&newest, &[event]).await.map(drop)
    }
}

const fn word(state: &RampState) -> &'static str {
    if matches!(state, RampState::Canceled) { "a cancellation" } else { "a failure or chargeback" }
}
