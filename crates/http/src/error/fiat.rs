use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use causeway_domain::ports::RampError;
use causeway_engine::fiat::{FiatCode, FiatError};
use causeway_wire::{ErrorName, FiatErrorBody, FiatErrorCode, Issue};
use serde_json::{Value, json};

use super::{ApiError, Chained};

impl ApiError {
    /// An error by the fiat API's own code.
    pub(crate) fn fiat(code: FiatErrorCode, message: impl Into<String>) -> Self {
        Self { code: Some(code), ..Self::new(code.name(), message) }
    }

    pub(crate) fn fiat_order_not_found() -> Self {
        Self::fiat(FiatErrorCode::OrderNotFound, "There is no such order.")
    }

    pub(crate) fn fiat_quote_not_found() -> Self {
        let words =
            "There is no such quote here. Ask for one with POST /v1/fiat/quote, and take it while it lasts.";
        Self::fiat(FiatErrorCode::QuoteInvalid, words)
    }

    /// Too often, by a rule of the fiat API's own.
    pub(crate) fn asked_too_often(retry_after_seconds: u64) -> Self {
        let message = format!(
            "The provider was asked for this order just now; leave `force` out, or try again in {retry_after_seconds} s."
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
                    "name an address on chain {chain} for money that cannot be swapped: {recipient} may not be able to use \
                     it there"
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
                format!("No provider is called `{provider}` here. GET /v1/fiat/providers lists them."),
            ),
            FiatError::ProviderPaused(words) | FiatError::Paused(words) => {
                Self::fiat(code, format!("For now, {words}."))
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
                Self::webhook_rejected(format!("The webhook is not believed: {error}."))
            }
            FiatError::NoJump(chain) => Self::fiat(
                code,
                format!("No way leads to this token: jumps from chain {chain} are not set up."),
            ),
            FiatError::Screening(error) => Self { code: Some(code), ..error.into() },
            FiatError::Times | FiatError::Chain(_) | FiatError::Store(_) | FiatError::Id(_) => {
                Self::internal(&Chained(&error))
            }
        }
    }
}

impl ApiError {
    fn one_issue(path: &str, message: String) -> Self {
        Self::validation(&[Issue { path: path.to_owned(), message }])
    }

    /// What a provider says no to is for the payer; how it fails is for our log.
    fn provider(code: FiatErrorCode, provider: &str, error: &RampError) -> Self {
        let words = match error {
            RampError::Refused(refusal) => format!("{provider} does not sell this: {refusal}."),
            RampError::Unavailable(_) | RampError::Nonsense(_) => {
                tracing::warn!(provider, %error, "a provider did not do its part");
                format!(
                    "{provider} does not answer as it should. Try again in a moment, or take another provider."
                )
            }
        };
        Self::fiat(code, words).with_details(json!({ "provider": provider }))
    }
}

/// The engine's code as the wire spells it.
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

/// An error in both envelopes.
pub(super) fn answer(
    name: ErrorName,
    code: Option<FiatErrorCode>,
    message: &str,
    details: Option<Value>,
) -> Response {
    let (status, body) = match code.or_else(|| code_of(name)) {
        Some(code) => (code.status(), FiatErrorBody::new(code, message, details)),
        None => (name.status(), unlisted(name, message, details)),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(body)).into_response()
}

/// The code of what is no error of the fiat API's own making.
const fn code_of(name: ErrorName) -> Option<FiatErrorCode> {
    Some(match name {
        ErrorName::Validation | ErrorName::BadRequest => FiatErrorCode::ValidationError,
        ErrorName::Screening => FiatErrorCode::Screened,
        ErrorName::QuoteNotFound => FiatErrorCode::QuoteInvalid,
        ErrorName::OrderNotFound => FiatErrorCode::OrderNotFound,
        ErrorName::DuplicateRecord => FiatErrorCode::StateConflict,
        ErrorName::QuoteExpired => FiatErrorCode::QuoteExpired,
        ErrorName::PayloadTooLarge => FiatErrorCode::PayloadTooLarge,
        ErrorName::NotSupportedToken | ErrorName::NotSupportedChain => FiatErrorCode::UnsupportedAsset,
        ErrorName::CannotFill => FiatErrorCode::NoRoute,
        ErrorName::RateLimited => FiatErrorCode::RateLimited,
        ErrorName::InternalError => FiatErrorCode::InternalError,
        _ => return None,
    })
}

/// A path that does not exist, a method that it does not take: the newer envelope spells the name.
fn unlisted(name: ErrorName, message: &str, details: Option<Value>) -> FiatErrorBody {
    let mut body = FiatErrorBody::new(FiatErrorCode::ValidationError, message, details);
    name.as_str().clone_into(&mut body.name);
    let word = name.as_str().trim_end_matches("Exception");
    body.error.code = word.char_indices().fold(String::new(), |mut code, (place, letter)| {
        if place > 0 && letter.is_ascii_uppercase() {
            code.push('_');
        }
        code.push(letter.to_ascii_uppercase());
        code
    });
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_path_keeps_its_status_and_spells_its_code() {
        let body = unlisted(ErrorName::MethodNotAllowed, "no", None);
        assert_eq!(body.error.code, "METHOD_NOT_ALLOWED");
        assert_eq!(body.name, "MethodNotAllowedException");
        let response = answer(ErrorName::NotFound, None, "nothing here", None);
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn what_the_door_refuses_wears_the_code_and_the_name_that_belong_together() {
        for name in ErrorName::ALL {
            if let Some(code) = code_of(name) {
                let same = code.name() == name;
                let folded = matches!(name, ErrorName::BadRequest | ErrorName::NotSupportedChain);
                assert!(same || folded, "{name:?}");
            }
        }
    }
}
