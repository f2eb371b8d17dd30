//! Configured token lists: validated, refreshed, and cached for when their source is unavailable.

mod cache;
mod config;
mod fetch;
mod format;
mod list;

pub use config::TokenListConfig;

pub(crate) use fetch::{Fetcher, Incoming};
#[cfg(any(test, fuzzing))]
pub(crate) use format::parse as parse_document;
pub(crate) use list::{List, Tokens};

use thiserror::Error;

/// Maximum list size; about 100,000 tokens fit.
pub(crate) const MAX_LIST_BYTES: usize = 20 * 1024 * 1024;

/// Why a token list is not used.
#[derive(Debug, Error)]
pub enum ListError {
    #[error("`name` has to be 1 to 64 characters, and no two lists may share it")]
    Name,
    #[error("give either `url` or `file`, and not both")]
    Source,
    #[error("the address is not one that starts with http:// or https://")]
    Url,
    #[error("`refresh_minutes` has to be at least 1")]
    Interval,
    #[error("there is no list of that name")]
    Unknown,
    #[error("it is larger than 20 MiB")]
    TooLarge,
    #[error("it is not a token list: {0}")]
    Malformed(String),
    #[error("none of its {0} entries is valid")]
    Empty(usize),
    #[error("its file cannot be read: {0}")]
    File(#[source] std::io::Error),
    /// The message does not contain the URL.
    #[error("its source does not answer: {0}")]
    Request(String),
    #[error("its source answers with status {0}")]
    Status(u16),
    #[error(transparent)]
    Client(#[from] causeway_http_client::SetupError),
}

impl ListError {
    /// Whether a retry may succeed.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::File(_) | Self::Request(_) => true,
            Self::Status(status) => *status >= 500 || *status == 429 || *status == 408,
            _ => false,
        }
    }
}

/// The result of a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refreshed {
    Unchanged,
    /// The number of tokens and of skipped entries.
    Updated {
        tokens: usize,
        skipped: usize,
    },
}
