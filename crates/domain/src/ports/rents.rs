use async_trait::async_trait;

use super::{ChainError, StoreError};
use crate::{Address, ChainId, IntentTerms, Order, OrderId, RentedAccount};

/// An account to close, with its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rent {
    pub order: Order,
    pub account: RentedAccount,
}

/// Stores which accounts of orders may still hold rent, from the creation of an order until removal. Times are chain time
/// in Unix seconds. Writes are durable when a call returns.
#[async_trait]
pub trait RentStore: Send + Sync {
    /// Leases up to `limit` accounts of the chain that are due at `time`, longest due first, until `again`.
    async fn claim_rents(
        &self,
        chain: ChainId,
        time: u64,
        again: u64,
        limit: u32,
    ) -> Result<Vec<Rent>, StoreError>;
    /// Makes an account due at that time.
    async fn postpone_rent(
        &self,
        order: &OrderId,
        account: RentedAccount,
        until: u64,
    ) -> Result<(), StoreError>;
    /// Removes an account that needs no more work.
    async fn remove_rent(&self, order: &OrderId, account: RentedAccount) -> Result<(), StoreError>;
}

/// The state of a rented account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RentState {
    /// It was closed or never created.
    Closed,
    /// The order is open.
    InUse,
    /// It can be closed once time allows; `payer` receives the rent.
    Closable { payer: Address },
}

/// Reads the state of rented accounts.
#[async_trait]
pub trait RentReader: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The state of each account, in the order of the request, in a final block not before the given one.
    async fn rents(
        &self,
        asked: &[(IntentTerms, RentedAccount)],
        not_before: u64,
    ) -> Result<Vec<RentState>, ChainError>;
}
