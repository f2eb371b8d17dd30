#[cfg(test)]
pub(crate) mod fake;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{AuditEvent, Hit, OperatorStore, Screen, ScreenError, ScreenRequest};
use causeway_domain::{Address, RowKey, RowKeys};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
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

/// For how long hits of the same subject are one line of the audit log: anybody can cause them, as often as they like.
const MERGED_FOR: SignedDuration = SignedDuration::from_hours(24);
/// How many subjects are remembered; beyond it, all are forgotten and begin new lines.
const MAX_SUBJECTS: usize = 10_000;

/// A line of the audit log that counts its hits.
#[derive(Clone, Copy, Debug)]
struct MergedHit {
    key: RowKey,
    first: Timestamp,
    hits: u64,
}

/// Screens every order before it is created and records refusals in the audit log.
pub struct Screening {
    screen: Arc<dyn Screen>,
    audit: Arc<dyn OperatorStore>,
    row_keys: Arc<RowKeys>,
    /// By the subject and who refused it.
    merged: Mutex<HashMap<(String, String), MergedHit>>,
}

impl fmt::Debug for Screening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screening").finish_non_exhaustive()
    }
}

impl Screening {
    pub fn new(screen: Arc<dyn Screen>, audit: Arc<dyn OperatorStore>, row_keys: Arc<RowKeys>) -> Self {
        Self { screen, audit, row_keys, merged: Mutex::default() }
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
        let line = self.merge(&subject, &hit.by, now);
        let detail = match line.hits {
            1 => detail,
            hits => format!("{detail} It is the last of {hits} since {}.", line.first),
        };
        tracing::warn!(subject, by = hit.by, deal = ask.kind.as_str(), "order refused by screening");
        let event = AuditEvent { key: line.key, kind: "screening.hit".to_owned(), subject, detail, at: now };
        let recorded = match line.hits {
            1 => self.audit.record_audit(&event).await,
            // Every hit is counted, and written as often as the count doubles.
            hits if hits.is_power_of_two() => self.audit.merge_screening_hit(&event).await,
            _ => Ok(()),
        };
        if let Err(error) = recorded {
            tracing::error!(%error, detail = event.detail, "recording a screening refusal failed");
        }
    }

    /// The line that this hit belongs to, with the hit counted.
    fn merge(&self, subject: &str, by: &str, now: Timestamp) -> MergedHit {
        let mut merged = self.merged.lock();
        if merged.len() >= MAX_SUBJECTS {
            merged.clear();
        }
        let new = || MergedHit { key: self.row_keys.next(now), first: now, hits: 0 };
        let line = merged.entry((subject.to_owned(), by.to_owned())).or_insert_with(new);
        if now.duration_since(line.first) > MERGED_FOR {
            *line = new();
        }
        line.hits = line.hits.saturating_add(1);
        *line
    }
}
