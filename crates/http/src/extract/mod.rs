//! Reading requests: every problem of a request is collected and told at once.

mod body;
mod hex;
mod path;
mod query;

pub(crate) use body::{Body, Fields};
pub(crate) use hex::{parse_hash, parse_hex};
pub(crate) use path::{Segment, parse_address};
pub(crate) use query::Params;

use causeway_wire::Issue;

use crate::error::ApiError;

/// The longest text that a person would type into a search box.
pub(crate) const MAX_TEXT: usize = 256;

/// What is wrong with a request, gathered while it is read.
#[derive(Debug, Default)]
pub(crate) struct Issues(Vec<Issue>);

impl Issues {
    pub(crate) fn add(&mut self, path: &str, message: impl std::fmt::Display) {
        self.0.push(Issue { path: path.to_owned(), message: message.to_string() });
    }

    /// Keeps a value, or the reason why there is none.
    pub(crate) fn keep<T, E: std::fmt::Display>(&mut self, path: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.add(path, error)).ok()
    }

    pub(crate) fn first(&self) -> Option<&Issue> {
        self.0.first()
    }

    pub(crate) fn finish(self) -> Result<(), ApiError> {
        if self.0.is_empty() { Ok(()) } else { Err(ApiError::validation(&self.0)) }
    }
}

/// Text that can be searched for: not empty, not endless, nothing invisible.
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
