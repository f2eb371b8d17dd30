use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use crate::{Ask, DepositMethod, ExactOutMethod, Fee, GasCharge, Parties, ProviderOffer, RawAmount, Token};

/// A quote request with both tokens from the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillerAsk {
    pub ask: Ask,
    pub from: Arc<Token>,
    pub to: Arc<Token>,
}

/// The longest id that a filler may give its offer, in bytes: it is sealed into the route's id.
pub const MAX_FILLER_QUOTE: usize = 128;

/// An offer of a filler; it becomes a route when the engine seals it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub exact_out: Option<ExactOutMethod>,
    pub deposit_methods: Vec<DepositMethod>,
    pub amount_in: RawAmount,
    pub amount_out: RawAmount,
    pub min_amount_out: RawAmount,
    pub expected_duration_seconds: u32,
    pub valid_before: Timestamp,
    pub price_holds_until: Option<Timestamp>,
    pub estimated_gas: Option<RawAmount>,
    pub fees: Vec<Fee>,
    pub parties: Option<Parties>,
    /// The filler's own id of this offer, of at most [`MAX_FILLER_QUOTE`] bytes; its executor finds it in the order.
    pub filler_quote: Option<String>,
    /// What the price contains for the fees of the filler's transactions, if the filler says so.
    pub gas_charge: Option<GasCharge>,
    /// Present where the filler settles through contracts of its own; then it has no [`Parties`].
    pub provider: Option<ProviderOffer>,
}

/// Why a filler refuses a request. It is not an error and is not retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Below the minimum, in the token of the requested amount.
    TooSmall {
        minimum: RawAmount,
    },
    /// Above the maximum, in the token of the requested amount.
    TooLarge {
        maximum: RawAmount,
    },
    /// Not enough of the output token is available.
    NoInventory,
    PairNotServed,
    /// One of the tokens has no price now.
    NoPrice,
    /// None of the requested deposit methods is offered.
    NoDepositMethod,
    /// With the filler's message.
    Other(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall { minimum } => write!(f, "the amount is too small: at least {minimum}"),
            Self::TooLarge { maximum } => write!(f, "the amount is too large: at most {maximum}"),
            Self::NoInventory => f.write_str("not enough of the output token is at hand"),
            Self::PairNotServed => f.write_str("the pair is not served"),
            Self::NoPrice => f.write_str("one of the tokens cannot be priced now"),
            Self::NoDepositMethod => f.write_str("none of the wanted deposit methods is offered"),
            Self::Other(message) => f.write_str(message),
        }
    }
}

/// The answer of a filler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Best first, never empty.
    Offers(Vec<Offer>),
    Refused(Refusal),
}

/// An error of a filler; a refusal is none.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FillerError {
    /// It or a dependency is unavailable; the same call may succeed later.
    #[error("does not answer: {0}")]
    Unavailable(String),
    /// Its answer is invalid; a retry does not help.
    #[error("returned an invalid answer: {0}")]
    Nonsense(String),
}

impl FillerError {
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

/// A source of routes.
#[async_trait]
pub trait Filler: Send + Sync {
    /// Stable and unique within one service; [`is_filler_name`](crate::is_filler_name) says which names are allowed.
    fn name(&self) -> &str;
    /// `native-filler`, `rfq`, `oif`, …
    fn kind(&self) -> &str;
    /// Returns offers or a refusal. Dropping the future cancels the request.
    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError>;
}
