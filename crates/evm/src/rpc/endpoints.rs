use std::ops::Range;
use std::time::{Duration, Instant};

use causeway_domain::ChainId;
use futures::stream::{self, StreamExt};
use serde::de::DeserializeOwned;

use super::classify::{RpcError, shorten};
use super::endpoint::{Endpoint, EndpointStatus, Limits};
use super::fault::Fault;
use super::http::Http;
use super::wire::Call;
use crate::config::EvmConfig;
use crate::error::CallError;

/// The pause before the next round through the endpoints; it doubles each round.
const BACKOFF: Duration = Duration::from_millis(150);
/// How many parts of a large batch are in flight at once.
const MAX_CONCURRENT_PARTS: usize = 8;

/// The endpoints of one chain, tried in order of health until one answers.
#[derive(Debug)]
pub(crate) struct Endpoints {
    chain: ChainId,
    http: Http,
    list: Vec<Endpoint>,
    limits: Limits,
    rounds: u32,
    request_bytes: usize,
    batch_calls: usize,
    lag_blocks: u64,
}

/// The outcome of one call: an answer, a rejection by the chain, or a fault of the endpoint.
type Outcome<T> = Result<Result<T, CallError>, Fault>;

impl Endpoints {
    pub(crate) fn new(chain: ChainId, config: &EvmConfig, http: Http) -> Self {
        Self {
            chain,
            http,
            list: config.endpoints.iter().cloned().map(Endpoint::new).collect(),
            limits: Limits { timeout: config.call_timeout, response_bytes: config.max_response_bytes },
            rounds: config.rounds.get(),
            request_bytes: config.max_request_bytes,
            batch_calls: config.max_batch_calls.get(),
            lag_blocks: config.lag_blocks,
        }
    }

    /// Answers to all calls, in their order.
    pub(crate) async fn batch<T>(&self, calls: &[Call]) -> Vec<Result<T, CallError>>
    where
        T: DeserializeOwned + Send,
    {
        let encoded: Vec<Vec<u8>> = calls.iter().enumerate().map(|(id, call)| call.encode(id)).collect();
        let parts = split(&encoded, self.batch_calls, self.request_bytes);
        let answers: Vec<Vec<Result<T, CallError>>> =
            stream::iter(parts.into_iter().map(|part| self.with_failover(&encoded, part)))
                .buffered(MAX_CONCURRENT_PARTS)
                .collect()
                .await;
        answers.into_iter().flatten().collect()
    }

    /// The answers of every endpoint of this chain to the same calls, in one batch each, with its name.
    pub(crate) async fn each<'a, T>(&'a self, calls: &[Call]) -> Vec<(String, Vec<Result<T, CallError>>)>
    where
        T: DeserializeOwned + Send,
    {
        let encoded: Vec<Vec<u8>> = calls.iter().enumerate().map(|(id, call)| call.encode(id)).collect();
        let ids: Vec<usize> = (0..calls.len()).collect();
        let (encoded, ids) = (&encoded, &ids);
        let ask = |endpoint: &'a Endpoint| async move {
            let outcomes = self.ask::<T>(endpoint, encoded, ids).await;
            let mut outcomes = outcomes.into_iter();
            let answers = ids.iter().map(|id| {
                let outcome = outcomes.next();
                let outcome = outcome.unwrap_or_else(|| Err(Fault::InvalidResponse("no answer".to_owned())));
                outcome.unwrap_or_else(|fault| Err(self.exhausted(*id, &[(*id, endpoint, fault)])))
            });
            (endpoint.url().to_string(), answers.collect())
        };
        futures::future::join_all(self.ranked().into_iter().map(ask)).await
    }

    /// Reads chain id and newest block from every endpoint and marks the ones that lag.
    pub(crate) async fn probe(&self) -> Vec<EndpointStatus> {
        let probes =
            self.list.iter().map(|endpoint| endpoint.probe(&self.http, self.chain.get(), self.limits));
        let heads = futures::future::join_all(probes).await;
        let best = heads.iter().flatten().max().copied();
        for (endpoint, head) in self.list.iter().zip(&heads) {
            if let Err(fault) = head {
                endpoint.failed(fault);
            }
            endpoint.update_head(head.as_ref().ok().copied(), best, self.lag_blocks);
        }
        self.statuses()
    }

    pub(crate) fn statuses(&self) -> Vec<EndpointStatus> {
        self.list.iter().map(Endpoint::status).collect()
    }

    /// The usable endpoints, best first; equal ones keep the configured order.
    fn ranked(&self) -> Vec<&Endpoint> {
        let now = Instant::now();
        let mut ranked: Vec<_> = self.list.iter().filter_map(|e| Some((e.rank(now)?, e))).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, endpoint)| endpoint).collect()
    }

    async fn with_failover<T>(&self, encoded: &[Vec<u8>], part: Range<usize>) -> Vec<Result<T, CallError>>
    where
        T: DeserializeOwned + Send,
    {
        let mut open: Vec<usize> = part.clone().collect();
        let mut answers: Vec<Option<Result<T, CallError>>> = part.clone().map(|_| None).collect();
        let mut faults = Vec::new();
        'asking: for round in 0..self.rounds {
            if round > 0 {
                tokio::time::sleep(BACKOFF * 2u32.saturating_pow(round - 1)).await;
            }
            for endpoint in self.ranked() {
                let outcomes = self.ask::<T>(endpoint, encoded, &open).await;
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
        let or_exhausted =
            |(id, answer): (usize, Option<_>)| answer.unwrap_or_else(|| Err(self.exhausted(id, &faults)));
        part.zip(answers).map(or_exhausted).collect()
    }

    /// One endpoint's outcomes for the calls `ids`, in their order.
    async fn ask<T>(&self, endpoint: &Endpoint, encoded: &[Vec<u8>], ids: &[usize]) -> Vec<Outcome<T>>
    where
        T: DeserializeOwned + Send,
    {
        if let Err(fault) = endpoint.verify_chain(&self.http, self.chain.get(), self.limits).await {
            endpoint.failed(&fault);
            return ids.iter().map(|_| Err(fault.clone())).collect();
        }
        let mut outcomes = Vec::with_capacity(ids.len());
        let mut waiting: Vec<&[usize]> = ids.chunks(endpoint.batch_calls()).rev().collect();
        while let Some(ids) = waiting.pop() {
            match self.exchange(endpoint, encoded, ids).await {
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

    async fn exchange<T>(
        &self,
        endpoint: &Endpoint,
        encoded: &[Vec<u8>],
        ids: &[usize],
    ) -> Result<Vec<Outcome<T>>, Fault>
    where
        T: DeserializeOwned + Send,
    {
        let bodies: Vec<Vec<u8>> = ids.iter().filter_map(|id| encoded.get(*id).cloned()).collect();
        let answers = endpoint.post(&self.http, &bodies, ids, self.limits).await?;
        let outcomes: Vec<Outcome<T>> = answers
            .into_iter()
            .map(|answer| match answer {
                Some(Ok(raw)) => serde_json::from_str(raw.get())
                    .map(Ok)
                    .map_err(|error| Fault::InvalidResponse(error.to_string())),
                Some(Err(RpcError::Refusal { code, message, data })) => Ok(Err(CallError::Refused {
                    chain: self.chain,
                    code,
                    message: endpoint.url().scrub(&message),
                    data,
                })),
                Some(Err(RpcError::Fault(fault))) => Err(fault),
                None => Err(Fault::InvalidResponse("a call of the batch was left out".to_owned())),
            })
            .collect();
        match outcomes.iter().find_map(|outcome| outcome.as_ref().err()) {
            Some(fault) => endpoint.failed(fault),
            None => endpoint.succeeded(),
        }
        Ok(outcomes)
    }

    /// The error after all endpoints failed, with the last fault of each. If no endpoint supports the call, it is a rejection.
    fn exhausted(&self, id: usize, faults: &[(usize, &Endpoint, Fault)]) -> CallError {
        let about: Vec<_> = faults.iter().filter(|(about, ..)| *about == id).collect();
        if let Some((_, endpoint, fault)) = about.last()
            && about.iter().all(|(.., fault)| matches!(fault, Fault::Unsupported(_) | Fault::TooLarge(_)))
        {
            let message = endpoint.url().scrub(&fault.to_string());
            return CallError::Refused { chain: self.chain, code: -32601, message, data: None };
        }
        let mut messages: Vec<String> = Vec::new();
        for endpoint in &self.list {
            if let Some((.., fault)) = about.iter().rev().find(|(_, at, _)| std::ptr::eq(*at, endpoint)) {
                messages.push(format!(
                    "{}: {}",
                    endpoint.url(),
                    endpoint.url().scrub(&shorten(&fault.to_string()))
                ));
            }
        }
        if messages.is_empty() {
            messages.push("every endpoint serves another chain".to_owned());
        }
        CallError::Unavailable { chain: self.chain, faults: messages.join("; ") }
    }
}

/// Splits calls into parts within both limits; a call that is too long by itself still goes out alone.
fn split(encoded: &[Vec<u8>], calls: usize, bytes: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (id, call) in encoded.iter().enumerate() {
        if id > start && (id - start >= calls || size + call.len() >= bytes) {
            parts.push(start..id);
            (start, size) = (id, 0);
        }
        size += call.len() + 1;
    }
    if start < encoded.len() {
        parts.push(start..encoded.len());
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_cover_every_call_once_and_keep_to_the_limits(
            sizes in prop::collection::vec(1usize..50, 0..200), calls in 1usize..30, bytes in 60usize..500,
        ) {
            let encoded: Vec<Vec<u8>> = sizes.iter().map(|size| vec![b'x'; *size]).collect();
            let parts = split(&encoded, calls, bytes);
            let covered: Vec<usize> = parts.iter().cloned().flatten().collect();
            prop_assert_eq!(covered, (0..sizes.len()).collect::<Vec<_>>());
            for part in parts {
                prop_assert!(part.len() <= calls);
                prop_assert!(part.len() == 1 || encoded[part].iter().map(|call| call.len() + 1).sum::<usize>() <= bytes);
            }
        }
    }
}
