use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use causeway_jsonrpc_client::{PoolConfig, RpcUrl};

/// The genesis hash of Solana mainnet.
pub const MAINNET_GENESIS: &str = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

/// Slots are four times as frequent as the blocks that the default tolerance means.
const LAG_SLOTS: u64 = 50;
const CALLS_PER_SECOND: NonZeroU32 = NonZeroU32::MIN.saturating_add(39);
const MAX_BATCH_CALLS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(24);

/// The RPC endpoints and the limits of the client.
#[derive(Clone, Debug)]
pub struct RpcConfig {
    pub pool: PoolConfig,
    /// An endpoint is used only after it returned this genesis hash.
    pub genesis: String,
    /// The interval at which a sent transaction is looked up and resent.
    pub poll_interval: Duration,
}

impl RpcConfig {
    /// Mainnet at these endpoints, with limits that common providers accept.
    pub fn new(endpoints: Vec<RpcUrl>) -> Self {
        let mut pool = PoolConfig {
            call_timeout: Duration::from_secs(5),
            max_response_bytes: 8 * 1024 * 1024,
            max_batch_calls: MAX_BATCH_CALLS,
            lag_blocks: LAG_SLOTS,
            ..PoolConfig::new(endpoints)
        };
        for endpoint in &mut pool.endpoints {
            endpoint.calls_per_second = Some(CALLS_PER_SECOND);
        }
        Self {
            pool,
            genesis: MAINNET_GENESIS.to_owned(),
            // Leaders change every four slots, which is about as long.
            poll_interval: Duration::from_secs(2),
        }
    }
}
