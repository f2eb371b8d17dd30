use alloy_primitives::B256;
use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::{ChainId, IntentTerms};

/// Orders that one transaction claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimBatch {
    /// Names the batch; the same list has the same id.
    pub id: B256,
    /// Whose orders they are.
    pub filler: String,
    pub chain: ChainId,
    /// In the order in which the attesters sign them.
    pub orders: Vec<IntentTerms>,
    pub created_at: Timestamp,
    /// Whether each of its orders is claimed alone, because the batch failed.
    pub is_dissolved: bool,
}

/// The result of recording a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimBatchPut {
    /// It was recorded, now or before.
    Written,
    /// Nothing was written: these orders belong to another batch.
    Taken(Vec<B256>),
}

/// Records which orders are claimed together, before anything is sent. Writes are durable when a call returns.
#[async_trait]
pub trait ClaimBatchStore: Send + Sync {
    /// Records a batch. An order belongs to one batch for ever; the same batch is recorded once.
    async fn put_batch(&self, batch: &ClaimBatch) -> Result<ClaimBatchPut, StoreError>;
    /// Records a claim of a single order, for [`ClaimBatchStore::claim_sizes`]; the same claim is recorded once.
    async fn put_single_claim(
        &self,
        filler: &str,
        chain: ChainId,
        order: B256,
        now: Timestamp,
    ) -> Result<(), StoreError>;
    /// The batch that an order belongs to.
    async fn batch_of(&self, order: B256) -> Result<Option<ClaimBatch>, StoreError>;
    /// The batch of that id.
    async fn claim_batch(&self, id: B256) -> Result<Option<ClaimBatch>, StoreError>;
    /// Has the orders of a batch claimed alone from now on.
    async fn dissolve_batch(&self, id: B256) -> Result<(), StoreError>;
    /// How many orders each of the filler's newest claims on a chain had, newest first.
    async fn claim_sizes(&self, filler: &str, chain: ChainId, limit: u32) -> Result<Vec<u32>, StoreError>;
}
