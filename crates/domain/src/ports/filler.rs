use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use crate::{Ask, DepositMethod, ExactOutMethod, Fee, Parties, RawAmount, Token};

/// An ask with both tokens as the catalog knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillerAsk {
    pub ask: Ask,
    pub from: Arc<Token>,
    pub to: Arc<Token>,
}

/// What a filler would do for an ask; it becomes a route when the engine has given it a name.
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
}

/// Why a filler does not serve an ask. Never an error, never retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Below the least it would take, in the asked amount's token.
    TooSmall {
        minimum: RawAmount,
    },
    /// Above the most it would take, in the asked amount's token.
    TooLarge {
        maximum: RawAmount,
    },
    /// It does not hold enough of the output token now.
    NoInventory,
    PairNotServed,
    /// It cannot price one of the tokens now.
    NoPrice,
    /// It offers none of the wanted deposit methods here.
    NoDepositMethod,
    /// In the filler's own words.
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
            Self::Other(words) => f.write_str(words),
        }
    }
}

/// What a filler answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Best first, never empty.
    Offers(Vec<Offer>),
    Refused(Refusal),
}

/// A fault of a filler; refusing is none.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FillerError {
    /// It did not answer, or a part that it needs is away; the same call may work later.
    #[error("does not answer: {0}")]
    Unavailable(String),
    /// It answered what is no answer; trying again does not help.
    #[error("answered nonsense: {0}")]
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
    /// Stable, short, of the characters that route ids have; unique among the fillers of one service.
    fn name(&self) -> &str;
    /// `native-filler`, `rfq`, `oif`, …
    fn kind(&self) -> &str;
    /// Answers with offers or a refusal. Dropping the future gives the ask up.
    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError>;
}
