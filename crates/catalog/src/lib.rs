#![doc = include_str!("../README.md")]

mod autocomplete;
mod catalog;
mod chains;
mod data;
mod digest;
mod error;
// Twice, because lints that spare tests know them by this very condition.
#[cfg(test)]
mod fixture;
#[cfg(all(fuzzing, not(test)))]
mod fixture;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod haystack;
mod lists;
mod search;
mod snapshot;
mod tokens;

pub use autocomplete::{Completion, Slot, SuggestedToken, Suggestion};
pub use catalog::{Catalog, CatalogOptions};
pub use chains::{ChainOverride, CurrencyConfig, ExplorerConfig, Icon, load_chains};
pub use error::CatalogError;
pub use lists::{ListError, Refreshed, TokenListConfig};
pub use snapshot::{Listed, MAX_SEARCH_RESULTS, Page, Snapshot, TokenFilter};
pub use tokens::{Asset, Cursor, OwnToken};
