mod deposits;
mod fiat;
mod fillers;
mod integrators;
mod webhooks;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use causeway_domain::ports::{Refusal, StoreError};
use causeway_domain::{RawAmount, Token, TokenId};
use causeway_engine::{MissingOffer, NoOffer, QuoteError, at_least, at_most};
use causeway_wire::{ErrorBody, ErrorName, FiatErrorCode, FillerReason, Issue};
use serde_json::{Value, json};

use crate::middleware::{envelope, request_id};

/// An error response of the API. Only this module turns errors into HTTP.
#[derive(Debug)]
pub(crate) struct ApiError {
    name: ErrorName,
    /// The error code of the fiat API.
    code: Option<FiatErrorCode>,
    message: String,
    details: Option<Value>,
    retry_after_seconds: Option<u64>,
}

pub(crate) type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    fn new(name: ErrorName, message: impl Into<String>) -> Self {
        Self { name, code: None, message: message.into(), details: None, retry_after_seconds: None }
    }

    fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// All issues of a request in one error.
    pub(crate) fn validation(issues: &[Issue]) -> Self {
        let message = match issues {
            [] => "The request is not valid.".to_owned(),
            [Issue { path, message }] => format!("{path}: {message}"),
            [Issue { path, message }, rest @ ..] => format!("{path}: {message} (and {} more)", rest.len()),
        };
        Self::new(ErrorName::Validation, message).with_details(json!({ "issues": issues }))
    }

    pub(crate) fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(ErrorName::Unauthorized, message)
    }

    /// A well-formed request that the current state does not allow.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(ErrorName::BadRequest, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorName::NotFound, message)
    }

    /// Not available yet; the client should retry.
    pub(crate) fn not_yet(message: impl Into<String>, retry_after_seconds: u64) -> Self {
        Self { retry_after_seconds: Some(retry_after_seconds), ..Self::new(ErrorName::NotFound, message) }
    }

    pub(crate) fn method_not_allowed(method: &str) -> Self {
        let message = format!("This path does not take {method}; the Allow header lists what it takes.");
        Self::new(ErrorName::MethodNotAllowed, message)
    }

    pub(crate) fn payload_too_large(limit: usize) -> Self {
        Self::new(ErrorName::PayloadTooLarge, format!("The request body is larger than {limit} bytes."))
    }

    /// Too many of `plural`, from an address or with a key.
    pub(crate) fn rate_limited(plural: &str, whence: &str, retry_after_seconds: u64) -> Self {
        let message = format!("Too many {plural} {whence}; try again in {retry_after_seconds} s.");
        Self { retry_after_seconds: Some(retry_after_seconds), ..Self::new(ErrorName::RateLimited, message) }
    }

    pub(crate) fn quota_used_up(integrator: &str, retry_after_seconds: u64) -> Self {
        let message = format!(
            "The API key of {integrator} has no more quotes today; a new day begins at midnight in UTC."
        );
        Self { retry_after_seconds: Some(retry_after_seconds), ..Self::new(ErrorName::RateLimited, message) }
    }

    /// More requests are in work than the service can answer in time.
    pub(crate) fn overloaded(retry_after_seconds: u64) -> Self {
        let message = format!("The service has too much to do; try again in {retry_after_seconds} s.");
        Self {
            retry_after_seconds: Some(retry_after_seconds),
            ..Self::new(ErrorName::ServiceUnavailable, message)
        }
    }

    /// Another attempt with the same idempotency key has no answer yet.
    pub(crate) fn in_progress(retry_after_seconds: u64) -> Self {
        let message =
            "A request with this Idempotency-Key is in progress; repeat it in a moment for its answer.";
        Self {
            retry_after_seconds: Some(retry_after_seconds),
            ..Self::new(ErrorName::RequestInProgress, message)
        }
    }

    pub(crate) fn idempotency_key_reused() -> Self {
        let message = "This Idempotency-Key belongs to another request; use a new key for each request, and the same key \
                       only to repeat it unchanged.";
        Self::new(ErrorName::IdempotencyKeyReused, message)
    }

    /// The same error in other words.
    pub(crate) fn with_message(self, message: String) -> Self {
        Self { message, ..self }
    }

    /// An internal failure: the cause is logged, the caller gets the request id.
    pub(crate) fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "request failed");
        Self::internal_with(
            "Something went wrong on our side. Try again; if it persists, report the request id.",
        )
    }

    pub(crate) fn timed_out(seconds: u64) -> Self {
        Self::internal_with(&format!("The request took longer than {seconds} s. Try again in a moment."))
    }

    fn internal_with(message: &str) -> Self {
        Self::new(ErrorName::InternalError, message)
            .with_details(json!({ "requestId": request_id::current() }))
    }

    fn unsupported_token(token: TokenId) -> Self {
        let (chain, address) = (token.chain(), token.address().to_string());
        let message =
            format!("Token {address} is not known on chain {chain}. GET /v1/tokens lists those that are.");
        Self::new(ErrorName::NotSupportedToken, message)
            .with_details(json!({ "chainId": chain.get(), "address": address }))
    }

    /// The message suggests the most likely fix; the details hold each filler's reason.
    fn cannot_fill(unfilled: Vec<MissingOffer>, token: &Token) -> Self {
        let minimum = unfilled.iter().filter_map(|missing| limits(&missing.reason).0).min();
        let maximum = unfilled.iter().filter_map(|missing| limits(&missing.reason).1).max();
        let paused = all_paused(&unfilled);
        let unpayable = unfilled.iter().find(|missing| matches!(missing.reason, NoOffer::Unpayable(_)));
        let message = match (minimum, maximum) {
            // Another amount does not help where the recipient refuses.
            _ if unpayable.is_some() => {
                let reason = unpayable.map(|missing| missing.reason.to_string()).unwrap_or_default();
                format!("No filler can fill this: {reason}.")
            }
            (Some(minimum), _) => {
                format!("No filler takes so small an amount: ask for {}.", at_least(minimum, token))
            }
            (None, Some(maximum)) => {
                format!("No filler takes so large an amount: ask for {}.", at_most(maximum, token))
            }
            (None, None) if paused.is_some() => format!("For now, {}.", paused.unwrap_or_default()),
            (None, None) => {
                "No filler can fill this now: `details.reasons` lists the reason of each filler.".to_owned()
            }
        };
        let reasons: Vec<_> = unfilled.into_iter().map(|missing| reason(missing, token)).collect();
        Self::new(ErrorName::CannotFill, message).with_details(json!({ "reasons": reasons }))
    }
}

/// The pause reason, if a pause of the operator is the only cause.
fn all_paused(unfilled: &[MissingOffer]) -> Option<String> {
    let mut reasons = unfilled.iter().map(|unfilled| match &unfilled.reason {
        NoOffer::Paused(reason) => Some(reason),
        _ => None,
    });
    let first = reasons.next().flatten()?;
    reasons.all(|other| other == Some(first)).then(|| first.clone())
}

/// The minimum and maximum that a filler accepts, if it stated them.
fn limits(why: &NoOffer) -> (Option<RawAmount>, Option<RawAmount>) {
    match why {
        NoOffer::Refused(Refusal::TooSmall { minimum }) => (Some(*minimum), None),
        NoOffer::Refused(Refusal::TooLarge { maximum }) => (None, Some(*maximum)),
        _ => (None, None),
    }
}

fn reason(unfilled: MissingOffer, token: &Token) -> FillerReason {
    let (minimum, maximum) = limits(&unfilled.reason);
    FillerReason {
        filler: unfilled.filler,
        reason: unfilled.reason.describe(token),
        minimum: minimum.map(|amount| amount.to_string()),
        maximum: maximum.map(|amount| amount.to_string()),
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::internal(&ErrorChain(&error))
    }
}

impl From<QuoteError> for ApiError {
    fn from(error: QuoteError) -> Self {
        match error {
            QuoteError::UnsupportedChain(chain) => Self::new(
                ErrorName::NotSupportedChain,
                format!("Chain {chain} is not supported. GET /v1/chains lists those that are."),
            )
            .with_details(json!({ "chainId": chain.get() })),
            QuoteError::SourceOnly(chain) => Self::new(
                ErrorName::NotSupportedChain,
                format!("Swaps only begin on chain {chain}: choose a destination on another chain."),
            )
            .with_details(json!({ "chainId": chain.get() })),
            QuoteError::UnsupportedToken(token) => Self::unsupported_token(token),
            QuoteError::CannotFill { missing, token } => Self::cannot_fill(missing, &token),
            QuoteError::Id(error) => Self::internal(&error),
        }
    }
}

/// An error with all its sources on one line, for the log.
struct ErrorChain<'a>(&'a dyn std::error::Error);

impl std::fmt::Display for ErrorChain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(cause) = source {
            write!(f, ": {cause}")?;
            source = cause.source();
        }
        Ok(())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = if self.code.is_some() || envelope::is_fiat() {
            fiat::response(self.name, self.code, &self.message, self.details)
        } else {
            let status = StatusCode::from_u16(self.name.status());
            let body = ErrorBody { details: self.details, ..ErrorBody::new(self.name, self.message) };
            (status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), Json(body)).into_response()
        };
        if let Some(seconds) = self.retry_after_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        // The observe middleware counts errors by name.
        response.extensions_mut().insert(self.name);
        response
    }
}
