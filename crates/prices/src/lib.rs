#![doc = include_str!("../README.md")]

mod drift;
mod fixed;
mod kinship;
mod sandbox;
mod vaults;

pub use drift::{DriftingPrices, Swing};
pub use fixed::FixedPrices;
pub use kinship::{asset_of, is_dollar, sandbox_swing};
pub use sandbox::sandbox_price;
pub use vaults::VaultPrices;
