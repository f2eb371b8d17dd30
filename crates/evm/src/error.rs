use alloy_primitives::Bytes;
use causeway_domain::ChainId;
use causeway_domain::ports::ChainError;
use causeway_jsonrpc_client::PoolError;
use thiserror::Error;

use crate::revert::revert_reason;
use crate::rpc::revert_data;

/// Why a call to a chain failed, with more detail than the port's `ChainError`.
#[derive(Clone, Debug, Error)]
pub enum CallError {
    /// Every endpoint failed; `faults` names each host and its fault.
    #[error("chain {chain} does not answer: {faults}")]
    Unavailable { chain: ChainId, faults: String },
    /// The chain rejected the call; a retry does not help.
    #[error("chain {chain} refused: {message}")]
    Refused { chain: ChainId, code: i64, message: String, data: Option<Bytes> },
    /// A response that does not match the call.
    #[error("chain {chain} returned an invalid response: {message}")]
    InvalidResponse { chain: ChainId, message: String },
    /// Endpoints contradict each other about final data.
    #[error("endpoints of chain {chain} disagree: {message}")]
    Disagreement { chain: ChainId, message: String },
}

impl CallError {
    pub(crate) fn of(chain: ChainId, error: PoolError) -> Self {
        match error {
            PoolError::Refused { code, message, data } => {
                let data = data.as_deref().and_then(revert_data);
                Self::Refused { chain, code, message, data }
            }
            // Another endpoint, or a later answer, may be right.
            PoolError::Unavailable(faults)
            | PoolError::InvalidResponse(faults)
            | PoolError::WrongChain(faults) => Self::Unavailable { chain, faults },
        }
    }

    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::InvalidResponse { .. })
    }

    /// Whether the same query over fewer blocks may succeed.
    pub fn wants_smaller_range(&self) -> bool {
        const PHRASES: [&str; 9] = [
            "block range",
            "range too",
            "query returned more than",
            "too many results",
            "too many logs",
            "larger than",
            "response size",
            "limited to",
            "exceeds the range",
        ];
        let Self::Refused { message, .. } = self else { return false };
        let message = message.to_lowercase();
        PHRASES.iter().any(|phrase| message.contains(phrase))
    }

    /// Whether the chain's rejection contains one of these phrases, ignoring case.
    pub(crate) fn refused_with(&self, phrases: &[&str]) -> bool {
        let Self::Refused { message, .. } = self else { return false };
        let message = message.to_lowercase();
        phrases.iter().any(|phrase| message.contains(phrase))
    }
}

impl From<CallError> for ChainError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Unavailable { chain, .. } => Self::Unavailable(chain),
            CallError::Refused { chain, message, data, .. } => {
                Self::Refused(chain, data.as_ref().and_then(|data| revert_reason(data)).unwrap_or(message))
            }
            CallError::InvalidResponse { chain, message } => Self::Nonsense(chain, message),
            CallError::Disagreement { chain, message } => Self::Disagreement(chain, message),
        }
    }
}
