//! What the outside provides, as small traits; one conformance suite per trait runs against every implementation.

mod attest;
mod carry;
mod chain;
mod costs;
mod deposits;
mod event_log;
mod facts;
mod fiat_store;
mod filler;
mod hand;
mod intent_book;
mod jumps;
mod losses;
mod onramps;
mod operate;
mod outbox;
mod ramp_tokens;
mod recovery;
mod rents;
mod reservations;
mod screen;
mod webhooks;

use std::pin::Pin;

use alloy_primitives::B256;
use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

pub use attest::{
    AttestationSigner, AttestationVerifier, Attestations, Care, ChainContracts, ChainView, CollectError,
    EscrowState, FillRecord, FinalBlock, NoAttestation, Sighting, SigningError,
};
pub use carry::{Carrier, Deed, DeedError, Progress, Truth};
pub use chain::{BalanceReader, ChainError, ContractCall, ContractReader};
pub use costs::{GasFeed, NoOddities, TokenOddities, VaultRate, VaultRates};
pub use deposits::{
    AddressWatch, BroadcastError, CheckError, DepositDesk, DepositError, NotThisDeposit, SendPurpose,
    Visible, WalletAction, WalletTransaction,
};
pub use event_log::EventLog;
pub use facts::{Arrival, BlockMark, FactStore, Follow, News};
pub use fiat_store::{FiatCreation, FiatOrderQuery, FiatStore};
pub use filler::{Answer, Filler, FillerAsk, FillerError, Offer, Refusal};
pub use hand::Hand;
pub use intent_book::{BookMarks, IntentBook, IntentEntry};
pub use jumps::{JumpDesk, WalletCheck};
pub use losses::{Loss, Losses};
pub use onramps::{
    OnRamp, PayoutWatch, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport,
    RampSession, RampState, WebhookError,
};
pub use operate::{
    FillerProtocol, FillerRecord, FillerRecords, OrderReview, Pausable, PausableError, Pause, PauseStore,
    Trouble, TroubleKind, UnknownProtocol,
};
pub use outbox::{Attempt, Outbox, OutboxPut, Outgoing, OutgoingEnd};
pub use ramp_tokens::{RampToken, RampTokens};
pub use recovery::{ChainRecord, OpenedBy, RecoveryStore};
pub use rents::{Rent, RentReader, RentState, RentStore};
pub use reservations::{Reservation, ReservationKind, ReservationLimit, Reservations, Reserved};
pub use screen::{AuditEvent, AuditLog, Deal, Hit, Screen, ScreenAsk, ScreenError};
pub use webhooks::{
    AttemptOutcome, Delivery, DeliveryAttempt, DeliveryCount, DeliveryEnd, EndpointError, EndpointName,
    EndpointSource, Post, WebhookEndpoint, WebhookSecret, WebhookStore,
};

use crate::{
    Address, ChainId, Order, OrderEvent, OrderId, OrderStatus, Quote, QuoteId, RawAmount, Route, RouteId,
    RowKey, TokenId, UsdPrice,
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

/// A write on its way; done when it would survive a power cut.
pub type Durable<'a> = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send + 'a>>;

/// Keeps quotes. What a call has returned survives a power cut. Times are kept to the millisecond.
#[async_trait]
pub trait QuoteStore: Send + Sync {
    /// Writes a new quote with the routes it already has; the same quote again is no error. The quote is needed no more once
    /// this has returned: what is waited for is that it is durable.
    fn put_quote<'a>(&'a self, quote: &Quote) -> Durable<'a>;
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

/// One page of an author's orders that are shown, newest first.
#[derive(Clone, Debug)]
pub struct OrderQuery {
    pub author: Address,
    /// Only these; all of the author's when empty.
    pub ids: Vec<OrderId>,
    pub from_chain: Option<ChainId>,
    pub to_chain: Option<ChainId>,
    /// Only orders older than this key.
    pub before: Option<RowKey>,
    pub limit: u32,
}

/// An order that waits for a plain transfer, or may still be sent one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenTransfer {
    pub order: OrderId,
    pub key: RowKey,
    pub address: Address,
    pub token: TokenId,
}

/// What a filler is owed by the escrow of one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owed {
    pub filler: String,
    pub token: TokenId,
    pub amount: RawAmount,
}

/// Keeps orders and their stories.
#[async_trait]
pub trait OrderStore: Send + Sync {
    /// Writes the order and its first event together, once per quote and route; both must be stored.
    async fn create_order(&self, order: &Order, event: &OrderEvent) -> Result<Creation, StoreError>;
    async fn order(&self, id: &OrderId) -> Result<Option<Order>, StoreError>;
    async fn order_of_route(&self, quote: &QuoteId, route: &RouteId) -> Result<Option<Order>, StoreError>;
    async fn order_of_intent(&self, intent: B256) -> Result<Option<Order>, StoreError>;
    /// The order whose deposit the chain showed in this transaction, else the one that it was told for.
    async fn order_of_deposit(&self, chain: ChainId, tx: &str) -> Result<Option<Order>, StoreError>;
    /// Every order with that deposit address, newest first.
    async fn orders_at(&self, deposit_address: Address) -> Result<Vec<Order>, StoreError>;
    async fn orders(&self, query: &OrderQuery) -> Result<Vec<Order>, StoreError>;
    /// Writes `order` and its events together if the stored version is still `order.version`; the stored
    /// version then grows by one and a lease on it ends. `false` when somebody else was faster: nothing is written.
    /// A told transaction that another order of that chain was told before is a conflict.
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
    /// The orders of a chain that have a deposit address, oldest first, after that key: those that still wait for their
    /// deposit, or with `ended` those that were created since and do not.
    async fn transfers(
        &self,
        chain: ChainId,
        ended: Option<Timestamp>,
        after: Option<RowKey>,
        limit: u32,
    ) -> Result<Vec<OpenTransfer>, StoreError>;
    /// What fillers have delivered, or are to deliver, and were not paid for yet: one line per order.
    async fn owed(&self) -> Result<Vec<Owed>, StoreError>;
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
    /// Removes quotes made before `quotes_before` that no order came from, until there are `limit` (those that were written
    /// together go together, when the youngest is old), and at most `limit` events written before `events_before` of orders
    /// that are terminal. An order that was never announced, failed before `quotes_before` and needs nothing more goes too,
    /// and its quote counts as one that no order came from.
    async fn prune(
        &self,
        quotes_before: Timestamp,
        events_before: Timestamp,
        limit: u32,
    ) -> Result<Pruned, StoreError>;
    /// Removes at most `limit` lines of the audit log from before then, the oldest first, and tells how many.
    async fn prune_audit(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;
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

    /// Why a token has no price now, for people; `None` where there is one, or nothing to say.
    fn unpriced(&self, token: &TokenId) -> Option<String> {
        let _ = token;
        None
    }
}
