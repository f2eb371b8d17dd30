use alloy_primitives::B256;
use async_trait::async_trait;

use super::{ChainError, StoreError};
use crate::{Address, ChainId, IntentState, IntentTerms, Order, OrderId};

/// One entry for the hub's intent book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntentEntry {
    pub terms: IntentTerms,
    pub state: IntentState,
    /// The evidence transaction: its hash on EVM, the hash of its signature on Solana; zero where there is none.
    pub evidence: B256,
}

/// Reads the hub's intent book.
#[async_trait]
pub trait IntentBook: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The state of each intent by that writer, in the order of the request.
    async fn states(&self, writer: Address, intents: &[B256]) -> Result<Vec<IntentState>, ChainError>;
}

/// Stores which states the hub's intent book has. Writes are durable when a call returns.
#[async_trait]
pub trait IntentBookProgress: Send + Sync {
    /// Visible orders whose intent state differs from the last recorded one, oldest first.
    async fn unrecorded(&self, limit: u32) -> Result<Vec<Order>, StoreError>;
    /// Marks these states as recorded in the book.
    async fn mark_recorded(&self, recorded: &[(OrderId, IntentState)]) -> Result<(), StoreError>;
}
