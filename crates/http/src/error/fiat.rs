use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use causeway_domain::ports::RampError;
use causeway_engine::fiat::{FaultCode, FiatCode, FiatError};
use causeway_wire::{ErrorName, FiatErrorBody, FiatErrorCode, Issue};
use serde_json::{Value, json};

use super::{ApiError, ErrorChain};

impl ApiError {
    /// An error with a code of the fiat API.
    pub(crate) fn fiat(code: FiatErrorCode, message: impl Into<String>) -> Self {
        Self { code: Some(code), ..Self::new(code.name(), message) }
    }

    pub(crate) fn fiat_order_not_found() -> Self {
        Self::fiat(FiatErrorCode::OrderNotFound, "There is no such order.")
    }

    pub(crate) fn fiat_quote_not_found() -> Self {
        let message =
            "This quote does not exist. Request one with POST /v1/fiat/quote and use it before it expires.";
        Self::fiat(FiatErrorCode::QuoteInvalid, message)
    }

    /// The forced refreshes of this order are used up for now.
    pub(crate) fn refresh_rate_limited(retry_after_seconds: u64) -> Self {
        let message = format!(
            "The provider was just queried for this order; omit `force`, or try again in {retry_after_seconds} s."
        );
        let error = Self::fiat(FiatErrorCode::RateLimited, message);
        Self { retry_after_seconds: Some(retry_after_seconds), ..error }
    }

    pub(crate) fn webhook_rejected(message: impl Into<String>) -> Self {
        let error = Self::fiat(FiatErrorCode::WebhookRejected, message);
        error.with_details(json!({ "outcome": "rejected" }))
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) const fn code(&self) -> Option<FiatErrorCode> {
        self.code
    }
}

impl From<FiatError> for ApiError {
    fn from(error: FiatError) -> Self {
        let code = code(error.code());
        match error {
            FiatError::Field { field, expected } => Self::one_issue(field, expected),
            FiatError::RefundTo { chain, recipient } => Self::one_issue(
                "refundTo",
                format!(
                    "name an address on chain {chain} for refunds: {recipient} may not be able to use \
                     them there"
                ),
            ),
            FiatError::RouteNotFound { .. } => {
                Self::one_issue("routeId", "is none of the quote's routes".to_owned())
            }
            FiatError::UnsupportedToken(token) => Self { code: Some(code), ..Self::unsupported_token(token) },
            FiatError::UnsupportedChain(chain) => Self::fiat(
                code,
                format!("Chain {chain} is not supported. GET /v1/chains lists those that are."),
            )
            .with_details(json!({ "chainId": chain.get() })),
            FiatError::UnknownProvider(provider) => Self::fiat(
                code,
                format!("Provider `{provider}` does not exist. GET /v1/fiat/providers lists the providers."),
            ),
            FiatError::ProviderPaused(reason) | FiatError::Paused(reason) => {
                Self::fiat(code, format!("For now, {reason}."))
            }
            FiatError::QuoteNotFound(_) => Self::fiat_quote_not_found(),
            FiatError::QuoteExpired { at } => {
                Self::fiat(code, format!("The quote was valid until {at}: ask for a new one."))
            }
            FiatError::QuoteTaken => {
                Self::fiat(code, "Another wallet has taken this quote: ask for a new one.")
            }
            FiatError::OrderNotFound(_) => Self::fiat_order_not_found(),
            FiatError::Provider { provider, error } => Self::provider(code, &provider, &error),
            FiatError::Webhook(error) => {
                Self::webhook_rejected(format!("The webhook was rejected: {error}."))
            }
            FiatError::ForwardingUnavailable(chain) => Self::fiat(
                code,
                format!("No route to this token: jumps from chain {chain} are not configured."),
            ),
            FiatError::Screening(error) => Self { code: Some(code), ..error.into() },
            FiatError::Times | FiatError::Chain(_) | FiatError::Store(_) | FiatError::Id(_) => {
                Self::internal(&ErrorChain(&error))
            }
        }
    }
}

impl ApiError {
    fn one_issue(path: &str, message: String) -> Self {
        Self::validation(&[Issue { path: path.to_owned(), message }])
    }

    /// The caller sees a provider's refusal; other failures are only logged.
    fn provider(code: FiatErrorCode, provider: &str, error: &RampError) -> Self {
        let message = match error {
            RampError::Refused(refusal) => format!("{provider} does not sell this: {refusal}."),
            RampError::Unavailable(_) | RampError::Nonsense(_) => {
                tracing::warn!(provider, %error, "provider request failed");
                format!("{provider} is unavailable. Try again in a moment, or choose another provider.")
            }
        };
        let reason = FaultCode::of(error).as_str();
        Self::fiat(code, message).with_details(json!({ "provider": provider, "code": reason }))
    }
}

/// Maps the engine's code to the wire's.
const fn code(code: FiatCode) -> FiatErrorCode {
    match code {
        FiatCode::Validation => FiatErrorCode::ValidationError,
        FiatCode::QuoteInvalid => FiatErrorCode::QuoteInvalid,
        FiatCode::QuoteExpired => FiatErrorCode::QuoteExpired,
        FiatCode::OrderNotFound => FiatErrorCode::OrderNotFound,
        FiatCode::StateConflict => FiatErrorCode::StateConflict,
        FiatCode::UnsupportedAsset => FiatErrorCode::UnsupportedAsset,
        FiatCode::NoRoute => FiatErrorCode::NoRoute,
        FiatCode::ProviderDisabled => FiatErrorCode::ProviderDisabled,
        FiatCode::ProviderUnavailable => FiatErrorCode::ProviderUnavailable,
        FiatCode::WebhookRejected => FiatErrorCode::WebhookRejected,
        FiatCode::Screened => FiatErrorCode::Screened,
        FiatCode::Internal => FiatErrorCode::InternalError,
    }
}

/// The error response, in both envelopes of the fiat API.
pub(super) fn response(
    name: ErrorName,
    code: Option<FiatErrorCode>,
    message: &str,
    details: Option<Value>,
) -> Response {
    let (status, body) = match code.or_else(|| code_for(name)) {
        Some(code) => (code.status(), FiatErrorBody::new(code, message, details)),
        None => (name.status(), body_without_code(name, message, details)),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(body)).into_response()
}

/// The fiat code of an error that other parts of the service raise.
const fn code_for(name: ErrorName) -> Option<FiatErrorCode> {
    Some(match name {
        ErrorName::Validation | ErrorName::BadRequest => FiatErrorCode::ValidationError,
        ErrorName::Screening => FiatErrorCode::Screened,
        ErrorName::QuoteNotFound => FiatErrorCode::QuoteInvalid,
        ErrorName::OrderNotFound => FiatErrorCode::OrderNotFound,
        ErrorName::DuplicateRecord => FiatErrorCode::StateConflict,
        ErrorName::RequestInProgress => FiatErrorCode::RequestInProgress,
        ErrorName::IdempotencyKeyReused => FiatErrorCode::IdempotencyKeyReused,
        ErrorName::QuoteExpired => FiatErrorCode::QuoteExpired,
        ErrorName::PayloadTooLarge => FiatErrorCode::PayloadTooLarge,
        ErrorName::NotSupportedToken | ErrorName::NotSupportedChain => FiatErrorCode::UnsupportedAsset,
        ErrorName::CannotFill => FiatErrorCode::NoRoute,
        ErrorName::RateLimited => FiatErrorCode::RateLimited,
        ErrorName::InternalError => FiatErrorCode::InternalError,
        _ => return None,
    })
}

/// The body of an error without a fiat code, such as an unknown path: the code is derived from the name.
fn body_without_code(name: ErrorName, message: &str, details: Option<Value>) -> FiatErrorBody {
    let mut body = FiatErrorBody::new(FiatErrorCode::ValidationError, message, details);
    name.as_str().clone_into(&mut body.name);
    body.error.retryable = matches!(name, ErrorName::ServiceUnavailable);
    let stem = name.as_str().trim_end_matches("Exception");
    body.error.code = stem.char_indices().fold(String::new(), |mut code, (index, letter)| {
        if index > 0 && letter.is_ascii_uppercase() {
            code.push('_');
        }
        code.push(letter.to_ascii_uppercase());
        code
    });
    body
}

#[cfg(test)]
mod tests {
    use causeway_domain::fiat::FiatAmount;
    use causeway_domain::ports::RampRefusal;

    use super::*;

    #[test]
    fn unknown_path_keeps_its_status_and_derives_its_code() {
        let body = body_without_code(ErrorName::MethodNotAllowed, "no", None);
        assert_eq!(body.error.code, "METHOD_NOT_ALLOWED");
        assert_eq!(body.name, "MethodNotAllowedException");
        let response = response(ErrorName::NotFound, None, "nothing here", None);
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn refusals_of_providers_have_their_code_in_the_details() {
        let amount = |minor| FiatAmount { minor, currency: "USD".parse().unwrap() };
        let range = RampRefusal::Range { least: amount(1), most: amount(2) };
        let table = [
            (RampError::Unavailable("down".to_owned()), "PROVIDER_UNAVAILABLE"),
            (RampError::Refused(range), "AMOUNT_OUT_OF_RANGE"),
            (RampError::Refused(RampRefusal::Asset), "UNSUPPORTED_ASSET"),
            (RampError::Refused(RampRefusal::Country), "NOT_IN_COUNTRY"),
        ];
        for (error, code) in table {
            let refused = ApiError::provider(FiatErrorCode::NoRoute, "bank", &error);
            assert!(format!("{refused:?}").contains(code), "{error}: {refused:?}");
        }
    }

    #[test]
    fn fiat_codes_map_back_to_their_error_names() {
        for name in ErrorName::ALL {
            if let Some(code) = code_for(name) {
                let same = code.name() == name;
                let folded = matches!(name, ErrorName::BadRequest | ErrorName::NotSupportedChain);
                assert!(same || folded, "{name:?}");
            }
        }
    }
}
