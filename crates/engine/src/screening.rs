#[cfg(test)]
pub(crate) mod fake;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{AuditEvent, Hit, OperatorStore, Screen, ScreenError, ScreenRequest};
use causeway_domain::{Address, RowKeys};
use jiff::Timestamp;
use thiserror::Error;

/// Why an order is not created.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ScreeningError {
    /// The client does not learn which list or address it was; the audit log records it.
    #[error("the screening of the addresses and the amount refused this order")]
    Refused,
    #[error(transparent)]
    Unavailable(#[from] ScreenError),
}

/// Screens every order before it is created and records refusals in the audit log.
pub struct Screening {
    screen: Arc<dyn Screen>,
    audit: Arc<dyn OperatorStore>,
    row_keys: Arc<RowKeys>,
}

impl fmt::Debug for Screening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screening").finish_non_exhaustive()
    }
}

impl Screening {
    pub fn new(screen: Arc<dyn Screen>, audit: Arc<dyn OperatorStore>, row_keys: Arc<RowKeys>) -> Self {
        Self { screen, audit, row_keys }
    }

    /// Fails when the screening refuses the order or is unavailable.
    pub async fn check(&self, mut ask: ScreenRequest) -> Result<(), ScreeningError> {
        let mut seen: Vec<Address> = Vec::new();
        ask.wallets.retain(|wallet| {
            let new = !seen.contains(wallet);
            seen.push(*wallet);
            new
        });
        let Some(hit) = self.screen.screen(&ask).await? else { return Ok(()) };
        self.record(&ask, &hit).await;
        Err(ScreeningError::Refused)
    }

    /// The order is refused even if this write fails.
    async fn record(&self, ask: &ScreenRequest, hit: &Hit) {
        let now = Timestamp::now();
        let wallets: Vec<String> = ask.wallets.iter().map(ToString::to_string).collect();
        let subject = hit.wallet.map_or_else(|| wallets.join(" "), |wallet| wallet.to_string());
        let detail = format!(
            "{by}: {reason}. A {deal} of {amount} of {asset} for {wallets} was refused.",
            by = hit.by,
            reason = hit.reason.trim_end_matches('.'),
            deal = ask.kind.as_str(),
            amount = ask.amount,
            asset = ask.asset,
            wallets = wallets.join(", "),
        );
        tracing::warn!(subject, by = hit.by, deal = ask.kind.as_str(), "order refused by screening");
        let event = AuditEvent {
            key: self.row_keys.next(now),
            kind: "screening.hit".to_owned(),
            subject,
            detail,
            at: now,
        };
        if let Err(error) = self.audit.record_audit(&event).await {
            tracing::error!(%error, detail = event.detail, "recording a screening refusal failed");
        }
    }
}
