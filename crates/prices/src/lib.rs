#![doc = include_str!("../README.md")]

mod asset_groups;
pub mod chainlink;
pub mod coingecko;
mod drift;
mod fixed;
mod http_source;
mod known;
mod median;
mod number;
mod polled_source;
pub mod pyth;
mod sandbox;
mod source;
mod vaults;

pub use asset_groups::{is_usd_stablecoin, sandbox_volatility, underlying_asset};
pub use drift::{DriftingPrices, Volatility};
pub use fixed::FixedPrices;
pub use http_source::{ApiKey, SetupError};
pub use known::{DataError, KnownFeeds};
pub use median::{MedianPrices, MedianRules};
pub use polled_source::{PolledSource, SourceReport};
pub use sandbox::sandbox_price;
pub use source::{
    FixedSource, PriceObservation, PriceResult, PriceResults, PriceSource, ReadError, Reader, SourcePrice,
};
pub use vaults::VaultPrices;
