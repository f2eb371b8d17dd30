#[cfg(test)]
mod tests;

use causeway_domain::ports::ChainError;
use causeway_domain::{DepositMethod, OrderId};
use causeway_engine::{BuildError, ScreeningError, SubmitError};
use causeway_wire::{ErrorName, Issue};
use serde_json::{Value, json};

use super::{ApiError, ErrorChain};

impl ApiError {
    /// An unknown quote or route.
    pub(crate) fn quote_not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorName::QuoteNotFound, message)
    }

    /// A deposit method that nobody knows.
    pub(crate) fn not_supported_deposit_method(message: impl Into<String>) -> Self {
        Self::new(ErrorName::NotSupportedDepositMethod, message)
    }

    pub(crate) fn order_not_found() -> Self {
        Self::new(
            ErrorName::OrderNotFound,
            "There is no such order. An order is shown once its deposit was submitted or seen.",
        )
    }

    pub(crate) fn intent_not_found() -> Self {
        Self::new(
            ErrorName::IntentNotFound,
            "There is no such intent. An intent is shown once its deposit was submitted or seen.",
        )
    }

    /// The request has no proof, or more than one.
    pub(crate) fn exactly_one_proof(given: &[&str]) -> Self {
        let message = match given {
            [] => "Send exactly one of txHash, signedTransaction and signature; none was given.".to_owned(),
            _ => format!(
                "Send exactly one of txHash, signedTransaction and signature, not {}.",
                given.join(" and ")
            ),
        };
        Self::bad_request_with_code("EXACTLY_ONE_PROOF", message, json!({ "given": given }))
    }

    /// A well-formed request that cannot be fulfilled; `errorCode` identifies the reason for programs.
    fn bad_request_with_code(code: &str, message: impl Into<String>, mut details: Value) -> Self {
        if let Some(details) = details.as_object_mut() {
            details.insert("errorCode".to_owned(), code.into());
        }
        Self::new(ErrorName::BadRequest, message).with_details(details)
    }

    fn field(path: &str, message: String) -> Self {
        Self::validation(&[Issue { path: path.to_owned(), message }])
    }

    /// A temporary failure that is not the caller's fault.
    fn retry_later(cause: &dyn std::error::Error, order: Option<&OrderId>) -> Self {
        let mut error = Self::internal(&ErrorChain(cause));
        error.message = sentence(cause);
        if let (Some(details), Some(order)) = (error.details.as_mut().and_then(Value::as_object_mut), order) {
            details.insert("orderId".to_owned(), order.as_str().into());
        }
        error
    }
}

impl From<ChainError> for ApiError {
    fn from(error: ChainError) -> Self {
        match &error {
            // Error texts of endpoints may contain secrets and are only logged.
            ChainError::Unavailable(chain)
            | ChainError::Nonsense(chain, _)
            | ChainError::Refused(chain, _)
            | ChainError::Disagreement(chain, _) => {
                let message = format!("Chain {chain} gives no reliable answer now. Try again in a moment.");
                Self { message, ..Self::internal(&ErrorChain(&error)) }
            }
        }
    }
}

impl From<ScreeningError> for ApiError {
    fn from(error: ScreeningError) -> Self {
        match error {
            ScreeningError::Refused => Self::new(ErrorName::Screening, sentence(&error)),
            ScreeningError::Unavailable(_) => {
                let message = "Address screening is unavailable now. Try again in a moment.".to_owned();
                Self { message, ..Self::internal(&ErrorChain(&error)) }
            }
        }
    }
}

impl From<BuildError> for ApiError {
    fn from(error: BuildError) -> Self {
        let message = sentence(&error);
        match error {
            BuildError::UnknownRoute(_) => Self::quote_not_found(message),
            BuildError::UnexpectedFrom { expected, given } => {
                Self::new(ErrorName::UnexpectedFromAddress, message)
                    .with_details(json!({ "expected": expected.to_string(), "given": given.to_string() }))
            }
            BuildError::QuoteExpired { at } => Self::new(ErrorName::QuoteExpired, message)
                .with_details(json!({ "validBefore": at.as_second() })),
            BuildError::MethodNotOffered { asked, offered } => {
                let offered: Vec<_> = offered.into_iter().map(DepositMethod::as_str).collect();
                Self::new(ErrorName::NotSupportedDepositMethod, message)
                    .with_details(json!({ "depositMethod": asked.as_str(), "depositMethods": offered }))
            }
            BuildError::OutputFell { promised, now } => Self::new(ErrorName::QuoteExpired, message)
                .with_details(json!({ "promised": promised, "now": now })),
            BuildError::ProviderFault { filler, fault } => Self::bad_request_with_code(
                "PROVIDER_FAULT",
                message,
                json!({ "provider": filler, "fault": fault }),
            ),
            BuildError::ProviderUnavailable { filler, .. } => {
                Self::bad_request_with_code("PROVIDER_UNAVAILABLE", message, json!({ "provider": filler }))
            }
            BuildError::OthersContracts { .. } => Self::new(ErrorName::NotSupportedDepositMethod, message),
            BuildError::Field { field, expected } => Self::field(field, expected),
            BuildError::AlreadyBuilt { differs, .. } => {
                Self::bad_request_with_code("ROUTE_ALREADY_BUILT", message, json!({ "differs": differs }))
            }
            BuildError::AlreadyTaken { order, status } => {
                let details = json!({ "orderId": order.as_str(), "status": status.as_str() });
                Self::bad_request_with_code("ROUTE_ALREADY_BUILT", message, details)
            }
            BuildError::InsufficientBalance { symbol, has, needs } => {
                let details = json!({ "symbol": symbol, "has": has, "needs": needs });
                Self::bad_request_with_code("INSUFFICIENT_BALANCE", message, details)
            }
            BuildError::InsufficientGas { symbol, has, needs } => {
                let details = json!({ "symbol": symbol, "has": has, "needs": needs });
                Self::bad_request_with_code("INSUFFICIENT_GAS", message, details)
            }
            BuildError::WouldFail(reason) => {
                Self::bad_request_with_code("SIMULATION_REVERTED", message, json!({ "reason": reason }))
            }
            BuildError::Paused { filler, reason } => Self::new(ErrorName::CannotFill, message)
                .with_details(json!({ "reasons": [{ "filler": filler, "reason": reason }] })),
            BuildError::TooManyUnpaid { .. } => {
                Self::rate_limited("unpaid builds", "of this payer", 60).with_message(message)
            }
            BuildError::ChainNotServed(chain) => Self::new(ErrorName::NotSupportedChain, message)
                .with_details(json!({ "chainId": chain.get() })),
            BuildError::Contended { ref order } => Self::retry_later(&error, Some(order)),
            BuildError::Screening(error) => error.into(),
            BuildError::Chain(error) => error.into(),
            BuildError::Store(error) => error.into(),
            BuildError::Times | BuildError::ForwardingMismatch | BuildError::Id(_) | BuildError::Key(_) => {
                Self::internal(&ErrorChain(&error))
            }
        }
    }
}

impl From<SubmitError> for ApiError {
    fn from(error: SubmitError) -> Self {
        let message = sentence(&error);
        match error {
            SubmitError::UnknownRoute(_) => Self::quote_not_found(message),
            SubmitError::NotBuilt => Self::bad_request_with_code("ROUTE_NOT_BUILT", message, json!({})),
            SubmitError::MalformedHash { .. } => Self::field("txHash", error.to_string()),
            SubmitError::WrongProof { method, .. } => Self::bad_request_with_code(
                "WRONG_PROOF",
                message,
                json!({ "depositMethod": method.as_str() }),
            ),
            SubmitError::Conflict { order } => Self::bad_request_with_code(
                "DEPOSIT_TX_HASH_CONFLICT",
                message,
                json!({ "orderId": order.as_str() }),
            ),
            SubmitError::NotThis(reason) => {
                Self::bad_request_with_code("NOT_THIS_DEPOSIT", message, json!({ "reason": reason }))
            }
            SubmitError::Altered(reason) => {
                Self::bad_request_with_code("MESSAGE_MISMATCH", message, json!({ "reason": reason }))
            }
            SubmitError::TooLate { order, .. } => Self::bad_request_with_code(
                "OPEN_DEADLINE_PASSED",
                message,
                json!({ "orderId": order.as_str() }),
            ),
            SubmitError::Duplicate => Self::new(ErrorName::DuplicateRecord, message),
            SubmitError::Refused(reason) => {
                Self::new(ErrorName::Broadcast, message).with_details(json!({ "reason": reason }))
            }
            SubmitError::PermitPending { ref order } | SubmitError::Contended { ref order } => {
                Self::retry_later(&error, Some(order))
            }
            SubmitError::ChainNotServed(_) => Self::retry_later(&error, None),
            SubmitError::Chain(error) => error.into(),
            SubmitError::Store(error) => error.into(),
        }
    }
}

/// The error's text as a sentence.
fn sentence(error: &dyn std::error::Error) -> String {
    let message = error.to_string();
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    let end = if message.ends_with(['.', '?', '!']) { "" } else { "." };
    [first.as_deref().unwrap_or_default(), letters.as_str(), end].concat()
}
