use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use super::pausable::is_name;
use super::{Pausable, StoreError};
use crate::{ChainId, RawAmount, RowKey};

/// An active pause and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    pub what: Pausable,
    /// The operator's text, visible to clients.
    pub reason: String,
    pub since: Timestamp,
}

/// The protocol of a filler that was added at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FillerProtocol {
    /// Our own protocol.
    Remote,
    /// The Open Intents Framework API.
    Oif,
}

impl FillerProtocol {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Remote => "remote",
            Self::Oif => "oif",
        }
    }
}

/// Text that names no filler protocol.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is neither remote nor oif")]
pub struct UnknownProtocol(String);

impl FromStr for FillerProtocol {
    type Err = UnknownProtocol;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = [Self::Remote, Self::Oif].into_iter().find(|protocol| protocol.as_str() == text);
        known.ok_or_else(|| UnknownProtocol(text.to_owned()))
    }
}

/// A stored remote filler.
#[derive(Clone, PartialEq, Eq)]
pub struct FillerRecord {
    pub name: String,
    pub protocol: FillerProtocol,
    pub url: String,
    /// The key that signs requests, if required.
    pub secret: Option<String>,
    /// A custom response deadline.
    pub deadline: Option<Duration>,
    pub added_at: Timestamp,
    /// Set when it was removed; its open orders are still processed.
    pub removed_at: Option<Timestamp>,
}

impl fmt::Debug for FillerRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FillerRecord")
            .field("name", &self.name)
            .field("protocol", &self.protocol)
            .field("url", &"***")
            .field("secret", &self.secret.as_ref().map(|_| "***"))
            .field("deadline", &self.deadline)
            .field("removed_at", &self.removed_at)
            .finish_non_exhaustive()
    }
}

impl FillerRecord {
    /// Whether the name is valid for a filler.
    pub fn has_valid_name(&self) -> bool {
        is_name(&self.name)
    }
}

/// An entry of the append-only audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    pub key: RowKey,
    /// `screening.hit`, …
    pub kind: String,
    /// Who or what it concerns.
    pub subject: String,
    /// For people.
    pub detail: String,
    pub at: Timestamp,
}

/// What a transaction of ours has cost, and for whom it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeeRecord {
    pub chain: ChainId,
    /// As it was sent under: one purpose has one record.
    pub purpose: String,
    pub filler: String,
    /// In the smallest units of the chain's coin.
    pub fee: RawAmount,
    pub at: Timestamp,
}

/// How many rows were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub orders: u64,
    pub quotes: u64,
    pub events: u64,
    /// Answers that were kept for idempotency keys.
    pub answers: u64,
}

/// Stores what operators decide, for all replicas: pauses, fillers that were added at run time, the audit log, and what
/// retention removes. Writes are durable when a call returns.
#[async_trait]
pub trait OperatorStore: Send + Sync {
    async fn pauses(&self) -> Result<Vec<Pause>, StoreError>;
    /// Writes a pause; the newest reason replaces the old one, the start time stays.
    async fn pause(&self, pause: &Pause) -> Result<(), StoreError>;
    /// Ends a pause; `false` where there was none.
    async fn resume(&self, what: &Pausable) -> Result<bool, StoreError>;
    /// All fillers by name, including removed ones that may have open orders.
    async fn filler_records(&self) -> Result<Vec<FillerRecord>, StoreError>;
    /// Inserts or updates a filler.
    async fn put_filler(&self, record: &FillerRecord) -> Result<(), StoreError>;
    /// Deletes a removed filler unless it has open orders; `true` when deleted.
    async fn forget_filler(&self, name: &str) -> Result<bool, StoreError>;
    /// Appends to the audit log.
    async fn record_audit(&self, event: &AuditEvent) -> Result<(), StoreError>;
    /// Writes the detail of a screening hit anew, so that one line counts many hits. Other lines are never changed.
    async fn merge_screening_hit(&self, event: &AuditEvent) -> Result<(), StoreError>;
    /// The audit log, newest first, older than `before` if given.
    async fn audit(&self, before: Option<RowKey>, limit: u32) -> Result<Vec<AuditEvent>, StoreError>;
    /// Writes what a transaction has cost, unless it is written already.
    async fn record_fee(&self, record: &FeeRecord) -> Result<(), StoreError>;
    /// What transactions have cost since then, newest first, at most `limit`.
    async fn fees(&self, since: Timestamp, limit: u32) -> Result<Vec<FeeRecord>, StoreError>;
    /// Removes at most `limit` providers' quotes made before `quotes_before` that have no purchase, at most `limit` orders
    /// that were never announced, failed before then and have no work left, at most `limit` events written before
    /// `events_before` of terminal orders, and at most `limit` fees of transactions from before then.
    async fn prune(
        &self,
        quotes_before: Timestamp,
        events_before: Timestamp,
        limit: u32,
    ) -> Result<Pruned, StoreError>;
    /// Removes at most `limit` audit events from before then, oldest first; returns how many.
    async fn prune_audit(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_of_a_filler_is_never_printed() {
        let record = FillerRecord {
            name: "far".to_owned(),
            protocol: FillerProtocol::Remote,
            url: "https://far.example".to_owned(),
            secret: Some("hush".to_owned()),
            deadline: None,
            added_at: Timestamp::UNIX_EPOCH,
            removed_at: None,
        };
        assert!(!format!("{record:?}").contains("hush"));
    }
}
