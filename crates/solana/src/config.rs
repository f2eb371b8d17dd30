use std::time::Duration;

use crate::RpcUrl;

/// The genesis hash of Solana mainnet.
pub const MAINNET_GENESIS: &str = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

/// The RPC endpoints and the limits of the client.
#[derive(Clone, Debug)]
pub struct RpcConfig {
    /// In order of preference; at least one.
    pub endpoints: Vec<RpcUrl>,
    /// An endpoint is used only after it returned this genesis hash.
    pub genesis: String,
    /// The timeout of one attempt at one endpoint.
    pub attempt_timeout: Duration,
    /// The total number of attempts of one call, over all endpoints.
    pub attempts: usize,
    /// Calls per second to each endpoint; every call of a batch counts.
    pub calls_per_second: u32,
    /// Calls that may be sent at once after an idle period.
    pub burst: u32,
    /// Longer responses are aborted.
    pub max_response_bytes: usize,
    /// Calls in one HTTP request.
    pub max_batch: usize,
    /// The interval at which a sent transaction is looked up and resent.
    pub poll_interval: Duration,
}

impl RpcConfig {
    /// Mainnet at these endpoints, with limits that common providers accept.
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
            poll_interval: Duration::from_secs(2),
        }
    }
}
