mod endpoint;
mod fault;
mod health;
mod http;
mod rate_limiter;
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::Client;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::endpoint::EndpointStatus;
pub(crate) use self::wire::{Call, shorten};

use self::endpoint::Endpoint;
use self::fault::{Fault, Faults, conclude, may_mean_no_batches};
use crate::{RpcConfig, RpcError, SetupError};

/// The delay before endpoints that all failed are retried; it doubles with each round.
const INITIAL_RETRY_DELAY: Duration = Duration::from_millis(100);

/// A Solana client that uses the healthiest of several endpoints and fails over to the next.
#[derive(Clone, Debug)]
pub struct SolanaRpc(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    config: RpcConfig,
    client: Client,
    endpoints: Vec<Endpoint>,
    /// Cleared when batches fail where single calls do not: some providers refuse them.
    supports_batches: AtomicBool,
}

impl SolanaRpc {
    /// Does not connect; the genesis hash of an endpoint is verified on its first use.
    pub fn new(config: RpcConfig) -> Result<Self, SetupError> {
        if config.endpoints.is_empty() {
            return Err(SetupError::NoEndpoint);
        }
        let endpoints = config.endpoints.iter().map(|url| Endpoint::new(url.clone(), &config)).collect();
        let client = http::client()?;
        Ok(Self(Arc::new(Pool { config, client, endpoints, supports_batches: AtomicBool::new(true) })))
    }

    /// The status of each endpoint, in the configured order.
    pub fn endpoints(&self) -> Vec<EndpointStatus> {
        self.0.endpoints.iter().map(Endpoint::status).collect()
    }

    /// Calls a method and reads its result as `T`.
    pub async fn call<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: Value,
    ) -> Result<T, RpcError> {
        self.request(Call { method, params }, Ok::<T, String>).await
    }

    pub(crate) fn config(&self) -> &RpcConfig {
        &self.0.config
    }

    /// Makes one call; a response that `check` rejects counts as the endpoint's fault.
    pub(crate) async fn request<W: DeserializeOwned, T>(
        &self,
        call: Call,
        check: impl Fn(W) -> Result<T, String>,
    ) -> Result<T, RpcError> {
        let calls = [call];
        let answers = self.attempt(&calls, &|_, wire| check(wire)).await.map_err(conclude)?;
        only(answers)
    }

    /// Makes several calls in as few requests as allowed; the responses of one request come from one endpoint.
    /// `check` also gets the index of the call.
    pub(crate) async fn request_batch<W: DeserializeOwned, T>(
        &self,
        calls: &[Call],
        check: impl Fn(usize, W) -> Result<T, String>,
    ) -> Result<Vec<T>, RpcError> {
        let size = self.0.config.max_batch.max(1);
        let mut results = Vec::with_capacity(calls.len());
        for (number, chunk) in calls.chunks(size).enumerate() {
            let check = |index: usize, wire: W| check(number * size + index, wire);
            results.extend(self.request_chunk(chunk, &check).await?);
        }
        Ok(results)
    }

    async fn request_chunk<W: DeserializeOwned, T>(
        &self,
        calls: &[Call],
        check: &impl Fn(usize, W) -> Result<T, String>,
    ) -> Result<Vec<T>, RpcError> {
        if calls.len() == 1 || self.0.supports_batches.load(Ordering::Relaxed) {
            match self.attempt(calls, check).await {
                Err(faults) if calls.len() > 1 && may_mean_no_batches(&faults) => {}
                done => return done.map_err(conclude),
            }
        }
        let mut results = Vec::with_capacity(calls.len());
        for (index, call) in calls.iter().enumerate() {
            let answers = self.attempt(std::slice::from_ref(call), &|_, wire| check(index, wire)).await;
            results.extend(answers.map_err(conclude)?);
        }
        if self.0.supports_batches.swap(false, Ordering::Relaxed) {
            tracing::info!("Solana endpoints refuse batches: switching to single calls");
        }
        Ok(results)
    }

    /// Calls every endpoint of the chain once, for what must reach or be confirmed by several nodes. Endpoints that
    /// back off are left out while others are available, because the slowest one determines the duration.
    pub(crate) async fn request_all_endpoints<T: DeserializeOwned>(
        &self,
        call: Call,
    ) -> Vec<Result<T, RpcError>> {
        let Pool { config, client, endpoints, .. } = &*self.0;
        let of_chain: Vec<&Endpoint> =
            endpoints.iter().filter(|endpoint| endpoint.rank().is_some()).collect();
        let available: Vec<&Endpoint> =
            of_chain.iter().copied().filter(|endpoint| !endpoint.is_backing_off()).collect();
        let calls = &[call];
        let calling =
            if available.is_empty() { of_chain } else { available }.into_iter().map(|endpoint| async move {
                let read = |body: &[u8]| read_all(body, 1, &|_, wire: T| Ok(wire));
                match endpoint.request(client, config, calls, read).await {
                    Ok(answers) => only(answers),
                    Err(fault) => Err(conclude(vec![(endpoint.name(), fault)])),
                }
            });
        futures::future::join_all(calling).await
    }

    /// Tries one endpoint after the other, and retries one only after all others have failed too.
    async fn attempt<W: DeserializeOwned, T>(
        &self,
        calls: &[Call],
        check: &impl Fn(usize, W) -> Result<T, String>,
    ) -> Result<Vec<T>, Faults> {
        let Pool { config, client, endpoints, .. } = &*self.0;
        let mut faults = Faults::new();
        let mut tried = Vec::new();
        let mut pause = INITIAL_RETRY_DELAY;
        for _ in 0..config.attempts.max(1) {
            if best(endpoints, &tried).is_none() && !tried.is_empty() {
                if faults.iter().all(|(_, fault)| fault.is_permanent()) {
                    break;
                }
                tried.clear();
                tokio::time::sleep(pause).await;
                pause = pause.saturating_mul(2);
            }
            let Some((index, endpoint)) = best(endpoints, &tried) else { break };
            tried.push(index);
            match endpoint.request(client, config, calls, |body| read_all(body, calls.len(), check)).await {
                Ok(answers) => return Ok(answers),
                Err(fault) => {
                    let is_final = matches!(fault, Fault::Refused { .. });
                    faults.push((endpoint.name(), fault));
                    if is_final {
                        break;
                    }
                }
            }
        }
        Err(faults)
    }
}

fn only<T>(mut answers: Vec<T>) -> Result<T, RpcError> {
    answers.pop().ok_or_else(|| RpcError::InvalidResponse("an empty response".to_owned()))
}

fn read_all<W: DeserializeOwned, T>(
    body: &[u8],
    calls: usize,
    check: &impl Fn(usize, W) -> Result<T, String>,
) -> Result<Vec<T>, Fault> {
    let answers = wire::decode(body, calls)?;
    let read = |(index, raw): (usize, &&serde_json::value::RawValue)| {
        let wire = serde_json::from_str(raw.get()).map_err(|error| wire::invalid_response(&error))?;
        check(index, wire).map_err(|why| Fault::InvalidResponse(shorten(&why)))
    };
    answers.iter().enumerate().map(read).collect()
}

/// The endpoint to try next; the configured order decides among equals.
fn best<'a>(endpoints: &'a [Endpoint], tried: &[usize]) -> Option<(usize, &'a Endpoint)> {
    let left = endpoints.iter().enumerate().filter(|(index, _)| !tried.contains(index));
    let ranked = left.filter_map(|(index, endpoint)| Some((endpoint.rank()?, index, endpoint)));
    ranked.min_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1))).map(|(_, index, endpoint)| (index, endpoint))
}
