use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use crate::url::RpcUrl;

const ONE: NonZeroUsize = NonZeroUsize::MIN;

/// One RPC endpoint of a chain and its limits.
#[derive(Clone, Debug)]
pub struct EndpointConfig {
    pub url: RpcUrl,
    /// JSON-RPC calls per second; each call of a batch counts. No limit when absent.
    pub calls_per_second: Option<NonZeroU32>,
    /// The maximum number of concurrent requests.
    pub in_flight: NonZeroUsize,
    /// Whether its word is enough by itself: the operator's own node.
    pub trusted: bool,
}

impl EndpointConfig {
    pub fn new(url: RpcUrl) -> Self {
        Self { url, calls_per_second: None, in_flight: ONE.saturating_add(15), trusted: false }
    }
}

/// How a chain is reached.
#[derive(Clone, Debug)]
pub struct PoolConfig {
    /// In order of preference: the first healthy endpoint is used.
    pub endpoints: Vec<EndpointConfig>,
    /// How long one endpoint may take for one request before the next is tried.
    pub call_timeout: Duration,
    /// How many times the list of endpoints is gone through before a call fails.
    pub rounds: NonZeroU32,
    pub max_response_bytes: usize,
    pub max_request_bytes: usize,
    pub max_batch_calls: NonZeroUsize,
    /// An endpoint that is more than this many blocks behind the chain's head is tried last.
    pub lag_blocks: u64,
}

impl PoolConfig {
    /// The default limits for these endpoints. A single endpoint is asked once more than several.
    pub fn new(urls: impl IntoIterator<Item = RpcUrl>) -> Self {
        let endpoints: Vec<_> = urls.into_iter().map(EndpointConfig::new).collect();
        Self {
            rounds: NonZeroU32::MIN.saturating_add(if endpoints.len() > 1 { 1 } else { 2 }),
            endpoints,
            call_timeout: Duration::from_secs(6),
            max_response_bytes: 10 << 20,
            max_request_bytes: 1 << 20,
            max_batch_calls: ONE.saturating_add(99),
            lag_blocks: 5,
        }
    }
}
