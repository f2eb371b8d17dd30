mod deposits;
mod fiat;
mod webhooks;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use causeway_domain::ports::{Refusal, StoreError};
use causeway_domain::{RawAmount, TokenId};
use causeway_engine::{NoOffer, QuoteError, Unfilled};
use causeway_wire::{ErrorBody, ErrorName, FiatErrorCode, FillerReason, Issue};
use serde_json::{Value, json};

use crate::middleware::{envelope, request_id};

/// Every error that the API answers with. This file and those under it alone turn errors into HTTP.
#[derive(Debug)]
pub(crate) struct ApiError {
    name: ErrorName,
    /// What the fiat API calls it.
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

    /// All that is wrong with a request, at once.
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

    /// What contradicts how things stand.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(ErrorName::BadRequest, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorName::NotFound, message)
    }

    /// Not there yet, and worth asking for again.
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

    pub(crate) fn rate_limited(retry_after_seconds: u64) -> Self {
        let message = format!("Too many requests from this address; try again in {retry_after_seconds} s.");
        Self { retry_after_seconds: Some(retry_after_seconds), ..Self::new(ErrorName::RateLimited, message) }
    }

    /// Ours, not the caller's: the cause goes to the log, the request id to the caller.
    pub(crate) fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "request failed");
        Self::internal_with(
            "Something went wrong on our side. Try again; if it stays, report the request id.",
        )
    }

    pub(crate) fn timed_out(seconds: u64) -> Self {
        Self::internal_with(&format!("The answer took longer than {seconds} s. Try again in a moment."))
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

    /// The message tells the likeliest way out; the details tell each filler's reason.
    fn cannot_fill(unfilled: Vec<Unfilled>) -> Self {
        let minimum = unfilled.iter().filter_map(|reason| limits(&reason.why).0).min();
        let maximum = unfilled.iter().filter_map(|reason| limits(&reason.why).1).max();
        let paused = all_paused(&unfilled);
        let message = match (minimum, maximum) {
            (Some(minimum), _) => {
                format!("No filler takes so small an amount: ask for at least {minimum} raw units.")
            }
            (None, Some(maximum)) => {
                format!("No filler takes so large an amount: ask for at most {maximum} raw units.")
            }
            (None, None) if paused.is_some() => format!("For now, {}.", paused.unwrap_or_default()),
            (None, None) => "No filler can fill this now: `details.reasons` has each one's words.".to_owned(),
        };
        let reasons: Vec<_> = unfilled.into_iter().map(reason).collect();
        Self::new(ErrorName::CannotFill, message).with_details(json!({ "reasons": reasons }))
    }
}

/// The reason why nobody was asked, where an operator has paused what the ask is about.
fn all_paused(unfilled: &[Unfilled]) -> Option<String> {
    let mut words = unfilled.iter().map(|unfilled| match &unfilled.why {
        NoOffer::Paused(words) => Some(words),
        _ => None,
    });
    let first = words.next().flatten()?;
    words.all(|other| other == Some(first)).then(|| first.clone())
}

/// The least and the most that a filler would have taken, where it said so.
fn limits(why: &NoOffer) -> (Option<RawAmount>, Option<RawAmount>) {
    match why {
        NoOffer::Refused(Refusal::TooSmall { minimum }) => (Some(*minimum), None),
        NoOffer::Refused(Refusal::TooLarge { maximum }) => (None, Some(*maximum)),
        _ => (None, None),
    }
}

fn reason(unfilled: Unfilled) -> FillerReason {
    let (minimum, maximum) = limits(&unfilled.why);
    FillerReason {
        filler: unfilled.filler,
        reason: unfilled.why.to_string(),
        minimum: minimum.map(|amount| amount.to_string()),
        maximum: maximum.map(|amount| amount.to_string()),
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::internal(&Chained(&error))
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
            QuoteError::UnsupportedToken(token) => Self::unsupported_token(token),
            QuoteError::CannotFill(unfilled) => Self::cannot_fill(unfilled),
            QuoteError::Store(error) => error.into(),
            QuoteError::Id(error) => Self::internal(&error),
        }
    }
}

/// An error with all its causes on one line, for the log.
struct Chained<'a>(&'a dyn std::error::Error);

impl std::fmt::Display for Chained<'_> {
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
            fiat::answer(self.name, self.code, &self.message, self.details)
        } else {
            let status = StatusCode::from_u16(self.name.status());
            let body = ErrorBody { details: self.details, ..ErrorBody::new(self.name, self.message) };
            (status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), Json(body)).into_response()
        };
        if let Some(seconds) = self.retry_after_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        // The request's observer counts errors by name.
        response.extensions_mut().insert(self.name);
        response
    }
}
