use std::time::Duration;

use causeway_wire::Warning;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::WalletError;
use crate::answers::Order;

/// The raw response of a failed request.
#[derive(Clone, Debug, PartialEq)]
pub struct Details {
    pub status: u16,
    /// The body; a string if it is not JSON.
    pub body: Value,
    /// The `Retry-After` of the response.
    pub retry_after: Option<Duration>,
}

impl Details {
    pub(crate) fn new(status: u16, body: &[u8]) -> Self {
        let body = serde_json::from_slice(body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()));
        Self { status, body, retry_after: None }
    }
}

/// A request that the service rejected or could not handle.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{message}")]
pub struct Refusal {
    /// The message of the service.
    pub message: String,
    pub details: Details,
}

/// All errors of the SDK, by the classes of the specification.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The request is malformed; the body's `details.issues` lists everything at once.
    #[error(transparent)]
    ApiValidation(Refusal),
    /// The request cannot be fulfilled; the body's `details.errorCode` identifies the reason.
    #[error(transparent)]
    BadRequest(Refusal),
    /// No such quote, or no such route in it.
    #[error(transparent)]
    QuoteNotFound(Refusal),
    /// Ask for a new quote.
    #[error(transparent)]
    QuoteExpired(Refusal),
    /// No filler can fill the request; the body's `details.reasons` lists the reasons.
    #[error(transparent)]
    CannotFill(Refusal),
    #[error(transparent)]
    NotSupportedToken(Refusal),
    #[error(transparent)]
    NotSupportedChain(Refusal),
    #[error(transparent)]
    NotSupportedDepositMethod(Refusal),
    /// `from` is not the quote's `fromAddress`.
    #[error(transparent)]
    UnexpectedFromAddress(Refusal),
    #[error(transparent)]
    IntentNotFound(Refusal),
    /// The deposit already belongs to another order.
    #[error(transparent)]
    DuplicateRecord(Refusal),
    /// The chain refused the signed transaction.
    #[error(transparent)]
    Broadcast(Refusal),
    /// An internal error of the service.
    #[error(transparent)]
    InternalServer(Refusal),
    /// Any other error response, including those of proxies.
    #[error(transparent)]
    Service(Refusal),
    /// The service could not be reached, or the connection broke.
    #[error("{message}")]
    Transport { message: String },
    #[error("The service did not answer within {} ms.", after.as_millis())]
    ApiTimeout { after: Duration },
    #[error("The request was aborted.")]
    ApiAborted,
    /// The response violates the API contract.
    #[error("{message}")]
    InvalidResponse { message: String, details: Option<Details> },
    /// The quote has no route, or no acceptable one: `problem` says what is wrong with the best.
    #[error("The quote has no acceptable route{}.", problem.as_deref().map(|problem| format!(": {problem}")).unwrap_or_default())]
    NoRoute { problem: Option<String> },
    /// A route or a deposit has severe warnings, and the caller has not accepted them.
    #[error("{}", warned_message(.0))]
    Warned(Vec<Warning>),
    /// The order ended without a fill; it shows where the funds are.
    #[error("{}", failure_message(.0))]
    OrderFailed(Box<Order>),
    /// The wallet failed to sign or send.
    #[error(transparent)]
    Wallet(#[from] WalletError),
    /// The fiat provider is unavailable; try again later, or another provider.
    #[error(transparent)]
    FiatProvider(Refusal),
    /// No provider sells for this amount; the body's `details.errors` lists the limits.
    #[error(transparent)]
    FiatAmount(Refusal),
    /// The bound of the swap cannot be used; nothing was requested.
    #[error("The bound cannot be used: {0}.")]
    InvalidBound(String),
}

fn warned_message(warnings: &[Warning]) -> String {
    let each = |warning: &Warning| format!("{}: {}", warning.code, warning.message);
    format!("A severe warning was not accepted: {}", warnings.iter().map(each).collect::<Vec<_>>().join(" "))
}

fn failure_message(order: &Order) -> String {
    let reason = order.failure_reason.as_deref().unwrap_or("The service gave no reason.");
    format!("The order was {}: {reason}", order.status)
}

/// The fields of every error body.
#[derive(Deserialize)]
struct ErrorFields {
    name: String,
    message: String,
}

impl Error {
    /// The error code, the same in every SDK.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ApiValidation(_)
            | Self::BadRequest(_)
            | Self::NotSupportedToken(_)
            | Self::NotSupportedChain(_)
            | Self::IntentNotFound(_)
            | Self::DuplicateRecord(_)
            | Self::InternalServer(_)
            | Self::Service(_)
            | Self::Transport { .. }
            | Self::InvalidBound(_) => "SVC3001",
            Self::ApiTimeout { .. } => "SVC3002",
            Self::InvalidResponse { .. } => "SVC3003",
            Self::QuoteNotFound(_) | Self::CannotFill(_) | Self::NoRoute { .. } | Self::Warned(_) => {
                "SVC3004"
            }
            Self::QuoteExpired(_) => "SVC3005",
            Self::NotSupportedDepositMethod(_) | Self::UnexpectedFromAddress(_) => "SVC3006",
            Self::Broadcast(_) | Self::Wallet(_) => "SVC3007",
            Self::OrderFailed(_) => "SVC3008",
            Self::ApiAborted => "SVC3009",
            Self::FiatProvider(_) => "SVC6004",
            Self::FiatAmount(_) => "SVC6005",
        }
    }

    /// The error class, the same in every SDK.
    pub const fn class(&self) -> &'static str {
        match self {
            Self::ApiValidation(_) => "ApiValidationError",
            Self::BadRequest(_) => "BadRequestError",
            Self::QuoteNotFound(_) => "QuoteNotFoundError",
            Self::QuoteExpired(_) => "QuoteExpiredError",
            Self::CannotFill(_) => "CannotFillError",
            Self::NotSupportedToken(_) => "NotSupportedTokenError",
            Self::NotSupportedChain(_) => "NotSupportedChainError",
            Self::NotSupportedDepositMethod(_) => "NotSupportedDepositMethodError",
            Self::UnexpectedFromAddress(_) => "UnexpectedFromAddressError",
            Self::IntentNotFound(_) => "IntentNotFoundError",
            Self::DuplicateRecord(_) => "DuplicateRecordError",
            Self::Broadcast(_) => "BroadcastError",
            Self::InternalServer(_) => "InternalServerError",
            Self::ApiTimeout { .. } => "ApiTimeoutError",
            Self::ApiAborted => "ApiAbortedError",
            Self::FiatProvider(_) => "FiatProviderError",
            Self::FiatAmount(_) => "FiatAmountError",
            Self::Service(_)
            | Self::Transport { .. }
            | Self::InvalidResponse { .. }
            | Self::NoRoute { .. }
            | Self::Warned(_)
            | Self::OrderFailed(_)
            | Self::InvalidBound(_)
            | Self::Wallet(_) => "ServiceError",
        }
    }

    /// The raw response, if there was one.
    pub const fn details(&self) -> Option<&Details> {
        match self {
            Self::ApiValidation(refusal)
            | Self::BadRequest(refusal)
            | Self::QuoteNotFound(refusal)
            | Self::QuoteExpired(refusal)
            | Self::CannotFill(refusal)
            | Self::NotSupportedToken(refusal)
            | Self::NotSupportedChain(refusal)
            | Self::NotSupportedDepositMethod(refusal)
            | Self::UnexpectedFromAddress(refusal)
            | Self::IntentNotFound(refusal)
            | Self::DuplicateRecord(refusal)
            | Self::Broadcast(refusal)
            | Self::InternalServer(refusal)
            | Self::FiatProvider(refusal)
            | Self::FiatAmount(refusal)
            | Self::Service(refusal) => Some(&refusal.details),
            Self::InvalidResponse { details, .. } => details.as_ref(),
            Self::Transport { .. }
            | Self::ApiTimeout { .. }
            | Self::ApiAborted
            | Self::NoRoute { .. }
            | Self::Warned(_)
            | Self::OrderFailed(_)
            | Self::InvalidBound(_)
            | Self::Wallet(_) => None,
        }
    }

    /// Whether the same request may succeed later.
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Transport { .. } | Self::ApiTimeout { .. } | Self::InternalServer(_) => true,
            Self::Service(Refusal { details, .. }) | Self::FiatProvider(Refusal { details, .. }) => {
                // With 409 and a `Retry-After`, the first request with an idempotency key is in progress.
                matches!(details.status, 408 | 429 | 500..)
                    || (details.status == 409 && details.retry_after.is_some())
            }
            _ => false,
        }
    }

    /// The `Retry-After` of the response.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self.details() {
            Some(details) => details.retry_after,
            None => None,
        }
    }

    /// Sets the `Retry-After` of the response.
    pub(crate) fn with_retry_after(mut self, retry_after: Option<Duration>) -> Self {
        match &mut self {
            Self::Service(refusal) | Self::InternalServer(refusal) | Self::FiatProvider(refusal) => {
                refusal.details.retry_after = retry_after;
            }
            _ => {}
        }
        self
    }

    /// Builds the error of an unsuccessful response; `plain` marks a plain text body.
    pub(crate) fn from_response(status: u16, body: &[u8], plain: bool) -> Self {
        let details = Details::new(status, body);
        let Ok(ErrorFields { name, message }) = ErrorFields::deserialize(&details.body) else {
            let text = details.body.as_str().map(str::trim).filter(|text| plain && !text.is_empty());
            let message = text.map_or_else(
                || format!("The service responded with status {status} and no error message."),
                str::to_owned,
            );
            return Self::Service(Refusal { message, details });
        };
        // Two refusals of the fiat API have a class of their own, whatever their name.
        match details.body["details"]["code"].as_str() {
            Some("PROVIDER_UNAVAILABLE") => return Self::FiatProvider(Refusal { message, details }),
            Some("AMOUNT_OUT_OF_RANGE") => return Self::FiatAmount(Refusal { message, details }),
            _ => {}
        }
        let class = match name.as_str() {
            "ValidationException" | "ZodValidationException" => Self::ApiValidation,
            "BadRequestException" => Self::BadRequest,
            "QuoteNotFoundException" => Self::QuoteNotFound,
            "QuoteExpiredException" => Self::QuoteExpired,
            "CannotFillException" => Self::CannotFill,
            "NotSupportedTokenException" => Self::NotSupportedToken,
            "NotSupportedChainException" => Self::NotSupportedChain,
            "NotSupportedDepositMethodException" => Self::NotSupportedDepositMethod,
            "UnexpectedFromAddressException" => Self::UnexpectedFromAddress,
            "IntentNotFoundException" => Self::IntentNotFound,
            "DuplicateRecordException" => Self::DuplicateRecord,
            "BroadcastException" => Self::Broadcast,
            "InternalErrorException" => Self::InternalServer,
            _ => Self::Service,
        };
        class(Refusal { message, details })
    }

    /// A well-formed response with unexpected content.
    pub(crate) fn invalid_response(message: impl Into<String>) -> Self {
        Self::InvalidResponse { message: message.into(), details: None }
    }
}
