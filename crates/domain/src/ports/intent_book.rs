use alloy_primitives::B256;
use async_trait::async_trait;

use super::{ChainError, StoreError};
use crate::{Address, ChainId, IntentState, Order, OrderId, Terms};

/// One line for the hub's book of intents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntentEntry {
    pub terms: Terms,
    pub state: IntentState,
    /// The transaction that shows it: its hash on EVM, the hash of its signature on Solana; zero where there is none.
    pub evidence: B256,
}

/// Reads the hub's book of intents.
#[async_trait]
pub trait IntentBook: Send + Sync {
    fn chain(&self) -> ChainId;
    /// Where that writer's log says each intent stands, in the order of the question.
    async fn states(&self, writer: Address, intents: &[B256]) -> Result<Vec<IntentState>, ChainError>;
}

/// Remembers what the hub's book of intents was told. What a call has returned survives a power cut.
#[async_trait]
pub trait BookMarks: Send + Sync {
    /// Orders that are shown and whose intents stand elsewhere than the book was last told, oldest first.
    async fn untold(&self, limit: u32) -> Result<Vec<Order>, StoreError>;
    /// The book knows these orders' intents to stand there.
    async fn note_told(&self, told: &[(OrderId, IntentState)]) -> Result<(), StoreError>;
}
