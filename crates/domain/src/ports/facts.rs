use alloy_primitives::B256;
use async_trait::async_trait;
use jiff::Timestamp;

use super::{ChainError, FinalityTier, StoreError};
use crate::{Address, ChainId, Fact, OrderId, RawAmount, TokenId};

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

/// Stores on-chain facts. Writes are durable when a call returns.
#[async_trait]
pub trait FactStore: Send + Sync {
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
}
