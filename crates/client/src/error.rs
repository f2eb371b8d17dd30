use std::time::Duration;

use causeway_wire::Order;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::WalletError;

/// An answer as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Details {
    pub status: u16,
    /// What was answered; a string where it was not JSON.
    pub body: Value,
    /// How long the service asks to be left alone.
    pub retry_after: Option<Duration>,
}

impl Details {
    pub(crate) fn new(status: u16, body: &[u8]) -> Self {
        let body = serde_json::from_slice(body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()));
        Self { status, body, retry_after: None }
    }
}

/// A request that the service refused, or could not answer.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{message}")]
pub struct Refusal {
    /// The service's own words.
    pub message: String,
    pub details: Details,
}

/// Everything that can go wrong, by the classes of the specification.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The request is malformed; the body's `details.issues` lists everything at once.
    #[error(transparent)]
    ApiValidation(Refusal),
    /// The request contradicts itself or what is; the body's `details.errorCode` tells which.
    #[error(transparent)]
    BadRequest(Refusal),
    /// No such quote, or no such route in it.
    #[error(transparent)]
    QuoteNotFound(Refusal),
    /// Ask for a new quote.
    #[error(transparent)]
    QuoteExpired(Refusal),
    /// The fillers answered, and none can fill; the body's `details.reasons` tells why.
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
    /// The service's own fault.
    #[error(transparent)]
    InternalServer(Refusal),
    /// Any other refusal, and failures that are none of the service's own, such as a proxy's.
    #[error(transparent)]
    Service(Refusal),
    /// The service could not be reached, or the connection broke.
    #[error("{message}")]
    Transport { message: String },
    #[error("The service did not answer within {} ms.", after.as_millis())]
    ApiTimeout { after: Duration },
    #[error("The request was aborted.")]
    ApiAborted,
    /// The answer is not what the contract says.
    #[error("{message}")]
    InvalidResponse { message: String, details: Option<Details> },
    /// Nobody offers a route, or none that was acceptable.
    #[error("No route of the quote was acceptable.")]
    NoRoute,
    /// The swap ended without being filled; the order tells where the money is.
    #[error("{}", unfilled(.0))]
    OrderFailed(Box<Order>),
    /// The wallet did not do what the deposit needs.
    #[error(transparent)]
    Wallet(#[from] WalletError),
    /// The fiat API refused: the refusal tells the class, and `code` which part of a purchase it was.
    #[error("{refusal}")]
    Fiat { code: &'static str, refusal: Box<Error> },
}

fn unfilled(order: &Order) -> String {
    let reason = order.failure_reason.as_deref().unwrap_or("The service gives no reason.");
    format!("The order was {}: {reason}", order.status)
}

/// What every error body of the service has.
#[derive(Deserialize)]
struct Named {
    name: String,
    message: String,
}

impl Error {
    /// The number of the error's kind, as every SDK tells it.
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
            | Self::Transport { .. } => "SVC3001",
            Self::ApiTimeout { .. } => "SVC3002",
            Self::InvalidResponse { .. } => "SVC3003",
            Self::QuoteNotFound(_) | Self::CannotFill(_) | Self::NoRoute => "SVC3004",
            Self::QuoteExpired(_) => "SVC3005",
            Self::NotSupportedDepositMethod(_) | Self::UnexpectedFromAddress(_) => "SVC3006",
            Self::Broadcast(_) | Self::Wallet(_) => "SVC3007",
            Self::OrderFailed(_) => "SVC3008",
            Self::ApiAborted => "SVC3009",
            Self::Fiat { code, .. } => code,
        }
    }

    /// The name of the error's class, as every SDK tells it.
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
            Self::Fiat { refusal, .. } => refusal.class(),
            Self::Service(_)
            | Self::Transport { .. }
            | Self::InvalidResponse { .. }
            | Self::NoRoute
            | Self::OrderFailed(_)
            | Self::Wallet(_) => "ServiceError",
        }
    }

    /// The raw answer, where there was one.
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
            | Self::Service(refusal) => Some(&refusal.details),
            Self::InvalidResponse { details, .. } => details.as_ref(),
            Self::Fiat { refusal, .. } => refusal.details(),
            Self::Transport { .. }
            | Self::ApiTimeout { .. }
            | Self::ApiAborted
            | Self::NoRoute
            | Self::OrderFailed(_)
            | Self::Wallet(_) => None,
        }
    }

    /// Whether the same request may well succeed a little later.
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Transport { .. } | Self::ApiTimeout { .. } | Self::InternalServer(_) => true,
            Self::Service(Refusal { details, .. }) => matches!(details.status, 408 | 429 | 500..),
            // A provider that does not answer is named like a contradiction, and yet it may pass.
            Self::Fiat { refusal, .. } => match &**refusal {
                Self::BadRequest(Refusal { details, .. }) => details.status >= 500,
                refusal => refusal.is_transient(),
            },
            _ => false,
        }
    }

    /// How long the service asks to be left alone, by its `Retry-After`.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self.details() {
            Some(details) => details.retry_after,
            None => None,
        }
    }

    /// The same refusal, with what the answer's head says.
    pub(crate) fn with_retry_after(mut self, retry_after: Option<Duration>) -> Self {
        match &mut self {
            Self::Service(refusal) | Self::InternalServer(refusal) | Self::BadRequest(refusal) => {
                refusal.details.retry_after = retry_after;
            }
            _ => {}
        }
        self
    }

    /// Reads an answer that is no success; `plain` says that its body is text for people.
    pub(crate) fn refused(status: u16, body: &[u8], plain: bool) -> Self {
        let details = Details::new(status, body);
        let Ok(Named { name, message }) = Named::deserialize(&details.body) else {
            let text = details.body.as_str().map(str::trim).filter(|text| plain && !text.is_empty());
            let message = text.map_or_else(
                || format!("The service answered with status {status} and did not say why."),
                str::to_owned,
            );
            return Self::Service(Refusal { message, details });
        };
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

    /// An answer that is well-formed, and yet not what was asked for.
    pub(crate) fn unlike(message: impl Into<String>) -> Self {
        Self::InvalidResponse { message: message.into(), details: None }
    }
}
