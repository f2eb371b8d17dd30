//! Our own market maker: takes prices from a feed and pays from its own inventory.

mod accounts;
mod book;
mod breakers;
mod claim_sizes;
mod config;
mod executor;
mod exposure;
mod filler;
mod gas;
mod levels;
mod limits;
mod outflow_window;
mod peg;
mod pricing;
mod refresh_book;
mod served;
mod spread;
mod swap;
mod wide;

pub use accounts::Accounts;
pub use book::{Book, Holding};
pub use breakers::{Breaker, BreakerLimits, Breakers};
pub use claim_sizes::ClaimSizes;
pub use config::{ClaimBatching, ConfigError, InventoryConfig};
pub use executor::InventoryExecutor;
pub use exposure::Unclaimed;
pub use filler::{FillerDependencies, InventoryFiller};
pub use gas::GasUnits;
pub use outflow_window::OutflowWindow;
pub use refresh_book::{BookSources, refresh_book};
pub use served::{ChainTerms, ServedToken};
pub use spread::{PairClass, Spread, Spreads, Tier};
