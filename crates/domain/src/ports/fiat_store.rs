use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::fiat::{FiatEvent, FiatOrder, FiatQuote, FiatStatus, Payout};
use crate::{Address, FiatOrderId, FiatQuoteId, RowKey};

/// What became of a purchase that was to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FiatCreation {
    Created,
    /// The quote was taken before; this is its order.
    Existing(Box<FiatOrder>),
}

/// One page of an address's purchases, newest first: those that it made, and those that go to it.
#[derive(Clone, Debug)]
pub struct FiatOrderQuery {
    pub address: Address,
    pub status: Option<FiatStatus>,
    /// Only orders older than this key.
    pub before: Option<RowKey>,
    pub limit: u32,
}

/// Keeps purchases. What a call has returned survives a power cut. Times are kept to the millisecond.
#[async_trait]
pub trait FiatStore: Send + Sync {
    /// Writes quotes; the same again is no error.
    async fn put_fiat_quotes(&self, quotes: &[FiatQuote]) -> Result<(), StoreError>;
    async fn fiat_quote(&self, id: &FiatQuoteId) -> Result<Option<FiatQuote>, StoreError>;
    /// Writes the order and its first event together, once per quote.
    async fn create_fiat_order(
        &self,
        order: &FiatOrder,
        event: &FiatEvent,
    ) -> Result<FiatCreation, StoreError>;
    async fn fiat_order(&self, id: &FiatOrderId) -> Result<Option<FiatOrder>, StoreError>;
    async fn fiat_order_of_quote(&self, quote: &FiatQuoteId) -> Result<Option<FiatOrder>, StoreError>;
    async fn fiat_orders(&self, query: &FiatOrderQuery) -> Result<Vec<FiatOrder>, StoreError>;
    /// Writes `order` and its events together if the stored version is still `order.version`; the stored version then grows by
    /// one and a lease on it ends. A payout that another order has is a conflict: it completes one order only. `false` when
    /// somebody else was faster: nothing is written.
    async fn update_fiat_order(&self, order: &FiatOrder, events: &[FiatEvent]) -> Result<bool, StoreError>;
    /// Takes up to `limit` orders that are due, oldest due first, and keeps others from taking them until `lease_until`.
    async fn claim_due_fiat(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<FiatOrder>, StoreError>;
    /// The order that this payout completed, if any.
    async fn fiat_order_of_payout(&self, payout: &Payout) -> Result<Option<FiatOrderId>, StoreError>;
    /// Keeps a webhook by its provider and event, raw, and makes its order due; `false` when it was kept before.
    async fn keep_webhook(
        &self,
        provider: &str,
        event: &str,
        order: &FiatOrderId,
        body: &[u8],
        now: Timestamp,
    ) -> Result<bool, StoreError>;
    /// The order's whole story, oldest line first.
    async fn fiat_story(&self, id: &FiatOrderId) -> Result<Vec<FiatEvent>, StoreError>;
}
