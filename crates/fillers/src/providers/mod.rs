//! Liquidity providers, which settle swaps through contracts of their own: a folder for each.

pub mod lifi;
mod pins;
#[cfg(feature = "standin")]
pub mod standin;
mod transport;

pub use pins::{BundledContract, PinnedContracts, PinnedContractsConfig};
pub use transport::{Budget, ProviderKey};
