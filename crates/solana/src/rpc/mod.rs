mod endpoint;
mod fault;
mod health;
mod http;
mod pace;
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

/// The wait before endpoints that all failed are asked once more; it doubles with each round.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// A client of Solana that asks the healthiest of several endpoints and goes on to the next when one fails.
#[derive(Clone, Debug)]
pub struct SolanaRpc(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    config: RpcConfig,
    client: Client,
    endpoints: Vec<Endpoint>,
    /// Cleared when batches fail where the same calls one by one do not: some providers refuse them.
    takes_batches: AtomicBool,
}

impl SolanaRpc {
    /// Sets up without connecting; endpoints are asked for their genesis hash when they are first needed.
    pub fn new(config: RpcConfig) -> Result<Self, SetupError> {
        if config.endpoints.is_empty() {
            return Err(SetupError::NoEndpoint);
        }
        let endpoints = config.endpoints.iter().map(|url| Endpoint::new(url.clone(), &config)).collect();
        let client = http::client()?;
        Ok(Self(Arc::new(Pool { config, client, endpoints, takes_batches: AtomicBool::new(true) })))
    }

    /// How each endpoint does, in the configured order.
    pub fn endpoints(&self) -> Vec<EndpointStatus> {
        self.0.endpoints.iter().map(Endpoint::status).collect()
    }

    /// Asks any method and reads its result as `T`.
    pub async fn call<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: Value,
    ) -> Result<T, RpcError> {
        self.ask(Call { method, params }, Ok::<T, String>).await
    }

    pub(crate) fn config(&self) -> &RpcConfig {
        &self.0.config
    }

    /// Asks one question; an answer that `check` does not accept counts as the endpoint's fault.
    pub(crate) async fn ask<W: DeserializeOwned, T>(
        &self,
        call: Call,
        check: impl Fn(W) -> Result<T, String>,
    ) -> Result<T, RpcError> {
        let calls = [call];
        let answers = self.attempt(&calls, &|_, wire| check(wire)).await.map_err(conclude)?;
        only(answers)
    }

    /// Asks several questions in as few requests as allowed; each request's answers come from one endpoint.
    /// `check` also gets the number of the question.
    pub(crate) async fn ask_all<W: DeserializeOwned, T>(
        &self,
        calls: &[Call],
        check: impl Fn(usize, W) -> Result<T, String>,
    ) -> Result<Vec<T>, RpcError> {
        let size = self.0.config.max_batch.max(1);
        let mut results = Vec::with_capacity(calls.len());
        for (number, chunk) in calls.chunks(size).enumerate() {
            let check = |index: usize, wire: W| check(number * size + index, wire);
            results.extend(self.ask_chunk(chunk, &check).await?);
        }
        Ok(results)
    }

    async fn ask_chunk<W: DeserializeOwned, T>(
        &self,
        calls: &[Call],
        check: &impl Fn(usize, W) -> Result<T, String>,
    ) -> Result<Vec<T>, RpcError> {
        if calls.len() == 1 || self.0.takes_batches.load(Ordering::Relaxed) {
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
        if self.0.takes_batches.swap(false, Ordering::Relaxed) {
            tracing::info!("Solana's endpoints refuse batches; calls go one by one from now on");
        }
        Ok(results)
    }

    /// Asks every endpoint of our chain once, for what must reach many nodes or be seen by several. Those that rest
    /// after faults are left out while others are there, because the slowest sets the pace.
    pub(crate) async fn ask_everyone<T: DeserializeOwned>(&self, call: Call) -> Vec<Result<T, RpcError>> {
        let Pool { config, client, endpoints, .. } = &*self.0;
        let ours: Vec<&Endpoint> = endpoints.iter().filter(|endpoint| endpoint.rank().is_some()).collect();
        let awake: Vec<&Endpoint> = ours.iter().copied().filter(|endpoint| !endpoint.is_resting()).collect();
        let calls = &[call];
        let asking = if awake.is_empty() { ours } else { awake }.into_iter().map(|endpoint| async move {
            let read = |body: &[u8]| read_all(body, 1, &|_, wire: T| Ok(wire));
            match endpoint.ask(client, config, calls, read).await {
                Ok(answers) => only(answers),
                Err(fault) => Err(conclude(vec![(endpoint.name(), fault)])),
            }
        });
        futures::future::join_all(asking).await
    }

    /// Asks one endpoint after the other, each again only when all others have failed too.
    async fn attempt<W: DeserializeOwned, T>(
        &self,
        calls: &[Call],
        check: &impl Fn(usize, W) -> Result<T, String>,
    ) -> Result<Vec<T>, Faults> {
        let Pool { config, client, endpoints, .. } = &*self.0;
        let mut faults = Faults::new();
        let mut asked = Vec::new();
        let mut pause = FIRST_PAUSE;
        for _ in 0..config.attempts.max(1) {
            if best(endpoints, &asked).is_none() && !asked.is_empty() {
                if faults.iter().all(|(_, fault)| fault.is_lasting()) {
                    break;
                }
                asked.clear();
                tokio::time::sleep(pause).await;
                pause = pause.saturating_mul(2);
            }
            let Some((index, endpoint)) = best(endpoints, &asked) else { break };
            asked.push(index);
            match endpoint.ask(client, config, calls, |body| read_all(body, calls.len(), check)).await {
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
    answers.pop().ok_or_else(|| RpcError::Nonsense("an empty answer".to_owned()))
}

fn read_all<W: DeserializeOwned, T>(
    body: &[u8],
    calls: usize,
    check: &impl Fn(usize, W) -> Result<T, String>,
) -> Result<Vec<T>, Fault> {
    let answers = wire::decode(body, calls)?;
    let read = |(index, raw): (usize, &&serde_json::value::RawValue)| {
        let wire = serde_json::from_str(raw.get()).map_err(|error| wire::garbage(&error))?;
        check(index, wire).map_err(|why| Fault::Garbage(shorten(&why)))
    };
    answers.iter().enumerate().map(read).collect()
}

/// The endpoint to ask next; the configured order decides among equals.
fn best<'a>(endpoints: &'a [Endpoint], asked: &[usize]) -> Option<(usize, &'a Endpoint)> {
    let left = endpoints.iter().enumerate().filter(|(index, _)| !asked.contains(index));
    let ranked = left.filter_map(|(index, endpoint)| Some((endpoint.rank()?, index, endpoint)));
    ranked.min_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1))).map(|(_, index, endpoint)| (index, endpoint))
}
