use std::fmt;

use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::fiat::{FiatEvent, FiatOrder, FiatQuote, FiatStatus, Payout};
use crate::{Address, FiatOrderId, FiatQuoteId, Order, OrderEvent, RowKey};

/// The result of creating a purchase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FiatCreation {
    Created,
    /// The quote already has this order.
    Existing(Box<FiatOrder>),
}

/// One page of the purchases by or for an address, newest first.
#[derive(Clone, Debug)]
pub struct FiatOrderQuery {
    pub address: Address,
    pub status: Option<FiatStatus>,
    /// Only orders older than this key.
    pub before: Option<RowKey>,
    pub limit: u32,
}

/// An access token of a provider.
#[derive(Clone, PartialEq, Eq)]
pub struct RampToken {
    pub text: String,
    /// Expiry, in Unix seconds.
    pub ends: i64,
}

impl fmt::Debug for RampToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RampToken(…)")
    }
}

/// Whose personal data is erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Erasure {
    Purchase(FiatOrderId),
    /// Purchases by it, for it, or with it as refund address.
    Address(Address),
    /// Purchases that ended before then.
    EndedBefore(Timestamp),
}

/// What an erasure has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    pub purchases: Vec<FiatOrderId>,
    /// How many purchases are meant, and not over: their data is still needed.
    pub unfinished: u64,
}

/// What a process knows of its lease on a purchase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FiatLease {
    /// It ends then. That tells its holder from all others: a lease begins after the one before it has ended.
    Until(Timestamp),
    /// A write of the process made this version, and ended the lease.
    EndedByWrite { version: u32 },
}

/// Stores purchases. Writes are durable when a call returns. Times have millisecond precision.
#[async_trait]
pub trait FiatStore: Send + Sync {
    /// Writes quotes; writing the same quote again is no error.
    async fn put_fiat_quotes(&self, quotes: &[FiatQuote]) -> Result<(), StoreError>;
    async fn fiat_quote(&self, id: &FiatQuoteId) -> Result<Option<FiatQuote>, StoreError>;
    /// Writes the order and its first event atomically, once per quote.
    async fn create_fiat_order(
        &self,
        order: &FiatOrder,
        event: &FiatEvent,
    ) -> Result<FiatCreation, StoreError>;
    async fn fiat_order(&self, id: &FiatOrderId) -> Result<Option<FiatOrder>, StoreError>;
    async fn fiat_order_of_quote(&self, quote: &FiatQuoteId) -> Result<Option<FiatOrder>, StoreError>;
    async fn fiat_orders(&self, query: &FiatOrderQuery) -> Result<Vec<FiatOrder>, StoreError>;
    /// Writes `order` and its events atomically if the stored version is still `order.version`, increments the version and
    /// ends the lease. A payout that another order has is a conflict. `false` when another writer was faster; then nothing
    /// is written.
    async fn update_fiat_order(&self, order: &FiatOrder, events: &[FiatEvent]) -> Result<bool, StoreError>;
    /// Leases up to `limit` due orders until `lease_until`, longest due first.
    async fn claim_due_fiat(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<FiatOrder>, StoreError>;
    /// Keeps the order until `lease_until` for the process that has this lease. `false` when it has it no more, because another
    /// process took the order over or somebody else wrote it; then nothing is written.
    async fn renew_fiat_lease(
        &self,
        id: &FiatOrderId,
        lease: FiatLease,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError>;
    /// Writes the swap of a purchase and its first event if the purchase still has this version, and increments the version, in
    /// one transaction. `false` when another writer was faster; then nothing is written.
    async fn create_swap(
        &self,
        purchase: &FiatOrderId,
        version: u32,
        swap: &Order,
        event: &OrderEvent,
    ) -> Result<bool, StoreError>;
    /// The order that this payout completed, if any.
    async fn fiat_order_of_payout(&self, payout: &Payout) -> Result<Option<FiatOrderId>, StoreError>;
    /// Stores the raw webhook by provider and event, and makes its order due; `false` when it was stored before.
    async fn store_webhook(
        &self,
        provider: &str,
        event: &str,
        order: &FiatOrderId,
        body: &[u8],
        now: Timestamp,
    ) -> Result<bool, StoreError>;
    /// The order's event history, oldest first.
    async fn fiat_order_events(&self, id: &FiatOrderId) -> Result<Vec<FiatEvent>, StoreError>;
    /// At most `limit` purchases that are not over and have not progressed since then, longest first.
    async fn unmoved_fiat(&self, since: Timestamp, limit: u32) -> Result<Vec<FiatOrder>, StoreError>;
    /// Erases the personal data of at most `limit` purchases that are over, oldest first. Amounts, statuses, times, the
    /// provider's id and transactions stay.
    async fn erase_purchases(
        &self,
        erasure: &Erasure,
        now: Timestamp,
        limit: u32,
    ) -> Result<Erased, StoreError>;
    /// The newest access token of the provider.
    async fn ramp_token(&self, provider: &str) -> Result<Option<RampToken>, StoreError>;
    /// Stores a provider's access token for all replicas, because a new token may invalidate the previous one.
    async fn put_ramp_token(&self, provider: &str, token: &RampToken) -> Result<(), StoreError>;
}
