use std::time::Duration;

use crate::RpcUrl;

/// The hash of Solana mainnet's first block.
pub const MAINNET_GENESIS: &str = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

/// Where the chain is asked, and how much is asked of it.
#[derive(Clone, Debug)]
pub struct RpcConfig {
    /// In order of preference; at least one.
    pub endpoints: Vec<RpcUrl>,
    /// The genesis hash that an endpoint must show before anything else it says is believed.
    pub genesis: String,
    /// How long one endpoint may take for one answer.
    pub attempt_timeout: Duration,
    /// How often a question is asked in all before it counts as unanswered.
    pub attempts: usize,
    /// Calls a second to each endpoint; a batch counts as its calls.
    pub calls_per_second: u32,
    /// Calls that may leave at once after a pause.
    pub burst: u32,
    /// Longer answers are not read to their end.
    pub max_response_bytes: usize,
    /// Calls in one HTTP request.
    pub max_batch: usize,
    /// How often a transaction that was sent is looked up, and sent again.
    pub look_every: Duration,
}

impl RpcConfig {
    /// Mainnet at these endpoints, with limits that the usual providers accept.
    pub fn new(endpoints: Vec<RpcUrl>) -> Self {
        Self {
            attempts: endpoints.len().max(3),
            endpoints,
            genesis: MAINNET_GENESIS.to_owned(),
            attempt_timeout: Duration::from_secs(5),
            calls_per_second: 40,
            burst: 40,
            max_response_bytes: 8 * 1024 * 1024,
            max_batch: 25,
            // Leaders change every four slots, which is about as long.
            look_every: Duration::from_secs(2),
        }
    }
}
