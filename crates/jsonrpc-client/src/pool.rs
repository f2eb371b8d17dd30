use std::ops::Range;
use std::time::{Duration, Instant};

use futures::stream::{self, StreamExt};
use serde::de::DeserializeOwned;

use crate::agreement::median;
use crate::config::PoolConfig;
use crate::dialect::Dialect;
use crate::endpoint::{Endpoint, EndpointStatus, Shared};
use crate::error::{PoolError, SetupError};
use crate::fault::Fault;
use crate::http::Http;
use crate::outcome::{CallFault, exhausted};
use crate::split::split;
use crate::wire::{Call, invalid_response, shorten};

/// The pause before the next round through the endpoints; it doubles each round.
const BACKOFF: Duration = Duration::from_millis(150);
/// How many parts of a large batch are in flight at once.
const MAX_CONCURRENT_PARTS: usize = 8;

/// The endpoints of one chain, tried in order of health until one answers.
#[derive(Debug)]
pub struct Pool {
    shared: Shared,
    list: Vec<Endpoint>,
    rounds: u32,
    request_bytes: usize,
    batch_calls: usize,
    lag_blocks: u64,
}

/// What one endpoint answered to the same calls as all others.
#[derive(Clone, Debug)]
pub struct EndpointAnswer<T, E = PoolError> {
    /// Scheme, host and port only.
    pub endpoint: String,
    pub trusted: bool,
    /// In the order of the calls.
    pub answers: Vec<Result<T, E>>,
}

impl<T, E> EndpointAnswer<T, E> {
    pub fn map_err<F>(self, convert: impl Fn(E) -> F) -> EndpointAnswer<T, F> {
        let answers = self.answers.into_iter().map(|answer| answer.map_err(&convert)).collect();
        EndpointAnswer { endpoint: self.endpoint, trusted: self.trusted, answers }
    }
}

/// The outcome of one call at one endpoint: an answer, a refusal by the chain, or a fault of the endpoint.
type Outcome<T> = Result<Result<T, PoolError>, Fault>;

impl Pool {
    /// Sends nothing before the first call.
    pub fn new(dialect: Box<dyn Dialect>, config: &PoolConfig, http: Http) -> Result<Self, SetupError> {
        if config.endpoints.is_empty() {
            return Err(SetupError::NoEndpoints);
        }
        let shared =
            Shared { http, dialect, timeout: config.call_timeout, response_bytes: config.max_response_bytes };
        Ok(Self {
            shared,
            list: config.endpoints.iter().cloned().map(Endpoint::new).collect(),
            rounds: config.rounds.get(),
            request_bytes: config.max_request_bytes,
            batch_calls: config.max_batch_calls.get(),
            lag_blocks: config.lag_blocks,
        })
    }

    /// Makes one call, to the best endpoint that answers it.
    pub async fn call<T: DeserializeOwned>(&self, call: &Call) -> Result<T, PoolError> {
        self.call_checked(call, Ok).await
    }

    /// Like [`Pool::call`]; an answer that `check` rejects counts as the endpoint's fault.
    pub async fn call_checked<W: DeserializeOwned, T>(
        &self,
        call: &Call,
        check: impl Fn(W) -> Result<T, String>,
    ) -> Result<T, PoolError> {
        let mut answers = self.batch_checked(std::slice::from_ref(call), |_, wire| check(wire)).await;
        answers.pop().unwrap_or_else(|| Err(no_answer()))
    }

    /// Makes many calls in as few requests as the limits allow. Answers are in the order of the calls.
    pub async fn batch<T: DeserializeOwned>(&self, calls: &[Call]) -> Vec<Result<T, PoolError>> {
        self.batch_checked(calls, |_, wire| Ok(wire)).await
    }

    /// Like [`Pool::batch`]; `check` also gets the index of the call.
    pub async fn batch_checked<W: DeserializeOwned, T>(
        &self,
        calls: &[Call],
        check: impl Fn(usize, W) -> Result<T, String>,
    ) -> Vec<Result<T, PoolError>> {
        let encoded: Vec<Vec<u8>> = calls.iter().enumerate().map(|(id, call)| call.encode(id)).collect();
        let parts = split(&encoded, self.batch_calls, self.request_bytes);
        let answers: Vec<Vec<Result<T, PoolError>>> =
            stream::iter(parts.into_iter().map(|part| self.with_failover(&encoded, part, &check)))
                .buffered(MAX_CONCURRENT_PARTS)
                .collect()
                .await;
        answers.into_iter().flatten().collect()
    }

    /// The answers of every endpoint of this chain to the same calls, in one batch each. An endpoint that rests after
    /// repeated faults answers with an error at once while others are available.
    pub async fn each<T: DeserializeOwned>(&self, calls: &[Call]) -> Vec<EndpointAnswer<T>> {
        let encoded: Vec<Vec<u8>> = calls.iter().enumerate().map(|(id, call)| call.encode(id)).collect();
        let ids: Vec<usize> = (0..calls.len()).collect();
        let (encoded, ids, now) = (&encoded, &ids, Instant::now());
        let ranked = self.ranked();
        let all_rest = ranked.iter().all(|endpoint| endpoint.is_backing_off(now));
        let ask = |endpoint| async move {
            let outcomes: Vec<Outcome<T>> = if !all_rest && Endpoint::is_backing_off(endpoint, now) {
                ids.iter().map(|_| Err(Fault::BackingOff)).collect()
            } else {
                self.ask(endpoint, encoded, ids, &|_, wire| Ok(wire)).await
            };
            let mut outcomes = outcomes.into_iter();
            let answers = ids.iter().map(|id| {
                let outcome = outcomes.next();
                let outcome = outcome.unwrap_or_else(|| Err(Fault::InvalidResponse("no answer".to_owned())));
                outcome.unwrap_or_else(|fault| Err(exhausted(&self.list, *id, &[(*id, endpoint, fault)])))
            });
            EndpointAnswer {
                endpoint: endpoint.url().to_string(),
                trusted: endpoint.is_trusted(),
                answers: answers.collect(),
            }
        };
        futures::future::join_all(ranked.into_iter().map(ask)).await
    }

    /// Reads chain and newest block of every endpoint and marks those that lag behind the chain's head, the median.
    pub async fn probe(&self) -> Vec<EndpointStatus> {
        let heads =
            futures::future::join_all(self.list.iter().map(|endpoint| endpoint.probe(&self.shared))).await;
        let chain_head = median(heads.iter().flatten().copied());
        for (endpoint, head) in self.list.iter().zip(&heads) {
            if let Err(fault) = head {
                endpoint.failed(fault);
            }
            endpoint.update_head(head.as_ref().ok().copied(), chain_head, self.lag_blocks);
        }
        self.statuses()
    }

    /// The last known state of the endpoints, in the configured order, without calling them.
    pub fn statuses(&self) -> Vec<EndpointStatus> {
        self.list.iter().map(Endpoint::status).collect()
    }

    /// The usable endpoints, best first; equal ones keep the configured order.
    fn ranked(&self) -> Vec<&Endpoint> {
        let now = Instant::now();
        let mut ranked: Vec<_> = self.list.iter().filter_map(|e| Some((e.rank(now)?, e))).collect();
        ranked.sort_by(|(one, _), (other, _)| one.cmp(other));
        ranked.into_iter().map(|(_, endpoint)| endpoint).collect()
    }

    async fn with_failover<W: DeserializeOwned, T>(
        &self,
        encoded: &[Vec<u8>],
        part: Range<usize>,
        check: &impl Fn(usize, W) -> Result<T, String>,
    ) -> Vec<Result<T, PoolError>> {
        let mut open: Vec<usize> = part.clone().collect();
        let mut answers: Vec<Option<Result<T, PoolError>>> = part.clone().map(|_| None).collect();
        let mut faults: Vec<CallFault<'_>> = Vec::new();
        'asking: for round in 0..self.rounds {
            if round > 0 {
                if faults.iter().all(|(.., fault)| fault.is_permanent()) {
                    break;
                }
                tokio::time::sleep(BACKOFF * 2u32.saturating_pow(round - 1)).await;
            }
            for endpoint in self.ranked() {
                let outcomes = self.ask(endpoint, encoded, &open, check).await;
                let mut unanswered = Vec::new();
                for (id, outcome) in open.iter().copied().zip(outcomes) {
                    match outcome {
                        Ok(answer) => {
                            if let Some(slot) = answers.get_mut(id - part.start) {
                                *slot = Some(answer);
                            }
                        }
                        Err(fault) => {
                            unanswered.push(id);
                            faults.push((id, endpoint, fault));
                        }
                    }
                }
                open = unanswered;
                if open.is_empty() {
                    break 'asking;
                }
            }
        }
        let or_exhausted = |(id, answer): (usize, Option<_>)| {
            answer.unwrap_or_else(|| Err(exhausted(&self.list, id, &faults)))
        };
        part.zip(answers).map(or_exhausted).collect()
    }

    /// One endpoint's outcomes for the calls `ids`, in their order.
    async fn ask<W: DeserializeOwned, T>(
        &self,
        endpoint: &Endpoint,
        encoded: &[Vec<u8>],
        ids: &[usize],
        check: &impl Fn(usize, W) -> Result<T, String>,
    ) -> Vec<Outcome<T>> {
        if let Err(fault) = endpoint.verify_chain(&self.shared).await {
            endpoint.failed(&fault);
            return ids.iter().map(|_| Err(fault.clone())).collect();
        }
        let mut outcomes = Vec::with_capacity(ids.len());
        let mut waiting: Vec<&[usize]> = ids.chunks(endpoint.batch_calls()).rev().collect();
        while let Some(ids) = waiting.pop() {
            match self.exchange(endpoint, encoded, ids, check).await {
                Ok(answers) => outcomes.extend(answers),
                Err(fault) if ids.len() > 1 && fault.wants_smaller_batch() => {
                    // A response that is too large does not mean that the batch was too long.
                    if !matches!(fault, Fault::TooLarge(_)) {
                        endpoint.batch_was_too_long(ids.len());
                    }
                    waiting.extend(ids.chunks(ids.len().div_ceil(2)).rev());
                }
                Err(fault) => {
                    endpoint.failed(&fault);
                    outcomes.extend(ids.iter().map(|_| Err(fault.clone())));
                    // The remaining requests would fail alike; another endpoint may do better.
                    while let Some(rest) = waiting.pop() {
                        outcomes.extend(rest.iter().map(|_| Err(fault.clone())));
                    }
                }
            }
        }
        outcomes
    }

    async fn exchange<W: DeserializeOwned, T>(
        &self,
        endpoint: &Endpoint,
        encoded: &[Vec<u8>],
        ids: &[usize],
        check: &impl Fn(usize, W) -> Result<T, String>,
    ) -> Result<Vec<Outcome<T>>, Fault> {
        let bodies: Vec<Vec<u8>> = ids.iter().filter_map(|id| encoded.get(*id).cloned()).collect();
        let sent = Instant::now();
        let replies = endpoint.post(&self.shared, &bodies, ids).await?;
        let outcomes: Vec<Outcome<T>> = ids
            .iter()
            .zip(replies)
            .map(|(id, reply)| match reply? {
                Ok(raw) => {
                    let wire = serde_json::from_str(raw.get()).map_err(|error| invalid_response(&error))?;
                    check(*id, wire).map(Ok).map_err(|why| Fault::InvalidResponse(shorten(&why)))
                }
                Err(error) => Ok(Err(PoolError::Refused {
                    code: error.code,
                    message: error.message,
                    data: error.data.map(Box::new),
                })),
            })
            .collect();
        match outcomes.iter().find_map(|outcome| outcome.as_ref().err()) {
            Some(fault) => endpoint.failed(fault),
            None => endpoint.succeeded(sent.elapsed()),
        }
        Ok(outcomes)
    }
}

fn no_answer() -> PoolError {
    PoolError::InvalidResponse("no answer".to_owned())
}
