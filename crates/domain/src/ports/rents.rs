use async_trait::async_trait;

use super::{ChainError, StoreError};
use crate::{Address, ChainId, Order, OrderId, RentedAccount, Terms};

/// An account that is to be closed, with its order as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rent {
    pub order: Order,
    pub account: RentedAccount,
}

/// Remembers which accounts of orders may still hold somebody's rent: an order's are remembered when it is created, until they
/// are forgotten. Moments are the chain's own, in Unix seconds. What a call has returned survives a power cut.
#[async_trait]
pub trait RentStore: Send + Sync {
    /// Takes up to `limit` accounts of the chain that are due at `time`, longest due first, and makes them due again at `again`:
    /// until then nobody else takes them.
    async fn claim_rents(
        &self,
        chain: ChainId,
        time: u64,
        again: u64,
        limit: u32,
    ) -> Result<Vec<Rent>, StoreError>;
    /// Makes an account due at that moment.
    async fn put_off_rent(
        &self,
        order: &OrderId,
        account: RentedAccount,
        until: u64,
    ) -> Result<(), StoreError>;
    /// Nothing is left to do about the account.
    async fn forget_rent(&self, order: &OrderId, account: RentedAccount) -> Result<(), StoreError>;
}

/// What became of a rented account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RentState {
    /// It is not there: it was closed, or never made.
    Gone,
    /// The order is open.
    InUse,
    /// Only time keeps it; who paid for it gets the rent.
    Over { payer: Address },
}

/// Looks whether accounts of orders are still there.
#[async_trait]
pub trait RentReader: Send + Sync {
    fn chain(&self) -> ChainId;
    /// How each account stands, in the order of the question, in a final block that is not before the given one.
    async fn rents(
        &self,
        asked: &[(Terms, RentedAccount)],
        not_before: u64,
    ) -> Result<Vec<RentState>, ChainError>;
}
