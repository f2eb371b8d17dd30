use causeway_domain::ports::{ChainError, StoreError};
use causeway_domain::{
    Address, ChainId, DepositMethod, IdError, OrderId, OrderStatus, QuoteId, QuoteKeyError, RouteId,
};
use jiff::Timestamp;
use thiserror::Error;

use crate::screening::ScreeningError;

/// Why there is no deposit to make. All are for the asker to change, but for the last six, which are ours.
#[derive(Debug, Error)]
pub enum BuildError {
    #[error("quote {0} is not known; ask for a new one")]
    QuoteNotFound(QuoteId),
    #[error("quote {quote} has no route {route}; take one of the routes that it was answered with")]
    RouteNotFound { quote: QuoteId, route: RouteId },
    #[error("the quote was made for {expected}; build with that address as `from`, or ask for a new quote")]
    UnexpectedFrom { expected: Address, given: Address },
    #[error("the route was valid before {at}; ask for a new quote")]
    QuoteExpired { at: Timestamp },
    #[error("the route does not offer {}{}", .asked.as_str(), others(.offered))]
    MethodNotOffered { asked: DepositMethod, offered: Vec<DepositMethod> },
    /// A field of the request that cannot stand, and what is expected there.
    #[error("{field}: {expected}")]
    Field { field: &'static str, expected: String },
    #[error("this route was built before with another {}; ask for a new quote to change that", .differs.join(" and "))]
    AlreadyBuilt { order: OrderId, differs: Vec<&'static str> },
    /// Nothing is left to build: what was built has been paid, or can be paid no more.
    #[error("this route was taken: its order is {status}; ask for a new quote for another swap")]
    AlreadyTaken { order: OrderId, status: OrderStatus },
    #[error(
        "routes of `{filler}` go through contracts of others, and cannot be built here; take another route"
    )]
    OthersContracts { filler: String },
    #[error("the payer has {has} {symbol}, and the deposit takes {needs}")]
    InsufficientBalance { symbol: String, has: String, needs: String },
    #[error("the payer has {has} {symbol} for the network's fees, and the transactions cost up to {needs}")]
    InsufficientGas { symbol: String, has: String, needs: String },
    /// In words that the payer understands.
    #[error("the deposit would fail: {0}")]
    WouldFail(String),
    /// An operator has paused what the route goes through, in words for the payer.
    #[error("{words}")]
    Paused { filler: String, words: String },
    #[error("our contracts do not serve chain {0}")]
    ChainNotServed(ChainId),
    #[error("the order changes too fast to be written; build again")]
    Contended { order: OrderId },
    #[error("the route's times do not fit into an order")]
    Times,
    #[error("the route does not keep what the jump committed to")]
    NotTheJump,
    #[error(transparent)]
    Screening(#[from] ScreeningError),
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Id(#[from] IdError),
    #[error(transparent)]
    Key(#[from] QuoteKeyError),
}

impl BuildError {
    /// Whether the same request may work later without anybody changing it.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Contended { .. } | Self::Paused { .. } => true,
            Self::Screening(error) => matches!(error, ScreeningError::Unavailable(_)),
            Self::Chain(error) => error.is_retryable(),
            Self::Store(error) => error.is_retryable(),
            _ => false,
        }
    }
}

fn others(offered: &[DepositMethod]) -> String {
    let names: Vec<&str> = offered.iter().map(|method| method.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("; it offers {}", names.join(", ")) }
}
