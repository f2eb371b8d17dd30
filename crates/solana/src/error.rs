use causeway_domain::SOLANA_CHAIN_ID;
use causeway_domain::ports::ChainError;
use serde_json::Value;
use thiserror::Error;

/// Why a client cannot be set up.
#[derive(Debug, Error)]
pub enum SetupError {
    #[error("Solana needs at least one RPC address")]
    NoEndpoint,
    #[error("the HTTP client cannot be built: {0}")]
    Http(#[source] reqwest::Error),
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// Why the chain gave no answer that can be used. No message contains an endpoint's key.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RpcError {
    /// Every attempt failed for reasons that may pass.
    #[error("no endpoint answers: {0}")]
    Unavailable(String),
    /// The node understood and said no; others would say the same.
    #[error("{message} ({code})")]
    Refused { code: i64, message: String, data: Option<Box<Value>> },
    /// Answers that are not what the protocol says.
    #[error("{0}")]
    Nonsense(String),
    /// No endpoint serves the chain with the configured genesis hash.
    #[error("the endpoints serve another chain: {0}")]
    WrongChain(String),
}

impl From<RpcError> for ChainError {
    fn from(error: RpcError) -> Self {
        match error {
            RpcError::Unavailable(ref why) => {
                tracing::warn!(%why, "Solana does not answer");
                Self::Unavailable(SOLANA_CHAIN_ID)
            }
            RpcError::Refused { .. } => Self::Refused(SOLANA_CHAIN_ID, error.to_string()),
            RpcError::Nonsense(_) | RpcError::WrongChain(_) => {
                Self::Nonsense(SOLANA_CHAIN_ID, error.to_string())
            }
        }
    }
}
