//! Executes the orders of our own market maker.

mod chain_checks;
mod claim;
mod claim_batch;
mod claim_pool;
mod decide;
mod fees;
mod fill;
mod loss;
mod owed;
mod payment;
mod reserve;
mod sending;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::ports::{
    ActionError, Attestations, ClaimBatchStore, InventoryStore, OrderExecutor, Progress, TxSender,
};
use causeway_domain::{ChainId, Decision, Order, QuoteKeys};
use jiff::Timestamp;

use super::filler::InventoryFiller;
use claim_pool::ClaimPool;

pub(super) use fees::OUTFLOW_WINDOW;

/// Executes the orders of an [`InventoryFiller`]: reserves funds, decides once whether to fill or waive, sends the fill or the
/// refund, and claims the deposit.
pub struct InventoryExecutor {
    filler: Arc<InventoryFiller>,
    store: Arc<dyn InventoryStore>,
    senders: HashMap<ChainId, Arc<dyn TxSender>>,
    /// Claims have a key of their own, so that a stuck fill never holds one (rule 26).
    claim_senders: HashMap<ChainId, Arc<dyn TxSender>>,
    attestations: Arc<dyn Attestations>,
    /// Without it every order is claimed alone.
    batches: Option<Batches>,
    keys: QuoteKeys,
    /// When this process started.
    started_at: Timestamp,
}

/// What claims several orders at once.
struct Batches {
    store: Arc<dyn ClaimBatchStore>,
    /// The orders that wait for others.
    pool: ClaimPool,
}

impl InventoryExecutor {
    /// `senders` send with the filler's hot key, one on each chain; `attestations` prove fills on other chains
    /// than the deposit's; `keys` recognize the terms that we quoted.
    pub fn new(
        filler: Arc<InventoryFiller>,
        store: Arc<dyn InventoryStore>,
        senders: HashMap<ChainId, Arc<dyn TxSender>>,
        attestations: Arc<dyn Attestations>,
        keys: QuoteKeys,
    ) -> Self {
        let started_at = Timestamp::now();
        let (claim_senders, batches) = (HashMap::new(), None);
        Self { filler, store, senders, claim_senders, attestations, batches, keys, started_at }
    }

    /// Claims orders together, as the filler's configuration says, and records them there (rule 31).
    #[must_use]
    pub fn with_claim_batches(self, store: Arc<dyn ClaimBatchStore>) -> Self {
        Self { batches: Some(Batches { store, pool: ClaimPool::default() }), ..self }
    }

    /// Claims with these keys, one on each chain, instead of the filler's hot key. Anybody may send a claim: it pays the
    /// payee that the terms name.
    #[must_use]
    pub fn with_claim_senders(self, claim_senders: HashMap<ChainId, Arc<dyn TxSender>>) -> Self {
        Self { claim_senders, ..self }
    }
}

impl fmt::Debug for InventoryExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InventoryExecutor").field("filler", &self.filler).finish_non_exhaustive()
    }
}

#[async_trait]
impl OrderExecutor for InventoryExecutor {
    fn name(&self) -> &str {
        &self.filler.config.name
    }

    async fn hold(&self, order: &Order, now: Timestamp) -> Result<(), ActionError> {
        self.hold_for_build(order, now).await
    }

    async fn undeliverable_reason(&self, order: &Order) -> Option<String> {
        self.unpayable_reason(order).await
    }

    async fn reserve(&self, order: &Order, now: Timestamp) -> Result<(), ActionError> {
        // `decide` checks whether the balance suffices, once the deposit is final.
        self.reserve_for_order(order, now).await.map(|_| ())
    }

    async fn decide(&self, order: &Order, now: Timestamp) -> Result<(Decision, Option<String>), ActionError> {
        self.decide_order(order, now).await
    }

    async fn fill(&self, order: &Order, now: Timestamp) -> Result<Progress, ActionError> {
        self.fill_order(order, now).await
    }

    async fn waive(&self, order: &Order, now: Timestamp) -> Result<Progress, ActionError> {
        self.waive_order(order, now).await
    }

    async fn claim(&self, order: &Order, now: Timestamp) -> Result<Progress, ActionError> {
        self.claim_order(order, now).await
    }

    async fn release(&self, order: &Order) -> Result<(), ActionError> {
        Ok(self.store.release(self.name(), order.id.as_str()).await?)
    }
}
