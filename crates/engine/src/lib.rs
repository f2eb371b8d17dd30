#![doc = include_str!("../README.md")]

mod keep_retention;
mod request_quote;

pub use keep_retention::{RetentionPolicy, keep_retention};
pub use request_quote::{QuoteError, QuoteRequest, RequestQuote};
