use std::num::NonZeroUsize;

use alloy_primitives::{Address, address};
use causeway_domain::ChainId;
use causeway_jsonrpc_client::{PoolConfig, RpcUrl, SetupError};
use thiserror::Error;

/// The address of Multicall3 on nearly every chain.
const MULTICALL3: Address = address!("cA11bde05977b3631167028862bE2a173976CA11");

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("chain {0} is not an EVM chain")]
    NotEvm(ChainId),
    #[error(transparent)]
    Endpoints(#[from] SetupError),
}

/// How the client reaches a chain.
#[derive(Clone, Debug)]
pub struct EvmConfig {
    pub pool: PoolConfig,
    pub multicall: Address,
    pub tokens_per_multicall: NonZeroUsize,
    pub fees: FeePolicy,
}

impl EvmConfig {
    /// The default limits for these endpoints, and the usual address of Multicall3.
    pub fn new(urls: impl IntoIterator<Item = RpcUrl>) -> Self {
        Self {
            pool: PoolConfig::new(urls),
            multicall: MULTICALL3,
            tokens_per_multicall: NonZeroUsize::MIN.saturating_add(399),
            fees: FeePolicy::default(),
        }
    }
}

/// Limits on what a transaction may cost.
#[derive(Clone, Debug)]
pub struct FeePolicy {
    /// The percentile of recent priority fees that we pay.
    pub percentile: u8,
    /// The minimum priority fee per gas, in wei.
    pub min_priority_fee: u128,
    /// The maximum fee per gas, in wei.
    pub max_fee_per_gas: u128,
    /// The margin added to gas estimates, in percent.
    pub gas_margin_percent: u8,
    /// How many times as much gas as Ethereum the chain takes for the same call, at most.
    pub gas_factor: u8,
}

impl Default for FeePolicy {
    fn default() -> Self {
        Self {
            percentile: 50,
            min_priority_fee: 1_000_000,
            max_fee_per_gas: 2_000_000_000_000,
            gas_margin_percent: 20,
            gas_factor: 1,
        }
    }
}
