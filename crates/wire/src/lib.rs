#![doc = include_str!("../README.md")]

mod chain;
mod error;
mod filler;
mod hub;
mod page;
mod quote;
mod status;
mod token;

pub use chain::{BlockExplorer, BlockExplorers, Chain, NativeCurrency, RpcEndpoints, RpcUrls};
pub use error::{ErrorBody, ErrorName, Issue};
pub use filler::{Filler, FillerFills, FillerQuotes};
pub use hub::{HubConfig, HubContracts, Vault};
pub use page::{Data, Page};
pub use quote::{Fee, FillerReason, QuoteAnswer, QuoteAsk, Route, RouteQuote, StreamedRoute};
pub use status::Status;
pub use token::{Autocomplete, AutocompleteItem, Price, Suggestion, Token, TokenExtensions};
