use async_trait::async_trait;
use thiserror::Error;

use crate::{Address, ChainId, RawAmount, TokenId};

/// What can go wrong when a chain is asked.
#[derive(Debug, Error)]
pub enum ChainError {
    /// No endpoint gave an answer in time; the same call may work later.
    #[error("chain {0} does not answer")]
    Unavailable(ChainId),
    /// Endpoints contradict each other about something final; nothing is believed until a person has looked.
    #[error("endpoints of chain {0} disagree: {1}")]
    Disagreement(ChainId, String),
    /// The chain refused, in its own words; trying again does not help.
    #[error("chain {0} refused: {1}")]
    Refused(ChainId, String),
    /// An answer that is not what the chain's protocol says.
    #[error("chain {0} answered nonsense: {1}")]
    Nonsense(ChainId, String),
}

impl ChainError {
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Nonsense(..))
    }
}

/// Reads what an account holds.
#[async_trait]
pub trait BalanceReader: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The raw balances of `owner` in those of `tokens` that it holds any of, in one or few calls. A token that does not answer
    /// (no contract, a contract that reverts) counts as not held.
    async fn balances(
        &self,
        owner: Address,
        tokens: &[TokenId],
    ) -> Result<Vec<(TokenId, RawAmount)>, ChainError>;
}

/// A question to a contract that changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractCall {
    pub to: Address,
    pub data: Vec<u8>,
}

/// Asks contracts what they say.
#[async_trait]
pub trait ContractReader: Send + Sync {
    fn chain(&self) -> ChainId;
    /// What each contract answers, in the order of the questions; `None` where it refuses. An address without a contract
    /// answers with nothing.
    async fn read(&self, calls: &[ContractCall]) -> Result<Vec<Option<Vec<u8>>>, ChainError>;
}
