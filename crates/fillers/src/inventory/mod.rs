//! Our own market maker: prices from a feed, pays from its own book.

mod accounts;
mod book;
mod config;
mod exposure;
mod filler;
mod gas;
mod hand;
mod keep_book;
mod limits;
mod peg;
mod pricing;
mod served;
mod spread;
mod swap;
mod watch;
mod wide;

pub use accounts::Accounts;
pub use book::{Book, Holding};
pub use config::{ConfigError, InventoryConfig};
pub use exposure::Unclaimed;
pub use filler::{Equipment, InventoryFiller};
pub use gas::GasUnits;
pub use hand::InventoryHand;
pub use keep_book::{BookSources, keep_book};
pub use served::{ChainTerms, ServedToken};
pub use spread::{PairClass, Spread, Spreads, Tier};
