#![doc = include_str!("../README.md")]

mod chain;
mod error;
mod page;
mod quote;
mod status;
mod token;

pub use chain::{BlockExplorer, BlockExplorers, Chain, NativeCurrency, RpcEndpoints, RpcUrls};
pub use error::{ErrorBody, ErrorName, Issue};
pub use page::{Data, Page};
pub use quote::{Fee, QuoteAnswer, QuoteAsk, Route, RouteQuote};
pub use status::Status;
pub use token::{Autocomplete, AutocompleteItem, Price, Suggestion, Token, TokenExtensions};
