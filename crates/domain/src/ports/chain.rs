use async_trait::async_trait;
use thiserror::Error;

use crate::{Address, ChainId, RawAmount, TokenId};

/// An error of a chain request.
#[derive(Debug, Error)]
pub enum ChainError {
    /// No endpoint answered in time; the same call may succeed later.
    #[error("chain {0} does not answer")]
    Unavailable(ChainId),
    /// Endpoints disagree about final data; the chain stays halted until an operator intervenes.
    #[error("endpoints of chain {0} disagree: {1}")]
    Disagreement(ChainId, String),
    /// The chain rejected the request with this message; a retry does not help.
    #[error("chain {0} refused: {1}")]
    Refused(ChainId, String),
    /// The answer violates the chain's protocol.
    #[error("chain {0} returned an invalid answer: {1}")]
    Nonsense(ChainId, String),
}

impl ChainError {
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Nonsense(..))
    }
}

/// Reads the balances of an account.
#[async_trait]
pub trait BalanceReader: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The non-zero raw balances of `owner`, in few calls. A token that does not answer (no contract, or it reverts) counts
    /// as zero.
    async fn balances(
        &self,
        owner: Address,
        tokens: &[TokenId],
    ) -> Result<Vec<(TokenId, RawAmount)>, ChainError>;
}

/// A read-only contract call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractCall {
    pub to: Address,
    pub data: Vec<u8>,
}

/// Executes read-only contract calls.
#[async_trait]
pub trait ContractReader: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The result of each call, in order; `None` where it reverts. An address without code returns no bytes.
    async fn read(&self, calls: &[ContractCall]) -> Result<Vec<Option<Vec<u8>>>, ChainError>;
}
