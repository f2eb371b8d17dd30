use causeway_domain::SOLANA_CHAIN_ID;
use causeway_domain::ports::ChainError;
use causeway_jsonrpc_client::PoolError;
use serde_json::Value;
use thiserror::Error;

/// Why a call failed. No message contains an endpoint's key.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RpcError {
    /// Every attempt failed with a transient fault.
    #[error("no endpoint answers: {0}")]
    Unavailable(String),
    /// The node refused the request; other nodes would refuse it too.
    #[error("{message} ({code})")]
    Refused { code: i64, message: String, data: Option<Box<Value>> },
    /// The responses violate the protocol.
    #[error("{0}")]
    InvalidResponse(String),
    /// No endpoint serves the chain with the configured genesis hash.
    #[error("the endpoints serve another chain: {0}")]
    WrongChain(String),
}

impl From<PoolError> for RpcError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Unavailable(why) => Self::Unavailable(why),
            PoolError::Refused { code, message, data } => Self::Refused { code, message, data },
            PoolError::InvalidResponse(why) => Self::InvalidResponse(why),
            PoolError::WrongChain(why) => Self::WrongChain(why),
        }
    }
}

impl From<RpcError> for ChainError {
    fn from(error: RpcError) -> Self {
        match error {
            RpcError::Unavailable(ref why) => {
                tracing::warn!(%why, "Solana unavailable");
                Self::Unavailable(SOLANA_CHAIN_ID)
            }
            RpcError::Refused { .. } => Self::Refused(SOLANA_CHAIN_ID, error.to_string()),
            RpcError::InvalidResponse(_) | RpcError::WrongChain(_) => {
                Self::Nonsense(SOLANA_CHAIN_ID, error.to_string())
            }
        }
    }
}
