//! Local stand-ins of liquidity providers, for tests and experiments: they answer as the providers' public documentation says,
//! and move play money on the sandbox's chains.

mod lifi;
mod money;

pub use lifi::{LifiStandIn, Mischief};
pub use money::PlayMoney;
