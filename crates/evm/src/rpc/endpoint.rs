use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use alloy_primitives::U64;
use serde_json::json;
use tokio::sync::Semaphore;

use super::classify::RpcError;
use super::fault::Fault;
use super::health::Health;
use super::http::Http;
use super::pace::Pace;
use super::url::RpcUrl;
use super::wire::{Answer, Call, body, read_answers};
use crate::config::EndpointConfig;

/// How long an endpoint that served another chain is left alone.
const SHUNNED: Duration = Duration::from_mins(1);

/// What is known about an endpoint, for a dashboard or a check-up.
#[derive(Clone, Debug)]
pub struct EndpointStatus {
    /// Scheme, host and port only.
    pub address: String,
    /// Zero when all is well; it decays with time.
    pub penalty: u64,
    pub lagging: bool,
    /// Whether it has said that it serves the right chain.
    pub trusted: bool,
    /// The newest block it had when it was last probed.
    pub head: Option<u64>,
}

/// What requests to an endpoint must keep to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) timeout: Duration,
    pub(super) response_bytes: usize,
}

#[derive(Debug)]
pub(super) struct Endpoint {
    url: RpcUrl,
    slots: Semaphore,
    pace: Mutex<Pace>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    health: Health,
    trusted: bool,
    shunned_until: Option<Instant>,
    head: Option<u64>,
    /// The most calls that it takes in one request, as far as it has complained.
    batch_calls: usize,
}

impl Endpoint {
    pub(super) fn new(config: EndpointConfig) -> Self {
        let state = State {
            health: Health::new(Instant::now()),
            trusted: false,
            shunned_until: None,
            head: None,
            batch_calls: usize::MAX,
        };
        Self {
            url: config.url,
            slots: Semaphore::new(config.in_flight.get().min(Semaphore::MAX_PERMITS)),
            pace: Mutex::new(Pace::new(config.calls_per_second)),
            state: Mutex::new(state),
        }
    }

    pub(super) const fn url(&self) -> &RpcUrl {
        &self.url
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its place in the order of asking, or none while it is shunned.
    pub(super) fn rank(&self, now: Instant) -> Option<(bool, u64)> {
        let state = self.state();
        let shunned = state.shunned_until.is_some_and(|until| until > now);
        (!shunned).then(|| state.health.rank(now))
    }

    pub(super) fn status(&self) -> EndpointStatus {
        let state = self.state();
        EndpointStatus {
            address: self.url.to_string(),
            penalty: state.health.penalty_at(Instant::now()),
            lagging: state.health.is_lagging(),
            trusted: state.trusted,
            head: state.head,
        }
    }

    pub(super) fn batch_calls(&self) -> usize {
        self.state().batch_calls.max(1)
    }

    /// Remembers that a batch of `calls` was refused for its length.
    pub(super) fn batch_was_too_long(&self, calls: usize) {
        let mut state = self.state();
        state.batch_calls = state.batch_calls.min(calls / 2);
    }

    pub(super) fn succeeded(&self) {
        self.state().health.succeeded(Instant::now());
    }

    pub(super) fn failed(&self, fault: &Fault) {
        tracing::debug!(endpoint = %self.url, %fault, "an RPC endpoint failed");
        let now = Instant::now();
        let mut state = self.state();
        state.health.failed(fault.weight(), now);
        if fault.breaks_trust() {
            state.trusted = false;
        }
        if let Fault::WrongChain(found) = fault {
            state.shunned_until = now.checked_add(SHUNNED);
            tracing::warn!(endpoint = %self.url, found, "an RPC endpoint serves another chain and is left alone");
        }
    }

    pub(super) fn seen_head(&self, head: Option<u64>, best: Option<u64>, tolerance: u64) {
        let mut state = self.state();
        state.head = head;
        let behind = best.zip(head).is_some_and(|(best, head)| best.saturating_sub(head) > tolerance);
        state.health.set_lagging(behind);
    }

    /// Asks for the chain id unless it was told before.
    pub(super) async fn believe(&self, http: &Http, chain: u64, limits: Limits) -> Result<(), Fault> {
        if self.state().trusted {
            return Ok(());
        }
        let question = [Call::new("eth_chainId", json!([])).encode(0)];
        let answers = self.post(http, &question, &[0], limits).await?;
        self.check_chain(answers.into_iter().next().flatten(), chain)
    }

    fn check_chain(&self, answer: Option<Answer>, chain: u64) -> Result<(), Fault> {
        let found: U64 = decode(answer)?;
        if found.to::<u64>() != chain {
            return Err(Fault::WrongChain(found.to()));
        }
        let mut state = self.state();
        state.trusted = true;
        state.shunned_until = None;
        Ok(())
    }

    /// Asks for chain id and newest block, whatever was known before.
    pub(super) async fn probe(&self, http: &Http, chain: u64, limits: Limits) -> Result<u64, Fault> {
        let calls = ["eth_chainId", "eth_blockNumber"];
        let mut answers = Vec::new();
        for (id, method) in calls.into_iter().enumerate() {
            answers.extend(self.post(http, &[Call::new(method, json!([])).encode(id)], &[id], limits).await?);
        }
        let mut answers = answers.into_iter();
        self.check_chain(answers.next().flatten(), chain)?;
        decode::<U64>(answers.next().flatten()).map(|head| head.to())
    }

    /// Sends encoded calls with their ids, within the endpoint's own limits.
    pub(super) async fn post(
        &self,
        http: &Http,
        encoded: &[Vec<u8>],
        ids: &[usize],
        limits: Limits,
    ) -> Result<Vec<Option<Answer>>, Fault> {
        let exchange = async {
            let _slot = self.slots.acquire().await.map_err(|_| Fault::Busy)?;
            let wait = self
                .pace
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(encoded.len(), Instant::now(), limits.timeout / 2)
                .ok_or(Fault::Busy)?;
            tokio::time::sleep(wait).await;
            let bytes = http.post(&self.url, body(encoded), limits.response_bytes).await?;
            read_answers(&bytes, ids)
        };
        tokio::time::timeout(limits.timeout, exchange).await.unwrap_or(Err(Fault::Timeout))
    }
}

fn decode<T: serde::de::DeserializeOwned>(answer: Option<Answer>) -> Result<T, Fault> {
    match answer {
        Some(Ok(raw)) => serde_json::from_str(raw.get()).map_err(|error| Fault::Garbage(error.to_string())),
        Some(Err(RpcError::Fault(fault))) => Err(fault),
        Some(Err(RpcError::Refusal { message, .. })) => Err(Fault::Says(message)),
        None => Err(Fault::Garbage("no result".to_owned())),
    }
}
