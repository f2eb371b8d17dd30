use alloy_primitives::B256;
use async_trait::async_trait;
use jiff::Timestamp;

use super::{ChainError, FinalityTier, StoreError};
use crate::{
    Address, ChainId, Fact, FactPlace, IntentState, Order, OrderId, RawAmount, RentedAccount, TokenId,
};

/// The block up to which a chain was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainCursor {
    pub number: u64,
    pub hash: B256,
    /// The block's timestamp, in Unix seconds.
    pub time: u64,
}

/// An update from a followed chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainUpdate {
    /// Facts in blocks that are not final: a hint, never evidence.
    Unfinalized(Vec<Fact>),
    /// Every block up to the cursor has reached that tier; these facts are new for it.
    Final { tier: FinalityTier, cursor: ChainCursor, facts: Vec<Fact> },
}

/// Reads the blocks of one chain, each once, for events of our contracts.
#[async_trait]
pub trait ChainFollower: Send {
    fn chain(&self) -> ChainId;
    /// Waits for the next update. After a disagreement about a final block every call returns that error; other errors are
    /// temporary. Cancel-safe.
    async fn next(&mut self) -> Result<ChainUpdate, ChainError>;
}

/// A balance change of a deposit address as of a final block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub order: OrderId,
    pub address: Address,
    pub token: TokenId,
    /// The new balance.
    pub balance: RawAmount,
    /// The increase since the last read; zero when the balance fell.
    pub gained: RawAmount,
    pub block: u64,
    /// The funding transaction, if found.
    pub tx: Option<String>,
}

/// An account to close, with its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rent {
    pub order: Order,
    pub account: RentedAccount,
}

/// Stores what the chains have shown, and what is still to be written to them: contract events, balances of deposit
/// addresses, the progress of the intent book, and accounts that may hold rent. Writes are durable when a call returns.
#[async_trait]
pub trait ChainStore: Send + Sync {
    /// Writes facts that reached `tier` with the cursor atomically, and makes their orders due. Facts stored before are
    /// raised to the higher tier; a cursor never moves back.
    async fn record_facts(
        &self,
        chain: ChainId,
        tier: FinalityTier,
        cursor: ChainCursor,
        facts: &[Fact],
        now: Timestamp,
    ) -> Result<(), StoreError>;
    /// The facts of an intent, in chain order, with the tier that each has reached.
    async fn facts(&self, intent_id: B256) -> Result<Vec<(Fact, FinalityTier)>, StoreError>;
    /// The newest cursor for that tier or a higher one.
    async fn cursor(&self, chain: ChainId, tier: FinalityTier) -> Result<Option<ChainCursor>, StoreError>;
    /// Writes a balance change and makes its order due; the same change is written once.
    async fn record_arrival(&self, arrival: &Arrival, now: Timestamp) -> Result<(), StoreError>;
    /// Every balance change of a deposit address, oldest first.
    async fn arrivals(&self, address: Address) -> Result<Vec<Arrival>, StoreError>;
    /// Opening facts in order of time, after that location.
    async fn openings(&self, after: Option<&FactPlace>, limit: u32) -> Result<Vec<Fact>, StoreError>;
    /// Visible orders whose intent state differs from the last recorded one, oldest first.
    async fn unrecorded(&self, limit: u32) -> Result<Vec<Order>, StoreError>;
    /// Marks these states as recorded in the book.
    async fn mark_recorded(&self, recorded: &[(OrderId, IntentState)]) -> Result<(), StoreError>;
    /// Leases up to `limit` accounts of the chain that are due at `time`, longest due first, until `again`.
    /// Times of rents are chain time in Unix seconds.
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
