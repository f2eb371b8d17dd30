use causeway_domain::fiat::FiatAmount;
use causeway_domain::ports::{ChainError, RampError, RampRefusal, StoreError, WebhookError};
use causeway_domain::{Address, ChainId, FiatOrderId, FiatQuoteId, IdError, RouteId, TokenId};
use jiff::Timestamp;
use thiserror::Error;

use crate::request_quote::QuoteError;
use crate::screening::ScreeningError;

/// The error's code in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FiatCode {
    Validation,
    QuoteInvalid,
    QuoteExpired,
    OrderNotFound,
    StateConflict,
    UnsupportedAsset,
    NoRoute,
    ProviderDisabled,
    ProviderUnavailable,
    WebhookRejected,
    Screened,
    Internal,
}

impl FiatCode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validation => "VALIDATION_ERROR",
            Self::QuoteInvalid => "QUOTE_INVALID",
            Self::QuoteExpired => "QUOTE_EXPIRED",
            Self::OrderNotFound => "ORDER_NOT_FOUND",
            Self::StateConflict => "STATE_CONFLICT",
            Self::UnsupportedAsset => "UNSUPPORTED_ASSET",
            Self::NoRoute => "NO_ROUTE",
            Self::ProviderDisabled => "PROVIDER_DISABLED",
            Self::ProviderUnavailable => "PROVIDER_UNAVAILABLE",
            Self::WebhookRejected => "WEBHOOK_REJECTED",
            Self::Screened => "SCREENED",
            Self::Internal => "INTERNAL_ERROR",
        }
    }
}

/// Why one provider has no quote or no order, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultCode {
    AmountOutOfRange,
    UnsupportedAsset,
    UnsupportedCurrency,
    UnsupportedPaymentMethod,
    NotInCountry,
    NoRoute,
    ProviderDisabled,
    ProviderUnavailable,
    Internal,
}

impl FaultCode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AmountOutOfRange => "AMOUNT_OUT_OF_RANGE",
            Self::UnsupportedAsset => "UNSUPPORTED_ASSET",
            Self::UnsupportedCurrency => "UNSUPPORTED_CURRENCY",
            Self::UnsupportedPaymentMethod => "UNSUPPORTED_PAYMENT_METHOD",
            Self::NotInCountry => "NOT_IN_COUNTRY",
            Self::NoRoute => "NO_ROUTE",
            Self::ProviderDisabled => "PROVIDER_DISABLED",
            Self::ProviderUnavailable => "PROVIDER_UNAVAILABLE",
            Self::Internal => "INTERNAL_ERROR",
        }
    }

    pub const fn of(error: &RampError) -> Self {
        match error {
            RampError::Refused(RampRefusal::Range { .. }) => Self::AmountOutOfRange,
            RampError::Refused(RampRefusal::Asset) => Self::UnsupportedAsset,
            RampError::Refused(RampRefusal::Currency(_)) => Self::UnsupportedCurrency,
            RampError::Refused(RampRefusal::Method) => Self::UnsupportedPaymentMethod,
            RampError::Refused(RampRefusal::Country) => Self::NotInCountry,
            RampError::Refused(RampRefusal::Other(_)) => Self::NoRoute,
            RampError::Unavailable(_) | RampError::Nonsense(_) => Self::ProviderUnavailable,
        }
    }
}

/// Why one provider has no quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderFault {
    pub provider: String,
    pub code: FaultCode,
    /// The least and the most that it takes, if the amount is outside.
    pub range: Option<(FiatAmount, FiatAmount)>,
    /// For the payer.
    pub message: String,
    pub retryable: bool,
}

/// Why a purchase is not quoted, ordered or found.
#[derive(Debug, Error)]
pub enum FiatError {
    /// An invalid field, and what is expected there.
    #[error("{field}: {expected}")]
    Field { field: &'static str, expected: String },
    #[error("chain {0} is not supported")]
    UnsupportedChain(ChainId),
    #[error("token {0} is not known")]
    UnsupportedToken(TokenId),
    #[error("no provider is called `{0}` here")]
    UnknownProvider(String),
    /// An operator has paused the provider; the reason is for the payer.
    #[error("{0}")]
    ProviderPaused(String),
    /// An operator has paused the token or its chain; the reason is for the payer.
    #[error("{0}")]
    Paused(String),
    #[error("quote {0} is not known; ask for a new one")]
    QuoteNotFound(FiatQuoteId),
    #[error("the quote was valid before {at}; ask for a new one")]
    QuoteExpired { at: Timestamp },
    #[error("this quote was used by another order; ask for a new one")]
    QuoteTaken,
    #[error("quote {quote} has no route {route}; take one of the routes that it was answered with")]
    RouteNotFound { quote: FiatQuoteId, route: RouteId },
    #[error("order {0} is not known")]
    OrderNotFound(FiatOrderId),
    #[error(
        "refundTo: name an address on chain {chain} for money that cannot be swapped; {recipient} may not be able to \
         use it there"
    )]
    RefundTo { chain: ChainId, recipient: Address },
    #[error("{provider}: {error}")]
    Provider { provider: String, error: RampError },
    #[error(transparent)]
    Webhook(#[from] WebhookError),
    #[error("forwarding from chain {0} is not configured")]
    ForwardingUnavailable(ChainId),
    #[error(transparent)]
    Screening(#[from] ScreeningError),
    #[error("no moment of the purchase may lie so far away")]
    Times,
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Id(#[from] IdError),
}

impl FiatError {
    pub const fn code(&self) -> FiatCode {
        match self {
            Self::Field { .. } | Self::RouteNotFound { .. } | Self::RefundTo { .. } => FiatCode::Validation,
            Self::UnsupportedChain(_) | Self::UnsupportedToken(_) => FiatCode::UnsupportedAsset,
            Self::UnknownProvider(_) | Self::ProviderPaused(_) => FiatCode::ProviderDisabled,
            Self::QuoteNotFound(_) => FiatCode::QuoteInvalid,
            Self::QuoteExpired { .. } => FiatCode::QuoteExpired,
            Self::QuoteTaken => FiatCode::StateConflict,
            Self::OrderNotFound(_) => FiatCode::OrderNotFound,
            Self::Provider { error, .. } => ramp_code(error),
            Self::Webhook(_) => FiatCode::WebhookRejected,
            Self::ForwardingUnavailable(_) | Self::Paused(_) => FiatCode::NoRoute,
            Self::Screening(ScreeningError::Refused) => FiatCode::Screened,
            Self::Screening(ScreeningError::Unavailable(_))
            | Self::Times
            | Self::Chain(_)
            | Self::Store(_)
            | Self::Id(_) => FiatCode::Internal,
        }
    }

    /// Whether the same request may succeed later.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::ProviderPaused(_) | Self::Paused(_) => true,
            Self::Provider { error, .. } => error.is_retryable(),
            Self::Screening(error) => matches!(error, ScreeningError::Unavailable(_)),
            Self::Chain(error) => error.is_retryable(),
            Self::Store(error) => error.is_retryable(),
            _ => false,
        }
    }
}

/// Maps errors of swap quotes.
impl From<QuoteError> for FiatError {
    fn from(error: QuoteError) -> Self {
        match error {
            QuoteError::UnsupportedChain(chain) | QuoteError::SourceOnly(chain) => {
                Self::UnsupportedChain(chain)
            }
            QuoteError::UnsupportedToken(token) => Self::UnsupportedToken(token),
            QuoteError::Id(error) => Self::Id(error),
            QuoteError::CannotFill { .. } => Self::Field {
                field: "toToken",
                expected: "expected a token that a filler swaps into".to_owned(),
            },
        }
    }
}

const fn ramp_code(error: &RampError) -> FiatCode {
    match error {
        RampError::Refused(RampRefusal::Asset) => FiatCode::UnsupportedAsset,
        RampError::Refused(RampRefusal::Other(_)) => FiatCode::NoRoute,
        RampError::Refused(_) => FiatCode::Validation,
        RampError::Unavailable(_) | RampError::Nonsense(_) => FiatCode::ProviderUnavailable,
    }
}
