//! Local stand-ins of liquidity providers, for tests and experiments: they answer as the providers' public documentation says,
//! and move play money on the sandbox's chains.

mod backend;
mod jupiter;
mod lifi;
mod money;
mod oneclick;
mod relay;
mod zerox;

pub use backend::Mischief;
pub use jupiter::JupiterStandIn;
pub use lifi::LifiStandIn;
pub use money::PlayMoney;
pub use oneclick::{OneClickStandIn, Played};
pub use relay::{RelayStandIn, depository_code};
pub use zerox::ZeroxStandIn;
