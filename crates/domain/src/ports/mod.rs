//! Ports: small traits that adapters implement. One conformance suite per trait runs against every implementation.

mod attest;
mod chain;
mod costs;
mod deposits;
mod event_log;
mod facts;
mod fiat_store;
mod filler;
mod forwarding;
mod intent_book;
mod losses;
mod onramps;
mod operate;
mod order_executor;
mod outbox;
mod ramp_tokens;
mod recovery;
mod rents;
mod reservations;
mod screen;
mod tx_sender;
mod webhooks;

use std::pin::Pin;

use alloy_primitives::B256;
use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

pub use attest::{
    AttestationRefusal, AttestationSigner, AttestationVerifier, Attestations, ChainContracts, ChainView,
    CollectError, EscrowState, FillRecord, FinalBlock, FinalityTier, ObservedEvent, SigningError,
};
pub use chain::{BalanceReader, ChainError, ContractCall, ContractReader};
pub use costs::{AllTokensSupported, GasFeed, TokenPolicy, VaultRate, VaultRates};
pub use deposits::{
    AddressWatch, BroadcastError, DepositBuilder, DepositCheckError, DepositError, DepositMismatch,
    DepositTxStatus, SendPurpose, WalletAction, WalletTransaction,
};
pub use event_log::EventLog;
pub use facts::{Arrival, ChainCursor, ChainFollower, ChainUpdate, FactStore};
pub use fiat_store::{FiatCreation, FiatOrderQuery, FiatStore};
pub use filler::{Answer, Filler, FillerAsk, FillerError, Offer, Refusal};
pub use forwarding::{ForwardingSigner, WalletCheck};
pub use intent_book::{IntentBook, IntentBookProgress, IntentEntry};
pub use losses::{Loss, Losses};
pub use onramps::{
    OnRamp, PayoutWatch, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport,
    RampSession, RampState, WebhookError,
};
pub use operate::{
    FillerProtocol, FillerRecord, FillerRecords, OrderReview, Pausable, PausableError, Pause, PauseStore,
    StuckKind, StuckReason, UnknownProtocol,
};
pub use order_executor::OrderExecutor;
pub use outbox::{Attempt, Outbox, OutboxPut, Outgoing, OutgoingEnd};
pub use ramp_tokens::{RampToken, RampTokens};
pub use recovery::{ChainHistory, OpenedBy, RecoveryStore};
pub use rents::{Rent, RentReader, RentState, RentStore};
pub use reservations::{Reservation, ReservationKind, ReservationLimit, Reservations, Reserved};
pub use screen::{AuditEvent, AuditLog, Hit, OrderKind, Screen, ScreenError, ScreenRequest};
pub use tx_sender::{ActionError, ChainAction, OnChainStatus, Progress, TxSender};
pub use webhooks::{
    AttemptOutcome, Delivery, DeliveryAttempt, DeliveryCount, DeliveryEnd, EndpointError, EndpointName,
    EndpointSource, WebhookEndpoint, WebhookSecret, WebhookStore, WebhookTransport,
};

use crate::{
    Address, ChainId, Order, OrderEvent, OrderId, OrderStatus, Quote, QuoteId, RawAmount, Route, RouteId,
    RowKey, TokenId, UsdPrice,
};

/// An error of a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database is unreachable, locked or full; the same call may succeed later.
    #[error("the store is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A row cannot be decoded; a retry does not help.
    #[error("the store holds a record that cannot be read: {0}")]
    Corrupt(String),
    /// The call conflicts with stored data.
    #[error("{0}")]
    Conflict(&'static str),
}

impl StoreError {
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

/// A pending write that completes once it is durable.
pub type Durable<'a> = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send + 'a>>;

/// Stores quotes. Writes are durable when a call returns. Times have millisecond precision.
#[async_trait]
pub trait QuoteStore: Send + Sync {
    /// Writes a new quote with its routes; writing the same quote again is no error. The future borrows nothing of the
    /// quote and completes when the write is durable.
    fn put_quote<'a>(&'a self, quote: &Quote) -> Durable<'a>;
    /// Adds a route that arrived later; the same route is written once.
    async fn add_route(&self, quote: &QuoteId, route: &Route) -> Result<(), StoreError>;
    async fn quote(&self, id: &QuoteId) -> Result<Option<Quote>, StoreError>;
}

/// The result of creating an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Creation {
    Created,
    /// The route already has this order.
    Existing(Box<Order>),
}

/// One page of an author's visible orders, newest first.
#[derive(Clone, Debug)]
pub struct OrderQuery {
    pub author: Address,
    /// Only these ids; all of the author's orders when empty.
    pub ids: Vec<OrderId>,
    pub from_chain: Option<ChainId>,
    pub to_chain: Option<ChainId>,
    /// Only orders older than this key.
    pub before: Option<RowKey>,
    pub limit: u32,
}

/// An order whose deposit address may still receive a transfer.
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

/// Stores orders and their event histories.
#[async_trait]
pub trait OrderStore: Send + Sync {
    /// Writes the order and its first event atomically, once per quote and route. Quote and route must be stored before.
    async fn create_order(&self, order: &Order, event: &OrderEvent) -> Result<Creation, StoreError>;
    async fn order(&self, id: &OrderId) -> Result<Option<Order>, StoreError>;
    async fn order_of_route(&self, quote: &QuoteId, route: &RouteId) -> Result<Option<Order>, StoreError>;
    async fn order_of_intent(&self, intent: B256) -> Result<Option<Order>, StoreError>;
    /// The order whose deposit was confirmed in this transaction, else the one it was submitted for.
    async fn order_of_deposit(&self, chain: ChainId, tx: &str) -> Result<Option<Order>, StoreError>;
    /// Every order with that deposit address, newest first.
    async fn orders_at(&self, deposit_address: Address) -> Result<Vec<Order>, StoreError>;
    async fn orders(&self, query: &OrderQuery) -> Result<Vec<Order>, StoreError>;
    /// Writes `order` and its events atomically if the stored version is still `order.version`, increments the version and
    /// ends the lease. `false` when another writer was faster; then nothing is written. A submitted transaction that
    /// another order of that chain already has is a conflict.
    async fn update_order(&self, order: &Order, events: &[OrderEvent]) -> Result<bool, StoreError>;
    /// Leases up to `limit` due orders until `lease_until`, longest due first.
    async fn claim_due(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Order>, StoreError>;
    /// The order's event history, oldest first.
    async fn order_events(&self, id: &OrderId) -> Result<Vec<OrderEvent>, StoreError>;
    /// The orders of a chain with a deposit address, oldest first, after that key: those that still wait for their deposit,
    /// or with `ended` those created since then that no longer wait.
    async fn transfers(
        &self,
        chain: ChainId,
        ended: Option<Timestamp>,
        after: Option<RowKey>,
        limit: u32,
    ) -> Result<Vec<OpenTransfer>, StoreError>;
    /// What fillers are owed for orders that they filled or will fill, one entry per order.
    async fn owed(&self) -> Result<Vec<Owed>, StoreError>;
}

/// The number of orders of one filler in one status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillCount {
    pub filler: String,
    pub status: OrderStatus,
    pub orders: u64,
}

/// Counts the outcomes of orders per filler.
#[async_trait]
pub trait FillStatistics: Send + Sync {
    /// Every filler and status with an order, unordered. Reads all orders: not for the hot path.
    async fn fill_counts(&self) -> Result<Vec<FillCount>, StoreError>;
}

/// How many rows were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub quotes: u64,
    pub events: u64,
}

/// Deletes expired data.
#[async_trait]
pub trait Retention: Send + Sync {
    /// Removes about `limit` quotes made before `quotes_before` that have no order (quotes written in one batch are removed
    /// together, once the newest is old enough), and at most `limit` events written before `events_before` of terminal
    /// orders. An order that was never announced, failed before `quotes_before` and has no work left is removed too, and
    /// its quote counts as one without an order.
    async fn prune(
        &self,
        quotes_before: Timestamp,
        events_before: Timestamp,
        limit: u32,
    ) -> Result<Pruned, StoreError>;
    /// Removes at most `limit` audit events from before then, oldest first; returns how many.
    async fn prune_audit(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;
}

/// A health check of a dependency.
#[async_trait]
pub trait Health: Send + Sync {
    async fn check(&self) -> Result<(), StoreError>;
}

/// Token prices in US dollars.
pub trait PriceFeed: Send + Sync {
    /// The price of one whole token, if it is known and fresh.
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice>;

    /// Why a token has no price now, for people; `None` where it has one or the reason is unknown.
    fn unpriced(&self, token: &TokenId) -> Option<String> {
        let _ = token;
        None
    }
}
