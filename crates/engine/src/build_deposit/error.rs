use causeway_domain::ports::{ChainError, StoreError};
use causeway_domain::{
    Address, ChainId, DepositMethod, IdError, OpenRouteError, OrderId, OrderStatus, QuoteKeyError,
};
use jiff::Timestamp;
use thiserror::Error;

use crate::screening::ScreeningError;

/// Why no deposit was built. All are the client's to fix, except the last six, which are internal.
#[derive(Debug, Error)]
pub enum BuildError {
    #[error("{0}; pass on the quoteId and the routeId as they came, or ask for a new quote")]
    UnknownRoute(#[from] OpenRouteError),
    #[error("the quote was made for {expected}; build with that address as `from`, or ask for a new quote")]
    UnexpectedFrom { expected: Address, given: Address },
    #[error("the route was valid before {at}; ask for a new quote")]
    QuoteExpired { at: Timestamp },
    #[error("the route does not offer {}{}", .asked.as_str(), offered_methods(.offered))]
    MethodNotOffered { asked: DepositMethod, offered: Vec<DepositMethod> },
    /// An invalid field of the request, and what is expected there.
    #[error("{field}: {expected}")]
    Field { field: &'static str, expected: String },
    #[error("this route was built before with another {}; ask for a new quote to change that", .differs.join(" and "))]
    AlreadyBuilt { order: OrderId, differs: Vec<&'static str> },
    /// The deposit was made, or can no longer be made.
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
    /// The reason is for the payer.
    #[error("the deposit would fail: {0}")]
    WouldFail(String),
    /// An operator has paused a part of the route; the reason is for the payer.
    #[error("{reason}")]
    Paused { filler: String, reason: String },
    /// Of the payer, or of the client's network address.
    #[error(
        "{} has {limit} deposits built that were not paid; pay or wait until their deadlines",
        if *.payer { "this payer" } else { "this address" }
    )]
    TooManyUnpaid { payer: bool, limit: usize },
    /// The provider that settles the route does not answer.
    #[error("`{filler}` does not answer now ({reason}); try again, or take another route")]
    ProviderUnavailable { filler: String, reason: String },
    /// What it answered contradicts its own route; nothing was handed out.
    #[error(
        "`{filler}` answered with something else than its route: {fault}; nothing was built, take another route"
    )]
    ProviderFault { filler: String, fault: String },
    /// The provider delivers less than the route promised.
    #[error(
        "the route promised at least {promised}, and its provider now delivers {now}; ask for a new quote"
    )]
    OutputFell { promised: String, now: String },
    #[error("our contracts do not serve chain {0}")]
    ChainNotServed(ChainId),
    #[error("the order changes too fast to be written; build again")]
    Contended { order: OrderId },
    #[error("the route's times do not fit into an order")]
    Times,
    #[error("the route does not keep what the jump committed to")]
    ForwardingMismatch,
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
    /// Whether the same request may succeed later.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Contended { .. }
            | Self::Paused { .. }
            | Self::TooManyUnpaid { .. }
            | Self::ProviderUnavailable { .. } => true,
            Self::Screening(error) => matches!(error, ScreeningError::Unavailable(_)),
            Self::Chain(error) => error.is_retryable(),
            Self::Store(error) => error.is_retryable(),
            _ => false,
        }
    }
}

fn offered_methods(offered: &[DepositMethod]) -> String {
    let names: Vec<&str> = offered.iter().map(|method| method.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("; it offers {}", names.join(", ")) }
}
