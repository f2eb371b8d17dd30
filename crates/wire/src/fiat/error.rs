use serde::{Deserialize, Serialize};

use crate::ErrorName;

/// The error codes of the fiat API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FiatErrorCode {
    ValidationError,
    QuoteInvalid,
    OrderNotFound,
    OriginNotAllowed,
    StateConflict,
    RateLimited,
    Screened,
    InternalError,
    QuoteExpired,
    UnsupportedAsset,
    NoRoute,
    ProviderDisabled,
    ProviderUnavailable,
    WebhookRejected,
    PayloadTooLarge,
    RequestInProgress,
    IdempotencyKeyReused,
}

impl FiatErrorCode {
    /// Every code, in the order of the contract's table.
    pub const ALL: [Self; 17] = [
        Self::ValidationError,
        Self::QuoteInvalid,
        Self::OrderNotFound,
        Self::OriginNotAllowed,
        Self::StateConflict,
        Self::RateLimited,
        Self::Screened,
        Self::InternalError,
        Self::QuoteExpired,
        Self::UnsupportedAsset,
        Self::NoRoute,
        Self::ProviderDisabled,
        Self::ProviderUnavailable,
        Self::WebhookRejected,
        Self::PayloadTooLarge,
        Self::RequestInProgress,
        Self::IdempotencyKeyReused,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ValidationError => "VALIDATION_ERROR",
            Self::QuoteInvalid => "QUOTE_INVALID",
            Self::OrderNotFound => "ORDER_NOT_FOUND",
            Self::OriginNotAllowed => "ORIGIN_NOT_ALLOWED",
            Self::StateConflict => "STATE_CONFLICT",
            Self::RateLimited => "RATE_LIMITED",
            Self::Screened => "SCREENED",
            Self::InternalError => "INTERNAL_ERROR",
            Self::QuoteExpired => "QUOTE_EXPIRED",
            Self::UnsupportedAsset => "UNSUPPORTED_ASSET",
            Self::NoRoute => "NO_ROUTE",
            Self::ProviderDisabled => "PROVIDER_DISABLED",
            Self::ProviderUnavailable => "PROVIDER_UNAVAILABLE",
            Self::WebhookRejected => "WEBHOOK_REJECTED",
            Self::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
            Self::RequestInProgress => "REQUEST_IN_PROGRESS",
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
        }
    }

    /// The error name in the older envelope.
    pub const fn name(self) -> ErrorName {
        match self {
            Self::ValidationError => ErrorName::Validation,
            Self::QuoteInvalid => ErrorName::QuoteNotFound,
            Self::OrderNotFound => ErrorName::OrderNotFound,
            Self::StateConflict => ErrorName::DuplicateRecord,
            Self::RateLimited => ErrorName::RateLimited,
            Self::Screened => ErrorName::Screening,
            Self::InternalError => ErrorName::InternalError,
            Self::QuoteExpired => ErrorName::QuoteExpired,
            Self::UnsupportedAsset => ErrorName::NotSupportedToken,
            Self::NoRoute => ErrorName::CannotFill,
            Self::PayloadTooLarge => ErrorName::PayloadTooLarge,
            Self::RequestInProgress => ErrorName::RequestInProgress,
            Self::IdempotencyKeyReused => ErrorName::IdempotencyKeyReused,
            Self::OriginNotAllowed
            | Self::ProviderDisabled
            | Self::ProviderUnavailable
            | Self::WebhookRejected => ErrorName::BadRequest,
        }
    }

    /// The HTTP status of the error.
    pub const fn status(self) -> u16 {
        match self {
            Self::ValidationError | Self::WebhookRejected => 400,
            Self::OriginNotAllowed | Self::Screened => 403,
            Self::QuoteInvalid | Self::OrderNotFound => 404,
            Self::StateConflict | Self::RequestInProgress => 409,
            Self::QuoteExpired => 410,
            Self::PayloadTooLarge => 413,
            Self::UnsupportedAsset | Self::NoRoute | Self::ProviderDisabled | Self::IdempotencyKeyReused => {
                422
            }
            Self::RateLimited => 429,
            Self::InternalError => 500,
            Self::ProviderUnavailable => 502,
        }
    }

    /// Whether the same request may succeed later.
    pub const fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::RateLimited | Self::InternalError | Self::ProviderUnavailable | Self::RequestInProgress
        )
    }

    /// A one-sentence description.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::ValidationError => {
                "The body, query or path is malformed; `details.issues` lists everything at once."
            }
            Self::QuoteInvalid => "No such quote of this service, or no such route in it.",
            Self::OrderNotFound => "No such order.",
            Self::OriginNotAllowed => "The origin of the checkout page is not configured.",
            Self::StateConflict => "The quote already has an order with other parameters.",
            Self::RateLimited => "Too many requests; `Retry-After` says when to retry.",
            Self::Screened => "Screening rejected an address.",
            Self::InternalError => "An internal error; `details.requestId` identifies the request.",
            Self::QuoteExpired => "The quote is past `expiresAt`; ask for a new one.",
            Self::UnsupportedAsset => "The token or its chain is not supported.",
            Self::NoRoute => "No provider sells it and no route leads to it; `details.errors` lists why.",
            Self::ProviderDisabled => "There is no such provider.",
            Self::ProviderUnavailable => "The provider is unavailable or returns invalid data.",
            Self::WebhookRejected => "The webhook is not signed by the provider, or cannot be read.",
            Self::PayloadTooLarge => "The request body is over the limit.",
            Self::RequestInProgress => "A request with the same `Idempotency-Key` has no answer yet.",
            Self::IdempotencyKeyReused => "The `Idempotency-Key` belongs to another request.",
        }
    }
}

/// The error body of the fiat API, which combines the envelopes of both API generations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatErrorBody {
    /// The name of the error.
    #[cfg_attr(feature = "openapi", schema(value_type = ErrorName))]
    pub name: String,
    /// What to change, as text for users.
    pub message: String,
    /// More about the error, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub details: Option<serde_json::Value>,
    /// The same error in the envelope of newer clients.
    pub error: FiatFault,
}

/// The newer envelope of an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatFault {
    /// A machine-readable reason.
    #[cfg_attr(feature = "openapi", schema(value_type = FiatErrorCode))]
    pub code: String,
    /// What to change, as text for users.
    pub message: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// More about the error, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub details: Option<serde_json::Value>,
}

impl FiatErrorBody {
    pub fn new(code: FiatErrorCode, message: &str, details: Option<serde_json::Value>) -> Self {
        Self {
            name: code.name().as_str().to_owned(),
            message: message.to_owned(),
            details: details.clone(),
            error: FiatFault {
                code: code.as_str().to_owned(),
                message: message.to_owned(),
                retryable: code.is_retryable(),
                details,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_spelled_the_same_in_code_and_json() {
        for code in FiatErrorCode::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }

    #[test]
    fn statuses_and_names_are_those_of_the_contract() {
        let table = [
            ("VALIDATION_ERROR", 400, "ValidationException"),
            ("QUOTE_INVALID", 404, "QuoteNotFoundException"),
            ("ORDER_NOT_FOUND", 404, "OrderNotFoundException"),
            ("ORIGIN_NOT_ALLOWED", 403, "BadRequestException"),
            ("STATE_CONFLICT", 409, "DuplicateRecordException"),
            ("RATE_LIMITED", 429, "RateLimitedException"),
            ("SCREENED", 403, "ScreeningException"),
            ("INTERNAL_ERROR", 500, "InternalErrorException"),
            ("QUOTE_EXPIRED", 410, "QuoteExpiredException"),
            ("UNSUPPORTED_ASSET", 422, "NotSupportedTokenException"),
            ("NO_ROUTE", 422, "CannotFillException"),
            ("PROVIDER_DISABLED", 422, "BadRequestException"),
            ("PROVIDER_UNAVAILABLE", 502, "BadRequestException"),
            ("WEBHOOK_REJECTED", 400, "BadRequestException"),
            ("PAYLOAD_TOO_LARGE", 413, "PayloadTooLargeException"),
            ("REQUEST_IN_PROGRESS", 409, "RequestInProgressException"),
            ("IDEMPOTENCY_KEY_REUSED", 422, "IdempotencyKeyReusedException"),
        ];
        for (text, status, name) in table {
            let code: FiatErrorCode = serde_json::from_value(text.into()).unwrap();
            assert_eq!((code.status(), code.name().as_str()), (status, name), "{text}");
        }
    }

    #[test]
    fn a_body_says_the_same_in_both_envelopes() {
        let details = serde_json::json!({ "issues": [] });
        let body = FiatErrorBody::new(FiatErrorCode::QuoteExpired, "Ask again.", Some(details));
        assert_eq!(body.message, body.error.message);
        assert_eq!(body.details, body.error.details);
        assert_eq!((body.name.as_str(), body.error.retryable), ("QuoteExpiredException", false));
    }
}
