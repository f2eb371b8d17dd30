//! What the outside provides, as small traits; one conformance suite per trait runs against every implementation.

mod attest;
mod chain;
mod costs;
mod filler;
mod outbox;
mod reservations;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

pub use attest::{
    AttestationSigner, AttestationVerifier, Attestations, Care, ChainContracts, ChainView, CollectError,
    EscrowState, FillRecord, FinalBlock, NoAttestation, Sighting, SigningError,
};
pub use chain::{BalanceReader, ChainError};
pub use costs::{GasFeed, VaultRate, VaultRates};
pub use filler::{Answer, Filler, FillerAsk, FillerError, Offer, Refusal};
pub use outbox::{Attempt, Outbox, OutboxPut, Outgoing, OutgoingEnd};
pub use reservations::{Reservation, ReservationKind, ReservationLimit, Reservations, Reserved};

use crate::{
    Address, Order, OrderEvent, OrderId, OrderStatus, Quote, QuoteId, Route, RowKey, TokenId, UsdPrice,
};

/// What can go wrong with a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The engine is away, locked or full; the same call may work later.
    #[error("the store is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A row holds what this version cannot read; trying again does not help.
    #[error("the store holds a record that cannot be read: {0}")]
    Corrupt(String),
    /// The call contradicts what is stored.
    #[error("{0}")]
    Conflict(&'static str),
}

impl StoreError {
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

/// Keeps quotes. What a call has returned survives a power cut. Times are kept to the millisecond.
#[async_trait]
pub trait QuoteStore: Send + Sync {
    /// Writes a new quote with the routes it already has; the same quote again is no error.
    async fn put_quote(&self, quote: &Quote) -> Result<(), StoreError>;
    /// Adds a route that answered later; the same route twice is written once.
    async fn add_route(&self, quote: &QuoteId, route: &Route) -> Result<(), StoreError>;
    async fn quote(&self, id: &QuoteId) -> Result<Option<Quote>, StoreError>;
}

/// What became of an order that was to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Creation {
    Created,
    /// The route was taken before; this is its order.
    Existing(Box<Order>),
}

/// One page of an author's orders, newest first.
#[derive(Clone, Debug)]
pub struct OrderQuery {
    pub author: Address,
    /// Only these; all of the author's when empty.
    pub ids: Vec<OrderId>,
    /// Only orders older than this key.
    pub before: Option<RowKey>,
    pub limit: u32,
}

/// Keeps orders and their stories.
#[async_trait]
pub trait OrderStore: Send + Sync {
    /// Writes the order and its first event together, once per quote and route; both must be stored.
    async fn create_order(&self, order: &Order, event: &OrderEvent) -> Result<Creation, StoreError>;
    async fn order(&self, id: &OrderId) -> Result<Option<Order>, StoreError>;
    async fn orders(&self, query: &OrderQuery) -> Result<Vec<Order>, StoreError>;
    /// Writes `order` and its events together if the stored version is still `order.version`; the stored
    /// version then grows by one and a lease on it ends. `false` when somebody else was faster: nothing is written.
    async fn update_order(&self, order: &Order, events: &[OrderEvent]) -> Result<bool, StoreError>;
    /// Takes up to `limit` orders that are due, oldest due first, and keeps others from taking them until `lease_until`.
    async fn claim_due(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Order>, StoreError>;
    /// The order's whole story, oldest line first.
    async fn story(&self, id: &OrderId) -> Result<Vec<OrderEvent>, StoreError>;
}

/// How many orders of one filler stand where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillCount {
    pub filler: String,
    pub status: OrderStatus,
    pub orders: u64,
}

/// Counts what became of the orders that fillers won.
#[async_trait]
pub trait FillStatistics: Send + Sync {
    /// Every filler and status that has an order, in no order. Reads all orders: not for the hot path.
    async fn fill_counts(&self) -> Result<Vec<FillCount>, StoreError>;
}

/// How many rows a sweep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub quotes: u64,
    pub events: u64,
}

/// Forgets what nobody needs any more.
#[async_trait]
pub trait Retention: Send + Sync {
    /// Removes at most `limit` quotes made before `quotes_before` that no order came from, and at most `limit`
    /// events written before `events_before` of orders that are terminal.
    async fn prune(
        &self,
        quotes_before: Timestamp,
        events_before: Timestamp,
        limit: u32,
    ) -> Result<Pruned, StoreError>;
}

/// Tells whether a part that we depend on answers.
#[async_trait]
pub trait Health: Send + Sync {
    async fn check(&self) -> Result<(), StoreError>;
}

/// Knows what tokens cost.
pub trait PriceFeed: Send + Sync {
    /// The price of one whole token, if it is known and fresh enough.
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice>;
}
