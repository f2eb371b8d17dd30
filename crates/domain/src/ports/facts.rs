use alloy_primitives::B256;
use async_trait::async_trait;
use jiff::Timestamp;

use super::{Care, ChainError, StoreError};
use crate::{Address, ChainId, Fact, OrderId, RawAmount, TokenId};

/// A block by which a chain's progress is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockMark {
    pub number: u64,
    pub hash: B256,
    /// The block's own time, in Unix seconds.
    pub time: u64,
}

/// What a followed chain has to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// These are in a block that may still go: a reason to prepare, never to believe.
    Seen(Vec<Fact>),
    /// Every block up to the mark stands for that care, and these are the facts in it that had not stood so before.
    Stands { care: Care, mark: BlockMark, facts: Vec<Fact> },
}

/// Reads one chain's blocks, each once, for what our contracts tell.
#[async_trait]
pub trait Follow: Send {
    fn chain(&self) -> ChainId;
    /// Waits for the next news. After a disagreement about a block that stood, that error for good; other errors may pass.
    /// Dropping the future loses nothing.
    async fn next(&mut self) -> Result<News, ChainError>;
}

/// What changed at a deposit address, as of a block that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub order: OrderId,
    pub address: Address,
    pub token: TokenId,
    /// What lay there.
    pub balance: RawAmount,
    /// How much more that is than at the last look; zero when it is less.
    pub gained: RawAmount,
    pub block: u64,
    /// The transaction that brought it, where it could be found.
    pub tx: Option<String>,
}

/// Keeps what the chains have shown. What a call has returned survives a power cut.
#[async_trait]
pub trait FactStore: Send + Sync {
    /// Writes facts that stand for `care` together with the mark up to which the chain was read, and makes the orders that
    /// they are about due. Facts written before stand for the higher care; a mark never goes back.
    async fn record_facts(
        &self,
        chain: ChainId,
        care: Care,
        mark: BlockMark,
        facts: &[Fact],
        now: Timestamp,
    ) -> Result<(), StoreError>;
    /// What is known of an intent, in the order in which the chains told it, with the care for which each stands.
    async fn facts(&self, intent: B256) -> Result<Vec<(Fact, Care)>, StoreError>;
    /// The newest mark for that care; what stands for more stands for less too.
    async fn mark(&self, chain: ChainId, care: Care) -> Result<Option<BlockMark>, StoreError>;
    /// Writes what changed at a deposit address and makes its order due; the same again is written once.
    async fn record_arrival(&self, arrival: &Arrival, now: Timestamp) -> Result<(), StoreError>;
    /// Every change at a deposit address, oldest first.
    async fn arrivals(&self, address: Address) -> Result<Vec<Arrival>, StoreError>;
}
