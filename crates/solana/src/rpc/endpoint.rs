use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reqwest::Client;

use super::fault::Fault;
use super::health::Health;
use super::http;
use super::rate_limiter::RateLimiter;
use super::wire::{self, Call};
use crate::{RpcConfig, RpcUrl};

/// How long an endpoint of another chain is skipped before its genesis hash is checked again.
const WRONG_CHAIN_RETRY_AFTER: Duration = Duration::from_mins(5);

/// Which chain an endpoint serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chain {
    Unknown,
    Ours,
    Other { until: Instant },
}

#[derive(Debug)]
struct State {
    health: Health,
    rate_limiter: RateLimiter,
    chain: Chain,
}

/// One RPC endpoint.
#[derive(Debug)]
pub(super) struct Endpoint {
    url: RpcUrl,
    state: Mutex<State>,
}

/// The health of an endpoint, for monitoring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointStatus {
    /// Scheme and host.
    pub name: String,
    /// From 0 to 1000.
    pub score: u32,
    pub latency: Duration,
    /// Whether it is skipped for now after faults.
    pub is_backing_off: bool,
    /// Whether it serves the configured chain; `None` before it was checked.
    pub serves_chain: Option<bool>,
}

impl Endpoint {
    pub(super) fn new(url: RpcUrl, config: &RpcConfig) -> Self {
        let now = Instant::now();
        let rate_limiter = RateLimiter::new(config.calls_per_second, config.burst, now);
        Self {
            url,
            state: Mutex::new(State { health: Health::new(now), rate_limiter, chain: Chain::Unknown }),
        }
    }

    pub(super) fn name(&self) -> String {
        self.url.to_string()
    }

    pub(super) fn status(&self) -> EndpointStatus {
        let (state, now) = (self.state.lock(), Instant::now());
        EndpointStatus {
            name: self.name(),
            score: state.health.score(now),
            latency: state.health.latency(),
            is_backing_off: state.health.is_backing_off(now),
            serves_chain: match state.chain {
                Chain::Unknown => None,
                Chain::Ours => Some(true),
                Chain::Other { .. } => Some(false),
            },
        }
    }

    /// Its rank among endpoints; `None` while it is known to serve another chain.
    pub(super) fn rank(&self) -> Option<impl Ord> {
        let (state, now) = (self.state.lock(), Instant::now());
        match state.chain {
            Chain::Other { until } if now < until => None,
            _ => Some(state.health.rank(now)),
        }
    }

    pub(super) fn is_backing_off(&self) -> bool {
        self.state.lock().health.is_backing_off(Instant::now())
    }

    /// Sends `calls` once, after verifying that the endpoint serves the configured chain.
    pub(super) async fn request<T>(
        &self,
        client: &Client,
        config: &RpcConfig,
        calls: &[Call],
        read: impl FnOnce(&[u8]) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if self.state.lock().chain != Chain::Ours {
            self.verify_chain(client, config).await?;
        }
        self.exchange(client, config, calls, read).await
    }

    async fn verify_chain(&self, client: &Client, config: &RpcConfig) -> Result<(), Fault> {
        let calls = [Call { method: "getGenesisHash", params: serde_json::json!([]) }];
        let genesis: String = self
            .exchange(client, config, &calls, |body| {
                let answers = wire::decode(body, 1)?;
                let answer =
                    answers.first().ok_or_else(|| Fault::InvalidResponse("an empty response".to_owned()))?;
                serde_json::from_str(answer.get()).map_err(|error| wire::invalid_response(&error))
            })
            .await?;
        if genesis == config.genesis {
            self.state.lock().chain = Chain::Ours;
            return Ok(());
        }
        let genesis = wire::shorten(&genesis);
        tracing::error!(endpoint = %self.url, %genesis, expected = %config.genesis, "endpoint serves another chain");
        self.state.lock().chain = Chain::Other { until: Instant::now() + WRONG_CHAIN_RETRY_AFTER };
        Err(Fault::WrongChain(genesis))
    }

    async fn exchange<T>(
        &self,
        client: &Client,
        config: &RpcConfig,
        calls: &[Call],
        read: impl FnOnce(&[u8]) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let cost = u32::try_from(calls.len()).unwrap_or(u32::MAX);
        let wait = self
            .state
            .lock()
            .rate_limiter
            .reserve(cost, Instant::now(), config.attempt_timeout)
            .ok_or(Fault::LocalRateLimit)?;
        tokio::time::sleep(wait).await;
        let sent = Instant::now();
        let post = http::post(client, &self.url, wire::encode(calls), config.max_response_bytes);
        let answer = match tokio::time::timeout(config.attempt_timeout, post).await {
            Ok(received) => received.and_then(|body| read(&body)),
            Err(_) => Err(Fault::Timeout),
        };
        let answer = answer.map_err(|fault| self.redact(fault));
        self.record(sent.elapsed(), answer.as_ref().err());
        answer
    }

    fn record(&self, took: Duration, fault: Option<&Fault>) {
        let (mut state, now) = (self.state.lock(), Instant::now());
        match fault {
            Some(fault) if fault.is_endpoint_fault() => {
                tracing::debug!(endpoint = %self.url, %fault, "endpoint failed");
                state.health.failed(now, fault.retry_after());
                if fault.requires_chain_check() && state.chain == Chain::Ours {
                    state.chain = Chain::Unknown;
                }
            }
            _ => state.health.served(now, took),
        }
    }

    /// Servers repeat keys in their errors, and errors end up in logs and responses.
    fn redact(&self, fault: Fault) -> Fault {
        match fault {
            Fault::InvalidResponse(why) => Fault::InvalidResponse(self.url.redact(&why)),
            Fault::Node { code, message } => Fault::Node { code, message: self.url.redact(&message) },
            Fault::Refused { code, message, data } => {
                Fault::Refused { code, message: self.url.redact(&message), data }
            }
            other => other,
        }
    }
}
