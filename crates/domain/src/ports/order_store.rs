use alloy_primitives::B256;
use async_trait::async_trait;
use jiff::Timestamp;

use super::{ActionError, StoreError};
use crate::fiat::Payout;
use crate::{
    Address, ChainId, Order, OrderEvent, OrderId, OrderStatus, QuoteId, RawAmount, RouteId, RowKey, TokenId,
};

/// The result of creating an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Creation {
    Created,
    /// The route already has this order.
    Existing(Box<Order>),
}

/// One page of visible orders, newest first.
#[derive(Clone, Debug)]
pub struct OrderQuery {
    /// Everybody's when absent.
    pub author: Option<Address>,
    /// Only these ids; all of the orders when empty.
    pub ids: Vec<OrderId>,
    pub status: Option<OrderStatus>,
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
    /// The block of the deposit, if its evidence is stored.
    pub deposited_in: Option<u64>,
    /// From then on the deposit may be refunded instead, in seconds since 1970.
    pub refund_at: u64,
}

/// The number of orders of one filler in one status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillCount {
    pub filler: String,
    pub status: OrderStatus,
    pub orders: u64,
}

/// What blocks an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StuckKind {
    /// A chain is unavailable or halted.
    Chain,
    Store,
    /// Too few attesters have signed.
    Attesters,
    /// The simulated transaction fails.
    Refused,
    /// A temporary condition: gas is too expensive, a dependency is unavailable.
    Waits,
    /// A permanent failure; a retry does not help.
    GivenUp,
}

impl StuckKind {
    const ALL: [Self; 6] =
        [Self::Chain, Self::Store, Self::Attesters, Self::Refused, Self::Waits, Self::GivenUp];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Store => "store",
            Self::Attesters => "attesters",
            Self::Refused => "refused",
            Self::Waits => "waits",
            Self::GivenUp => "given-up",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl From<&ActionError> for StuckKind {
    fn from(error: &ActionError) -> Self {
        match error {
            ActionError::Chain(_) => Self::Chain,
            ActionError::Store(_) => Self::Store,
            ActionError::Attesters(_) => Self::Attesters,
            ActionError::WouldFail(_) | ActionError::Unpayable(_) => Self::Refused,
            ActionError::Temporary(_) => Self::Waits,
            ActionError::Permanent(_) => Self::GivenUp,
        }
    }
}

/// Why an order does not progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckReason {
    pub kind: StuckKind,
    /// The attempted action and its error.
    pub message: String,
    /// Since when the reason is the same.
    pub since: Timestamp,
}

/// What belongs to an order besides its ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchTerm {
    /// A transaction of the order: its deposit, as submitted or as seen, its fill, claim or refund.
    Transaction(String),
    /// Its author, recipient, refund address or deposit address.
    Address(Address),
}

/// A search for orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderSearch {
    pub term: SearchTerm,
    /// Only orders that are older than this one.
    pub before: Option<RowKey>,
    pub limit: u32,
}

/// Stores orders and their event histories. Writes are durable when a call returns. Times have millisecond precision.
#[async_trait]
pub trait OrderStore: Send + Sync {
    /// Writes the order and its first event atomically, once per quote and route.
    async fn create_order(&self, order: &Order, event: &OrderEvent) -> Result<Creation, StoreError>;
    async fn order(&self, id: &OrderId) -> Result<Option<Order>, StoreError>;
    /// The versions of the orders that exist, unordered. A version changes with everything about an order but when it is due.
    async fn order_versions(&self, ids: &[OrderId]) -> Result<Vec<(OrderId, u32)>, StoreError>;
    async fn order_of_route(&self, quote: &QuoteId, route: &RouteId) -> Result<Option<Order>, StoreError>;
    async fn order_of_intent(&self, intent: B256) -> Result<Option<Order>, StoreError>;
    /// The order whose deposit was confirmed in this transaction, else the one it was submitted for.
    async fn order_of_deposit(&self, chain: ChainId, tx: &str) -> Result<Option<Order>, StoreError>;
    /// Every order with that deposit address, newest first.
    async fn orders_at(&self, deposit_address: Address) -> Result<Vec<Order>, StoreError>;
    async fn orders(&self, query: &OrderQuery) -> Result<Vec<Order>, StoreError>;
    /// The announced orders that the term belongs to, newest first.
    async fn search_orders(&self, query: &OrderSearch) -> Result<Vec<Order>, StoreError>;
    /// Writes `order` and its events atomically if the stored version is still `order.version`, increments the version and
    /// ends the lease. `false` when another writer was faster; then nothing is written. A submitted transaction that
    /// another order of that chain already has is a conflict.
    async fn update_order(&self, order: &Order, events: &[OrderEvent]) -> Result<bool, StoreError>;
    /// Writes only when the order is due next, if the stored version is still `order.version`, and ends the lease. The version
    /// stays: nothing about the order has changed. `false` when another writer was faster; then nothing is written.
    async fn postpone(&self, order: &Order) -> Result<bool, StoreError>;
    /// Writes the swap of a joined route's second leg and its first event if the order still has this version, and increments the
    /// version, in one transaction. `false` when another writer was faster; then nothing is written.
    async fn create_second_swap(
        &self,
        order: &OrderId,
        version: u32,
        swap: &Order,
        event: &OrderEvent,
    ) -> Result<bool, StoreError>;
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
    /// The number of orders that were not recovered: all except those with the given route id.
    async fn count_orders_except_route(&self, route: &str) -> Result<u64, StoreError>;
    /// Every filler and status with an order, unordered. Reads an index of all orders: not for the hot path.
    async fn fill_counts(&self) -> Result<Vec<FillCount>, StoreError>;
    /// Events of all orders that are newer than the key, oldest first. Concurrent writers may commit keys out of order, so a
    /// reader that must not miss any starts a little before the newest key it has seen.
    async fn events_after(&self, after: RowKey, limit: u32) -> Result<Vec<(RowKey, OrderId)>, StoreError>;
    /// The number of commits of this process.
    fn commits(&self) -> u64;
    /// Waits until the commit count of this process differs from `seen`. Commits of other processes do not count.
    async fn wait_for_commit_after(&self, seen: u64);
    /// Open orders that have not changed since `unmoved_since`, longest first; of those waiting for a deposit only announced
    /// ones.
    async fn unmoved(&self, unmoved_since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError>;
    /// Orders that were filled or refunded since then, newest first.
    async fn ended(&self, since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError>;
    /// Replaces the stuck reason of an order; `None` when it progresses again.
    async fn record_stuck_reason(
        &self,
        order: &OrderId,
        reason: Option<&StuckReason>,
    ) -> Result<(), StoreError>;
    /// Records that a provider's transfer belongs to the order; `false` if another order or a purchase has it. Idempotent.
    async fn take_payout(&self, order: &OrderId, payout: &Payout) -> Result<bool, StoreError>;
    async fn stuck_reason(&self, order: &OrderId) -> Result<Option<StuckReason>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stuck_kinds_round_trip_through_text() {
        for kind in StuckKind::ALL {
            assert_eq!(StuckKind::parse(kind.as_str()), Some(kind));
        }
    }
}
