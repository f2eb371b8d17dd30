use alloy_primitives::Address;
use thiserror::Error;

/// Why the genesis accounts of a chain could not be created.
#[derive(Debug, Error)]
pub enum GenesisError {
    #[error("the compiled contract {name} is unusable: {reason}; build contracts/evm again")]
    Artifact { name: &'static str, reason: String },
    #[error("two contracts claim the address {0}; list each token once, and none at a canonical contract")]
    SharedAddress(Address),
    #[error("the token {symbol} has {decimals} decimals and a price that give no amount to start with")]
    Amount { symbol: String, decimals: u8 },
    #[error("the test phrase has no key at index {0}")]
    Key(u32),
}
