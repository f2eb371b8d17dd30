use causeway_domain::ports::{ChainError, StoreError};
use causeway_domain::{ChainId, DepositMethod, OpenRouteError, OrderId};
use jiff::Timestamp;
use thiserror::Error;

/// Why a proof of a deposit was not accepted. All are the client's to fix, except the last five, which are the chain's or internal.
#[derive(Debug, Error)]
pub enum SubmitError {
    #[error("{0}; pass on the quoteId and the routeId as they came")]
    UnknownRoute(#[from] OpenRouteError),
    #[error("this route was never built; build its deposit first")]
    NotBuilt,
    /// The hash is malformed for the order's chain.
    #[error("a transaction of chain {chain} is named by {expected}")]
    MalformedHash { chain: ChainId, expected: &'static str },
    #[error("the route was built as {}: {expected}", .method.as_str())]
    WrongProof { method: DepositMethod, expected: &'static str },
    #[error("another deposit was submitted for this route before; its order is {order}")]
    Conflict { order: OrderId },
    #[error("this transaction was submitted for another order before")]
    Duplicate,
    /// How it differs.
    #[error("this is not the deposit that was built: {0}")]
    NotThis(String),
    /// How a signed transaction differs from the one that was built, which must come back unchanged.
    #[error("this is not the transaction that was built: {0}")]
    Altered(String),
    #[error("the time to deposit ended at {at}; nothing was sent, ask for a new quote")]
    TooLate { order: OrderId, at: Timestamp },
    /// With the chain's reason; nothing was sent, and the same proof may be submitted again.
    #[error("the chain refused the deposit: {0}")]
    Refused(String),
    /// The permit is stored and relayed as soon as possible.
    #[error(
        "the permit was taken, and will be brought to the chain; submit it again to learn the transaction"
    )]
    PermitPending { order: OrderId },
    #[error("deposits cannot be brought to chain {0} now")]
    ChainNotServed(ChainId),
    #[error("the order changes too fast to be written; submit again")]
    Contended { order: OrderId },
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SubmitError {
    /// Whether the same proof may succeed later.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::PermitPending { .. } | Self::Contended { .. } => true,
            Self::Chain(error) => error.is_retryable(),
            Self::Store(error) => error.is_retryable(),
            _ => false,
        }
    }
}
