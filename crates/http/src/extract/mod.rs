//! Request parsing. All problems of a request are collected and returned in one error.

mod body;
mod hex;
mod path;
mod query;

pub(crate) use body::{Body, Fields, whole_number};
pub(crate) use hex::{parse_hash, parse_hex, parse_submitted_id, parse_transaction_id};
pub(crate) use path::{PathParam, parse_address, parse_chain_id};
pub(crate) use query::QueryParams;

use causeway_wire::Issue;

use crate::error::ApiError;

/// Maximum length of free text, in characters.
pub(crate) const MAX_TEXT: usize = 256;

/// Collects the problems found while a request is parsed.
#[derive(Debug, Default)]
pub(crate) struct Issues(Vec<Issue>);

impl Issues {
    pub(crate) fn add(&mut self, path: &str, message: impl std::fmt::Display) {
        self.0.push(Issue { path: path.to_owned(), message: message.to_string() });
    }

    /// Returns the value, or records the error as an issue and returns `None`.
    pub(crate) fn check<T, E: std::fmt::Display>(&mut self, path: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.add(path, error)).ok()
    }

    pub(crate) fn first(&self) -> Option<&Issue> {
        self.0.first()
    }

    pub(crate) fn finish(self) -> Result<(), ApiError> {
        if self.0.is_empty() { Ok(()) } else { Err(ApiError::validation(&self.0)) }
    }
}

/// Checks that search text is not blank, not too long and free of control characters.
fn check_text(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("must not be empty".to_owned());
    }
    let length = text.chars().count();
    if length > MAX_TEXT {
        return Err(format!("is {length} characters long; at most {MAX_TEXT} are read"));
    }
    if text.chars().any(char::is_control) {
        return Err("must not hold control characters".to_owned());
    }
    Ok(())
}
