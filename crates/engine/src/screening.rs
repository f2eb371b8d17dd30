#[cfg(test)]
pub(crate) mod fake;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{AuditEvent, AuditLog, Hit, Screen, ScreenAsk, ScreenError};
use causeway_domain::{Address, RowKeys};
use jiff::Timestamp;
use thiserror::Error;

/// Why an order is not made.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ScreeningError {
    /// Whoever asked is not told by which list or for which of the addresses; the audit log is.
    #[error("the screening of the addresses and the amount refused this order")]
    Refused,
    #[error(transparent)]
    Unavailable(#[from] ScreenError),
}

/// Has every order judged before it is made, and keeps what was refused.
pub struct Screening {
    screen: Arc<dyn Screen>,
    audit: Arc<dyn AuditLog>,
    row_keys: Arc<RowKeys>,
}

impl fmt::Debug for Screening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screening").finish_non_exhaustive()
    }
}

impl Screening {
    pub fn new(screen: Arc<dyn Screen>, audit: Arc<dyn AuditLog>, row_keys: Arc<RowKeys>) -> Self {
        Self { screen, audit, row_keys }
    }

    /// Fails where the screening objects, or cannot be asked.
    pub async fn judge(&self, mut ask: ScreenAsk) -> Result<(), ScreeningError> {
        let mut seen: Vec<Address> = Vec::new();
        ask.wallets.retain(|wallet| {
            let new = !seen.contains(wallet);
            seen.push(*wallet);
            new
        });
        let Some(hit) = self.screen.screen(&ask).await? else { return Ok(()) };
        self.keep(&ask, &hit).await;
        Err(ScreeningError::Refused)
    }

    /// Refused it is in any case; that it could not be written is told where somebody looks.
    async fn keep(&self, ask: &ScreenAsk, hit: &Hit) {
        let now = Timestamp::now();
        let wallets: Vec<String> = ask.wallets.iter().map(ToString::to_string).collect();
        let subject = hit.wallet.map_or_else(|| wallets.join(" "), |wallet| wallet.to_string());
        let detail = format!(
            "{by}: {reason}. A {deal} of {amount} of {asset} for {wallets} was refused.",
            by = hit.by,
            reason = hit.reason.trim_end_matches('.'),
            deal = ask.deal.as_str(),
            amount = ask.amount,
            asset = ask.asset,
            wallets = wallets.join(", "),
        );
        tracing::warn!(subject, by = hit.by, deal = ask.deal.as_str(), "a screening refused an order");
        let event = AuditEvent {
            key: self.row_keys.next(now),
            kind: "screening.hit".to_owned(),
            subject,
            detail,
            at: now,
        };
        if let Err(error) = self.audit.record_audit(&event).await {
            tracing::error!(%error, detail = event.detail, "a refusal of the screening could not be kept");
        }
    }
}
