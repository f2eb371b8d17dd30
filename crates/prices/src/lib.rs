#![doc = include_str!("../README.md")]

pub mod chainlink;
pub mod coingecko;
mod drift;
mod fixed;
mod keep;
mod kinship;
mod known;
mod median;
mod number;
pub mod pyth;
mod sandbox;
mod source;
mod vaults;
mod web;

pub use drift::{DriftingPrices, Swing};
pub use fixed::FixedPrices;
pub use keep::{KeptSource, SourceReport};
pub use kinship::{asset_of, is_dollar, sandbox_swing};
pub use known::{DataError, KnownFeeds};
pub use median::{MedianPrices, MedianRules};
pub use sandbox::sandbox_price;
pub use source::{FixedSource, Heard, PriceSource, ReadFault, Reader, Sighting, Word, Words};
pub use vaults::VaultPrices;
pub use web::{ApiKey, SetupError};
