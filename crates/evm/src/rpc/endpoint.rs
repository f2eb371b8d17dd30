use std::time::{Duration, Instant};

use alloy_primitives::U64;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::Semaphore;

use super::classify::RpcError;
use super::fault::Fault;
use super::health::Health;
use super::http::Http;
use super::rate_limiter::RateLimiter;
use super::url::RpcUrl;
use super::wire::{Answer, Call, body, read_answers};
use crate::config::EndpointConfig;

/// How long an endpoint that served another chain is not used.
const WRONG_CHAIN_PAUSE: Duration = Duration::from_mins(1);

/// The state of an endpoint, for dashboards and checks.
#[derive(Clone, Debug)]
pub struct EndpointStatus {
    /// Scheme, host and port only.
    pub address: String,
    /// Zero when healthy; it decays with time.
    pub penalty: u64,
    pub lagging: bool,
    /// Whether it has reported the right chain id.
    pub chain_verified: bool,
    /// The newest block it had when it was last probed.
    pub head: Option<u64>,
}

/// Limits of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) timeout: Duration,
    pub(super) response_bytes: usize,
}

#[derive(Debug)]
pub(super) struct Endpoint {
    url: RpcUrl,
    slots: Semaphore,
    rate_limiter: Mutex<RateLimiter>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    health: Health,
    chain_verified: bool,
    paused_until: Option<Instant>,
    head: Option<u64>,
    /// The maximum calls in one request, lowered when the endpoint rejects a batch.
    batch_calls: usize,
}

impl Endpoint {
    pub(super) fn new(config: EndpointConfig) -> Self {
        let state = State {
            health: Health::new(Instant::now()),
            chain_verified: false,
            paused_until: None,
            head: None,
            batch_calls: usize::MAX,
        };
        Self {
            url: config.url,
            slots: Semaphore::new(config.in_flight.get().min(Semaphore::MAX_PERMITS)),
            rate_limiter: Mutex::new(RateLimiter::new(config.calls_per_second)),
            state: Mutex::new(state),
        }
    }

    pub(super) const fn url(&self) -> &RpcUrl {
        &self.url
    }

    /// Its rank among the endpoints; `None` while it is paused.
    pub(super) fn rank(&self, now: Instant) -> Option<(bool, u64)> {
        let state = self.state.lock();
        let paused = state.paused_until.is_some_and(|until| until > now);
        (!paused).then(|| state.health.rank(now))
    }

    pub(super) fn status(&self) -> EndpointStatus {
        let state = self.state.lock();
        EndpointStatus {
            address: self.url.to_string(),
            penalty: state.health.penalty_at(Instant::now()),
            lagging: state.health.is_lagging(),
            chain_verified: state.chain_verified,
            head: state.head,
        }
    }

    pub(super) fn batch_calls(&self) -> usize {
        self.state.lock().batch_calls.max(1)
    }

    /// Records that a batch of `calls` was too long.
    pub(super) fn batch_was_too_long(&self, calls: usize) {
        let mut state = self.state.lock();
        state.batch_calls = state.batch_calls.min(calls / 2);
    }

    pub(super) fn succeeded(&self) {
        self.state.lock().health.succeeded(Instant::now());
    }

    pub(super) fn failed(&self, fault: &Fault) {
        tracing::debug!(endpoint = %self.url, %fault, "RPC endpoint failed");
        let now = Instant::now();
        let mut state = self.state.lock();
        state.health.failed(fault.weight(), now);
        if fault.invalidates_chain_check() {
            state.chain_verified = false;
        }
        if let Fault::WrongChain(found) = fault {
            state.paused_until = now.checked_add(WRONG_CHAIN_PAUSE);
            tracing::warn!(endpoint = %self.url, found, "RPC endpoint serves another chain, paused");
        }
    }

    pub(super) fn update_head(&self, head: Option<u64>, best: Option<u64>, tolerance: u64) {
        let mut state = self.state.lock();
        state.head = head;
        let behind = best.zip(head).is_some_and(|(best, head)| best.saturating_sub(head) > tolerance);
        state.health.set_lagging(behind);
    }

    /// Checks the chain id unless it was checked before.
    pub(super) async fn verify_chain(&self, http: &Http, chain: u64, limits: Limits) -> Result<(), Fault> {
        if self.state.lock().chain_verified {
            return Ok(());
        }
        let request = [Call::new("eth_chainId", json!([])).encode(0)];
        let answers = self.post(http, &request, &[0], limits).await?;
        self.check_chain(answers.into_iter().next().flatten(), chain)
    }

    fn check_chain(&self, answer: Option<Answer>, chain: u64) -> Result<(), Fault> {
        let found: U64 = decode(answer)?;
        if found.to::<u64>() != chain {
            return Err(Fault::WrongChain(found.to()));
        }
        let mut state = self.state.lock();
        state.chain_verified = true;
        state.paused_until = None;
        Ok(())
    }

    /// Reads chain id and newest block, even if the chain id was checked before.
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
                .rate_limiter
                .lock()
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
        Some(Ok(raw)) => {
            serde_json::from_str(raw.get()).map_err(|error| Fault::InvalidResponse(error.to_string()))
        }
        Some(Err(RpcError::Fault(fault))) => Err(fault),
        Some(Err(RpcError::Refusal { message, .. })) => Err(Fault::Transient(message)),
        None => Err(Fault::InvalidResponse("no result".to_owned())),
    }
}
