#![doc = include_str!("../README.md")]

mod keep_retention;
mod read_balances;
mod request_quote;

pub use keep_retention::{RetentionPolicy, keep_retention};
pub use read_balances::{Balances, ReadBalances};
pub use request_quote::{QuoteError, QuoteRequest, RequestQuote};
