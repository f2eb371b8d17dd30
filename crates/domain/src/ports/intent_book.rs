use alloy_primitives::B256;
use async_trait::async_trait;

use super::ChainError;
use crate::{Address, ChainId, IntentState, IntentTerms};

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
