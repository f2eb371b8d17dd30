//! What our own market maker does for the orders that took its offers.

mod carrying;
mod claim;
mod decide;
mod deliver;
mod loss;
mod owed;
mod payment;
mod reserve;
mod truth;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::ports::{Attestations, Carrier, DeedError, Hand, Losses, Progress, Reservations};
use causeway_domain::{ChainId, Decision, Order, QuoteKeys};
use jiff::Timestamp;

use super::filler::InventoryFiller;

/// The hand of an [`InventoryFiller`]: sets its coins aside, decides once what becomes of an order, delivers or gives
/// back, and gets paid.
pub struct InventoryHand {
    filler: Arc<InventoryFiller>,
    reservations: Arc<dyn Reservations>,
    losses: Arc<dyn Losses>,
    carriers: HashMap<ChainId, Arc<dyn Carrier>>,
    attestations: Arc<dyn Attestations>,
    keys: QuoteKeys,
    /// When it began to work.
    since: Timestamp,
}

impl InventoryHand {
    /// `carriers` send with the filler's hot key, one on each chain; `attestations` speak for deliveries on other chains
    /// than the deposit's; `keys` tell which terms we have quoted.
    pub fn new(
        filler: Arc<InventoryFiller>,
        reservations: Arc<dyn Reservations>,
        losses: Arc<dyn Losses>,
        carriers: HashMap<ChainId, Arc<dyn Carrier>>,
        attestations: Arc<dyn Attestations>,
        keys: QuoteKeys,
    ) -> Self {
        let since = Timestamp::now();
        Self { filler, reservations, losses, carriers, attestations, keys, since }
    }
}

impl fmt::Debug for InventoryHand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InventoryHand").field("filler", &self.filler).finish_non_exhaustive()
    }
}

#[async_trait]
impl Hand for InventoryHand {
    fn name(&self) -> &str {
        &self.filler.config.name
    }

    async fn hold(&self, order: &Order, now: Timestamp) -> Result<(), DeedError> {
        self.hold_for_build(order, now).await
    }

    async fn reserve(&self, order: &Order, now: Timestamp) -> Result<(), DeedError> {
        // Whether there is enough is for `decide` to tell, once the deposit stands.
        self.reserve_for_order(order, now).await.map(|_| ())
    }

    async fn decide(&self, order: &Order, now: Timestamp) -> Result<(Decision, Option<String>), DeedError> {
        self.decide_once(order, now).await
    }

    async fn fill(&self, order: &Order, now: Timestamp) -> Result<Progress, DeedError> {
        self.deliver(order, now).await
    }

    async fn waive(&self, order: &Order, now: Timestamp) -> Result<Progress, DeedError> {
        self.give_back(order, now).await
    }

    async fn claim(&self, order: &Order, now: Timestamp) -> Result<Progress, DeedError> {
        self.get_paid(order, now).await
    }

    async fn release(&self, order: &Order) -> Result<(), DeedError> {
        Ok(self.reservations.release(self.name(), order.id.as_str()).await?)
    }
}
