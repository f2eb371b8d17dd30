use serde::{Deserialize, Serialize};

/// The error names of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum ErrorName {
    #[serde(rename = "ValidationException")]
    Validation,
    #[serde(rename = "BadRequestException")]
    BadRequest,
    #[serde(rename = "UnexpectedFromAddressException")]
    UnexpectedFromAddress,
    #[serde(rename = "UnauthorizedException")]
    Unauthorized,
    #[serde(rename = "ScreeningException")]
    Screening,
    #[serde(rename = "QuoteNotFoundException")]
    QuoteNotFound,
    #[serde(rename = "IntentNotFoundException")]
    IntentNotFound,
    #[serde(rename = "OrderNotFoundException")]
    OrderNotFound,
    #[serde(rename = "NotFoundException")]
    NotFound,
    #[serde(rename = "MethodNotAllowedException")]
    MethodNotAllowed,
    #[serde(rename = "DuplicateRecordException")]
    DuplicateRecord,
    #[serde(rename = "RequestInProgressException")]
    RequestInProgress,
    #[serde(rename = "QuoteExpiredException")]
    QuoteExpired,
    #[serde(rename = "PayloadTooLargeException")]
    PayloadTooLarge,
    #[serde(rename = "NotSupportedTokenException")]
    NotSupportedToken,
    #[serde(rename = "NotSupportedChainException")]
    NotSupportedChain,
    #[serde(rename = "NotSupportedDepositMethodException")]
    NotSupportedDepositMethod,
    #[serde(rename = "IdempotencyKeyReusedException")]
    IdempotencyKeyReused,
    #[serde(rename = "CannotFillException")]
    CannotFill,
    #[serde(rename = "RateLimitedException")]
    RateLimited,
    #[serde(rename = "InternalErrorException")]
    InternalError,
    #[serde(rename = "BroadcastException")]
    Broadcast,
    #[serde(rename = "ServiceUnavailableException")]
    ServiceUnavailable,
}

impl ErrorName {
    /// Every name, in the order of the contract's table.
    pub const ALL: [Self; 23] = [
        Self::Validation,
        Self::BadRequest,
        Self::UnexpectedFromAddress,
        Self::Unauthorized,
        Self::Screening,
        Self::QuoteNotFound,
        Self::IntentNotFound,
        Self::OrderNotFound,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::DuplicateRecord,
        Self::RequestInProgress,
        Self::QuoteExpired,
        Self::PayloadTooLarge,
        Self::NotSupportedToken,
        Self::NotSupportedChain,
        Self::NotSupportedDepositMethod,
        Self::IdempotencyKeyReused,
        Self::CannotFill,
        Self::RateLimited,
        Self::InternalError,
        Self::Broadcast,
        Self::ServiceUnavailable,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validation => "ValidationException",
            Self::BadRequest => "BadRequestException",
            Self::UnexpectedFromAddress => "UnexpectedFromAddressException",
            Self::Unauthorized => "UnauthorizedException",
            Self::Screening => "ScreeningException",
            Self::QuoteNotFound => "QuoteNotFoundException",
            Self::IntentNotFound => "IntentNotFoundException",
            Self::OrderNotFound => "OrderNotFoundException",
            Self::NotFound => "NotFoundException",
            Self::MethodNotAllowed => "MethodNotAllowedException",
            Self::DuplicateRecord => "DuplicateRecordException",
            Self::RequestInProgress => "RequestInProgressException",
            Self::QuoteExpired => "QuoteExpiredException",
            Self::PayloadTooLarge => "PayloadTooLargeException",
            Self::NotSupportedToken => "NotSupportedTokenException",
            Self::NotSupportedChain => "NotSupportedChainException",
            Self::NotSupportedDepositMethod => "NotSupportedDepositMethodException",
            Self::IdempotencyKeyReused => "IdempotencyKeyReusedException",
            Self::CannotFill => "CannotFillException",
            Self::RateLimited => "RateLimitedException",
            Self::InternalError => "InternalErrorException",
            Self::Broadcast => "BroadcastException",
            Self::ServiceUnavailable => "ServiceUnavailableException",
        }
    }

    /// A one-sentence description.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Validation => {
                "The body, query or path is malformed; `details.issues` lists everything at once."
            }
            Self::BadRequest => {
                "Well-formed but contradictory; `details.errorCode` identifies the contradiction."
            }
            Self::UnexpectedFromAddress => "`from` is not the address that the quote was made for.",
            Self::Unauthorized => "API keys are configured and none that is valid was sent.",
            Self::Screening => "Screening rejected an address or amount.",
            Self::QuoteNotFound => "No such quote, or no such route in it.",
            Self::IntentNotFound => "No such intent.",
            Self::OrderNotFound => "No such order.",
            Self::NotFound => "No such path, or no icon for that chain.",
            Self::MethodNotAllowed => "The path does not support this method; `Allow` lists those it does.",
            Self::DuplicateRecord => "The deposit transaction already belongs to another order.",
            Self::RequestInProgress => "A request with the same `Idempotency-Key` has no answer yet.",
            Self::QuoteExpired => "The quote is past `validBefore`; ask for a new one.",
            Self::PayloadTooLarge => "The request body is over the limit.",
            Self::NotSupportedToken => "The token is not known on that chain.",
            Self::NotSupportedChain => "The chain is unknown or disabled.",
            Self::NotSupportedDepositMethod => "The route does not offer the deposit method.",
            Self::IdempotencyKeyReused => "The `Idempotency-Key` belongs to another request.",
            Self::CannotFill => "The fillers answered and none can fill; `details.reasons` lists why.",
            Self::RateLimited => "Too many requests; `Retry-After` says when to retry.",
            Self::InternalError => "An internal error; `details.requestId` identifies the request.",
            Self::Broadcast => "The chain rejected the signed transaction; `details.reason` has its message.",
            Self::ServiceUnavailable => "Too much to do at the moment; `Retry-After` says when to retry.",
        }
    }

    /// The HTTP status of the error.
    pub const fn status(self) -> u16 {
        match self {
            Self::Validation | Self::BadRequest | Self::UnexpectedFromAddress => 400,
            Self::Unauthorized => 401,
            Self::Screening => 403,
            Self::QuoteNotFound | Self::IntentNotFound | Self::OrderNotFound | Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::DuplicateRecord | Self::RequestInProgress => 409,
            Self::QuoteExpired => 410,
            Self::PayloadTooLarge => 413,
            Self::NotSupportedToken
            | Self::NotSupportedChain
            | Self::NotSupportedDepositMethod
            | Self::IdempotencyKeyReused
            | Self::CannotFill => 422,
            Self::RateLimited => 429,
            Self::InternalError => 500,
            Self::Broadcast => 502,
            Self::ServiceUnavailable => 503,
        }
    }
}

/// The body of every error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorBody {
    /// The name of the error, by which clients choose a class.
    #[cfg_attr(feature = "openapi", schema(value_type = ErrorName))]
    pub name: String,
    /// What to change, as text for users.
    pub message: String,
    /// More about the error, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub details: Option<serde_json::Value>,
}

impl ErrorBody {
    pub fn new(name: ErrorName, message: impl Into<String>) -> Self {
        Self { name: name.as_str().to_owned(), message: message.into(), details: None }
    }
}

/// One problem of a request; a `ValidationException` lists all of them in `details.issues`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Issue {
    /// Which parameter or field.
    pub path: String,
    /// What is wrong, and what is expected.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_the_same_in_code_and_json() {
        for name in ErrorName::ALL {
            assert_eq!(serde_json::to_value(name).unwrap(), name.as_str());
        }
    }

    #[test]
    fn statuses_are_those_of_the_contract() {
        let table = [
            ("ValidationException", 400),
            ("BadRequestException", 400),
            ("UnexpectedFromAddressException", 400),
            ("UnauthorizedException", 401),
            ("ScreeningException", 403),
            ("QuoteNotFoundException", 404),
            ("IntentNotFoundException", 404),
            ("OrderNotFoundException", 404),
            ("NotFoundException", 404),
            ("DuplicateRecordException", 409),
            ("QuoteExpiredException", 410),
            ("PayloadTooLargeException", 413),
            ("NotSupportedTokenException", 422),
            ("NotSupportedChainException", 422),
            ("NotSupportedDepositMethodException", 422),
            ("CannotFillException", 422),
            ("RateLimitedException", 429),
            ("InternalErrorException", 500),
            ("BroadcastException", 502),
            ("ServiceUnavailableException", 503),
        ];
        for (text, status) in table {
            let name: ErrorName = serde_json::from_value(text.into()).unwrap();
            assert_eq!(name.status(), status, "{text}");
        }
    }
}
