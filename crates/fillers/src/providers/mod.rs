//! Liquidity providers, which settle swaps themselves, by contracts or addresses of their own: a folder for each.

mod answers;
mod asks;
mod budget;
pub mod check;
pub mod jupiter;
pub mod lifi;
pub mod oneclick;
mod pins;
pub mod relay;
#[cfg(feature = "standin")]
pub mod standin;
mod transport;
pub mod zerox;

pub use budget::Budget;
pub use pins::{BundledContract, PinnedContracts, PinnedContractsConfig};
pub use transport::{ProviderKey, ProviderSetupError};
