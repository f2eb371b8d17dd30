#[cfg(test)]
mod tests;

use causeway_domain::ports::ChainError;
use causeway_domain::{DepositMethod, OrderId};
use causeway_engine::{BuildError, ScreeningError, SubmitError};
use causeway_wire::{ErrorName, Issue};
use serde_json::{Value, json};

use super::{ApiError, Chained};

impl ApiError {
    /// A quote or a route that there is not, whatever was given as its id.
    pub(crate) fn quote_not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorName::QuoteNotFound, message)
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

    /// None of the proofs, or more than one.
    pub(crate) fn not_one_proof(given: &[&str]) -> Self {
        let message = match given {
            [] => "Send exactly one of txHash, signedTransaction and signature: none is there.".to_owned(),
            _ => format!(
                "Send exactly one of txHash, signedTransaction and signature, not {}.",
                given.join(" and ")
            ),
        };
        Self::contradiction("EXACTLY_ONE_PROOF", message, json!({ "given": given }))
    }

    /// Well-formed, but it cannot be: `errorCode` tells programs which of the reasons it is.
    fn contradiction(code: &str, message: impl Into<String>, mut details: Value) -> Self {
        if let Some(details) = details.as_object_mut() {
            details.insert("errorCode".to_owned(), code.into());
        }
        Self::new(ErrorName::BadRequest, message).with_details(details)
    }

    fn field(path: &str, message: String) -> Self {
        Self::validation(&[Issue { path: path.to_owned(), message }])
    }

    /// Nobody's request is at fault, and the same may work in a moment.
    fn not_now(cause: &dyn std::error::Error, order: Option<&OrderId>) -> Self {
        let mut error = Self::internal(&Chained(cause));
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
            // The endpoints' own words stay with us.
            ChainError::Unavailable(chain)
            | ChainError::Nonsense(chain, _)
            | ChainError::Refused(chain, _)
            | ChainError::Disagreement(chain, _) => {
                let message =
                    format!("Chain {chain} gives us no answer to rely on now. Try again in a moment.");
                Self { message, ..Self::internal(&Chained(&error)) }
            }
        }
    }
}

impl From<ScreeningError> for ApiError {
    fn from(error: ScreeningError) -> Self {
        match error {
            ScreeningError::Refused => Self::new(ErrorName::Screening, sentence(&error)),
            ScreeningError::Unavailable(_) => {
                let message =
                    "The screening of addresses does not answer now. Try again in a moment.".to_owned();
                Self { message, ..Self::internal(&Chained(&error)) }
            }
        }
    }
}

impl From<BuildError> for ApiError {
    fn from(error: BuildError) -> Self {
        let words = sentence(&error);
        match error {
            BuildError::QuoteNotFound(_) | BuildError::RouteNotFound { .. } => Self::quote_not_found(words),
            BuildError::UnexpectedFrom { expected, given } => {
                Self::new(ErrorName::UnexpectedFromAddress, words)
                    .with_details(json!({ "expected": expected.to_string(), "given": given.to_string() }))
            }
            BuildError::QuoteExpired { at } => Self::new(ErrorName::QuoteExpired, words)
                .with_details(json!({ "validBefore": at.as_second() })),
            BuildError::MethodNotOffered { asked, offered } => {
                let offered: Vec<_> = offered.into_iter().map(DepositMethod::as_str).collect();
                Self::new(ErrorName::NotSupportedDepositMethod, words)
                    .with_details(json!({ "depositMethod": asked.as_str(), "depositMethods": offered }))
            }
            BuildError::OthersContracts { .. } => Self::new(ErrorName::NotSupportedDepositMethod, words),
            BuildError::Field { field, expected } => Self::field(field, expected),
            BuildError::AlreadyBuilt { differs, .. } => {
                Self::contradiction("ROUTE_ALREADY_BUILT", words, json!({ "differs": differs }))
            }
            BuildError::AlreadyTaken { order, status } => {
                let details = json!({ "orderId": order.as_str(), "status": status.as_str() });
                Self::contradiction("ROUTE_ALREADY_BUILT", words, details)
            }
            BuildError::InsufficientBalance { symbol, has, needs } => {
                let details = json!({ "symbol": symbol, "has": has, "needs": needs });
                Self::contradiction("INSUFFICIENT_BALANCE", words, details)
            }
            BuildError::InsufficientGas { symbol, has, needs } => {
                let details = json!({ "symbol": symbol, "has": has, "needs": needs });
                Self::contradiction("INSUFFICIENT_GAS", words, details)
            }
            BuildError::WouldFail(reason) => {
                Self::contradiction("SIMULATION_REVERTED", words, json!({ "reason": reason }))
            }
            BuildError::Paused { filler, words: reason } => Self::new(ErrorName::CannotFill, words)
                .with_details(json!({ "reasons": [{ "filler": filler, "reason": reason }] })),
            BuildError::ChainNotServed(chain) => {
                Self::new(ErrorName::NotSupportedChain, words).with_details(json!({ "chainId": chain.get() }))
            }
            BuildError::Contended { ref order } => Self::not_now(&error, Some(order)),
            BuildError::Screening(error) => error.into(),
            BuildError::Chain(error) => error.into(),
            BuildError::Store(error) => error.into(),
            BuildError::Times | BuildError::NotTheJump | BuildError::Id(_) | BuildError::Key(_) => {
                Self::internal(&Chained(&error))
            }
        }
    }
}

impl From<SubmitError> for ApiError {
    fn from(error: SubmitError) -> Self {
        let words = sentence(&error);
        match error {
            SubmitError::QuoteNotFound(_) | SubmitError::RouteNotFound { .. } => Self::quote_not_found(words),
            SubmitError::NotBuilt { .. } => Self::contradiction("ROUTE_NOT_BUILT", words, json!({})),
            SubmitError::MalformedHash { .. } => Self::field("txHash", error.to_string()),
            SubmitError::WrongProof { method, .. } => {
                Self::contradiction("WRONG_PROOF", words, json!({ "depositMethod": method.as_str() }))
            }
            SubmitError::Conflict { order } => {
                Self::contradiction("DEPOSIT_TX_HASH_CONFLICT", words, json!({ "orderId": order.as_str() }))
            }
            SubmitError::NotThis(reason) => {
                Self::contradiction("NOT_THIS_DEPOSIT", words, json!({ "reason": reason }))
            }
            SubmitError::Altered(reason) => {
                Self::contradiction("MESSAGE_MISMATCH", words, json!({ "reason": reason }))
            }
            SubmitError::TooLate { order, .. } => {
                Self::contradiction("OPEN_DEADLINE_PASSED", words, json!({ "orderId": order.as_str() }))
            }
            SubmitError::Duplicate => Self::new(ErrorName::DuplicateRecord, words),
            SubmitError::Refused(reason) => {
                Self::new(ErrorName::Broadcast, words).with_details(json!({ "reason": reason }))
            }
            SubmitError::Taken { ref order } | SubmitError::Contended { ref order } => {
                Self::not_now(&error, Some(order))
            }
            SubmitError::ChainNotServed(_) => Self::not_now(&error, None),
            SubmitError::Chain(error) => error.into(),
            SubmitError::Store(error) => error.into(),
        }
    }
}

/// An error's words as a person writes them.
fn sentence(error: &dyn std::error::Error) -> String {
    let words = error.to_string();
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    let end = if words.ends_with(['.', '?', '!']) { "" } else { "." };
    [first.as_deref().unwrap_or_default(), letters.as_str(), end].concat()
}
