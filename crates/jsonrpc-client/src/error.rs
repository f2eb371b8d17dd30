use serde_json::Value;
use thiserror::Error;

/// Why a pool cannot be created.
#[derive(Debug, Error)]
pub enum SetupError {
    #[error("a chain needs at least one RPC address")]
    NoEndpoints,
    #[error(transparent)]
    Http(#[from] causeway_http_client::SetupError),
}

/// Why a call failed. No message contains an endpoint's key.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PoolError {
    /// Every endpoint failed; the text names each host and its fault.
    #[error("no endpoint answers: {0}")]
    Unavailable(String),
    /// The chain refused the call; a retry does not help.
    #[error("{message} ({code})")]
    Refused { code: i64, message: String, data: Option<Box<Value>> },
    /// Every endpoint answered, and none in the form of the protocol.
    #[error("{0}")]
    InvalidResponse(String),
    /// No endpoint serves the chain.
    #[error("the endpoints serve another chain: {0}")]
    WrongChain(String),
}
