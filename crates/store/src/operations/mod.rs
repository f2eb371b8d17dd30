//! Operating the service: audit log, pauses, order review, backup and retention.

mod audit;
pub(crate) mod backup;
mod fees;
mod idempotency;
pub(crate) mod inspect;
mod integrators;
pub(crate) mod key_fingerprints;
mod pauses;
pub(crate) mod prune;
mod replicas;
mod request_budgets;
pub(crate) mod review;

use async_trait::async_trait;
use causeway_domain::RowKey;
use causeway_domain::ports::{
    AuditEvent, FeeRecord, FillerRecord, OperatorStore, Pausable, Pause, Pruned, StoreError,
};
use jiff::Timestamp;

use crate::store::Store;

#[async_trait]
impl OperatorStore for Store {
    async fn pauses(&self) -> Result<Vec<Pause>, StoreError> {
        self.read_pauses().await
    }

    async fn pause(&self, pause: &Pause) -> Result<(), StoreError> {
        self.write_pause(pause).await
    }

    async fn resume(&self, what: &Pausable) -> Result<bool, StoreError> {
        self.delete_pause(what).await
    }

    async fn filler_records(&self) -> Result<Vec<FillerRecord>, StoreError> {
        self.read_filler_records().await
    }

    async fn put_filler(&self, record: &FillerRecord) -> Result<(), StoreError> {
        self.write_filler(record).await
    }

    async fn forget_filler(&self, name: &str) -> Result<bool, StoreError> {
        self.delete_filler(name).await
    }

    async fn record_audit(&self, event: &AuditEvent) -> Result<(), StoreError> {
        self.write_audit(event).await
    }

    async fn merge_screening_hit(&self, event: &AuditEvent) -> Result<(), StoreError> {
        self.write_merged_hit(event).await
    }

    async fn audit(&self, before: Option<RowKey>, limit: u32) -> Result<Vec<AuditEvent>, StoreError> {
        self.read_audit(before, limit).await
    }

    async fn record_fee(&self, record: &FeeRecord) -> Result<(), StoreError> {
        self.write_fee(record).await
    }

    async fn fees(&self, since: Timestamp, limit: u32) -> Result<Vec<FeeRecord>, StoreError> {
        self.read_fees(since, limit).await
    }

    async fn prune(
        &self,
        quotes_before: Timestamp,
        events_before: Timestamp,
        limit: u32,
    ) -> Result<Pruned, StoreError> {
        self.prune_expired(quotes_before, events_before, limit).await
    }

    async fn prune_audit(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        self.prune_audit_events(before, limit).await
    }
}
