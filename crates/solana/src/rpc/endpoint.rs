use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reqwest::Client;

use super::fault::Fault;
use super::health::Health;
use super::http;
use super::pace::Pace;
use super::wire::{self, Call};
use crate::{RpcConfig, RpcUrl};

/// How long an endpoint of another chain is left alone before it is asked again who it is.
const EXILE: Duration = Duration::from_mins(5);

/// What an endpoint has shown of its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chain {
    Unknown,
    Ours,
    Other { until: Instant },
}

#[derive(Debug)]
struct State {
    health: Health,
    pace: Pace,
    chain: Chain,
}

/// One address at which the chain is asked.
#[derive(Debug)]
pub(super) struct Endpoint {
    url: RpcUrl,
    state: Mutex<State>,
}

/// How an endpoint does, for those who watch over the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointStatus {
    /// Scheme and host.
    pub name: String,
    /// From 0 to 1000.
    pub score: u32,
    pub latency: Duration,
    /// Whether it is left alone for now after faults.
    pub resting: bool,
    /// Whether it serves the configured chain; `None` before it was asked.
    pub serves_chain: Option<bool>,
}

impl Endpoint {
    pub(super) fn new(url: RpcUrl, config: &RpcConfig) -> Self {
        let now = Instant::now();
        let pace = Pace::new(config.calls_per_second, config.burst, now);
        Self { url, state: Mutex::new(State { health: Health::new(now), pace, chain: Chain::Unknown }) }
    }

    pub(super) fn name(&self) -> String {
        self.url.to_string()
    }

    pub(super) fn status(&self) -> EndpointStatus {
        let (state, now) = (self.state(), Instant::now());
        EndpointStatus {
            name: self.name(),
            score: state.health.score(now),
            latency: state.health.latency(),
            resting: state.health.is_resting(now),
            serves_chain: match state.chain {
                Chain::Unknown => None,
                Chain::Ours => Some(true),
                Chain::Other { .. } => Some(false),
            },
        }
    }

    /// Its place among others, or nothing while it is known to serve another chain.
    pub(super) fn rank(&self) -> Option<impl Ord> {
        let (state, now) = (self.state(), Instant::now());
        match state.chain {
            Chain::Other { until } if now < until => None,
            _ => Some(state.health.rank(now)),
        }
    }

    pub(super) fn is_resting(&self) -> bool {
        self.state().health.is_resting(Instant::now())
    }

    /// Asks `calls` here once, after the endpoint has shown that it serves the configured chain.
    pub(super) async fn ask<T>(
        &self,
        client: &Client,
        config: &RpcConfig,
        calls: &[Call],
        read: impl FnOnce(&[u8]) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if self.state().chain != Chain::Ours {
            self.introduce(client, config).await?;
        }
        self.exchange(client, config, calls, read).await
    }

    async fn introduce(&self, client: &Client, config: &RpcConfig) -> Result<(), Fault> {
        let question = [Call { method: "getGenesisHash", params: serde_json::json!([]) }];
        let genesis: String = self
            .exchange(client, config, &question, |body| {
                let answers = wire::decode(body, 1)?;
                let answer = answers.first().ok_or_else(|| Fault::Garbage("an empty answer".to_owned()))?;
                serde_json::from_str(answer.get()).map_err(|error| wire::garbage(&error))
            })
            .await?;
        if genesis == config.genesis {
            self.state().chain = Chain::Ours;
            return Ok(());
        }
        let genesis = wire::shorten(&genesis);
        tracing::error!(endpoint = %self.url, %genesis, expected = %config.genesis, "endpoint of another chain");
        self.state().chain = Chain::Other { until: Instant::now() + EXILE };
        Err(Fault::OtherChain(genesis))
    }

    async fn exchange<T>(
        &self,
        client: &Client,
        config: &RpcConfig,
        calls: &[Call],
        read: impl FnOnce(&[u8]) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let cost = u32::try_from(calls.len()).unwrap_or(u32::MAX);
        let wait =
            self.state().pace.reserve(cost, Instant::now(), config.attempt_timeout).ok_or(Fault::OwnPace)?;
        tokio::time::sleep(wait).await;
        let sent = Instant::now();
        let post = http::post(client, &self.url, wire::encode(calls), config.max_response_bytes);
        let answer = match tokio::time::timeout(config.attempt_timeout, post).await {
            Ok(received) => received.and_then(|body| read(&body)),
            Err(_) => Err(Fault::Timeout),
        };
        let answer = answer.map_err(|fault| self.hide(fault));
        self.record(sent.elapsed(), answer.as_ref().err());
        answer
    }

    fn record(&self, took: Duration, fault: Option<&Fault>) {
        let (mut state, now) = (self.state(), Instant::now());
        match fault {
            Some(fault) if fault.is_the_endpoints() => {
                tracing::debug!(endpoint = %self.url, %fault, "an endpoint failed");
                state.health.failed(now, fault.named_rest());
                if fault.breaks_trust() && state.chain == Chain::Ours {
                    state.chain = Chain::Unknown;
                }
            }
            _ => state.health.served(now, took),
        }
    }

    /// Servers repeat keys in their errors, and errors end in logs and answers.
    fn hide(&self, fault: Fault) -> Fault {
        match fault {
            Fault::Garbage(why) => Fault::Garbage(self.url.hide(&why)),
            Fault::Node { code, message } => Fault::Node { code, message: self.url.hide(&message) },
            Fault::Refused { code, message, data } => {
                Fault::Refused { code, message: self.url.hide(&message), data }
            }
            other => other,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held; if something did, the numbers in it would still be usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
