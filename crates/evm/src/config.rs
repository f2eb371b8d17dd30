use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use alloy_primitives::{Address, address};
use causeway_domain::ChainId;
use thiserror::Error;

use crate::rpc::RpcUrl;

/// The address of Multicall3 on nearly every chain.
const MULTICALL3: Address = address!("cA11bde05977b3631167028862bE2a173976CA11");

const ONE: NonZeroUsize = NonZeroUsize::MIN;

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("a chain needs at least one RPC address")]
    NoEndpoints,
    #[error("chain {0} is not an EVM chain")]
    NotEvm(ChainId),
    #[error("the HTTP client cannot be built: {0}")]
    Http(String),
}

/// One RPC endpoint of a chain and its limits.
#[derive(Clone, Debug)]
pub struct EndpointConfig {
    pub url: RpcUrl,
    /// JSON-RPC calls per second; each call of a batch counts. No limit when absent.
    pub calls_per_second: Option<NonZeroU32>,
    /// The maximum number of concurrent requests.
    pub in_flight: NonZeroUsize,
}

impl EndpointConfig {
    pub fn new(url: RpcUrl) -> Self {
        Self { url, calls_per_second: None, in_flight: ONE.saturating_add(15) }
    }
}

/// How the client reaches a chain.
#[derive(Clone, Debug)]
pub struct EvmConfig {
    /// In order of preference: the first healthy endpoint is used.
    pub endpoints: Vec<EndpointConfig>,
    /// How long one endpoint may take for one request before the client tries the next.
    pub call_timeout: Duration,
    /// How many times the client goes through the list of endpoints before it gives up.
    pub rounds: NonZeroU32,
    pub max_response_bytes: usize,
    pub max_request_bytes: usize,
    pub max_batch_calls: NonZeroUsize,
    /// An endpoint that is more than this many blocks behind the best one is tried last.
    pub lag_blocks: u64,
    pub multicall: Address,
    pub tokens_per_multicall: NonZeroUsize,
    pub fees: FeePolicy,
}

impl EvmConfig {
    /// The default limits for these endpoints, and the usual address of Multicall3.
    pub fn new(urls: impl IntoIterator<Item = RpcUrl>) -> Self {
        Self {
            endpoints: urls.into_iter().map(EndpointConfig::new).collect(),
            call_timeout: Duration::from_secs(6),
            rounds: NonZeroU32::MIN.saturating_add(1),
            max_response_bytes: 10 << 20,
            max_request_bytes: 1 << 20,
            max_batch_calls: ONE.saturating_add(99),
            lag_blocks: 5,
            multicall: MULTICALL3,
            tokens_per_multicall: ONE.saturating_add(399),
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
}

impl Default for FeePolicy {
    fn default() -> Self {
        Self {
            percentile: 50,
            min_priority_fee: 1_000_000,
            max_fee_per_gas: 2_000_000_000_000,
            gas_margin_percent: 20,
        }
    }
}
