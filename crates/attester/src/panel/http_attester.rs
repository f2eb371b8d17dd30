use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use causeway_domain::ports::{AttestationRefusal, BatchRefusal};
use causeway_domain::{IntentTerms, SignedAttestation, SignedBatch};
use causeway_http_client::{ResponseError, SetupError, read_body};
use parking_lot::Mutex;
use reqwest::{Client, StatusCode, Url, header};
use serde::Serialize;
use thiserror::Error;

use super::Attest;
use crate::wire::{
    AttestBatchRequest, AttestRequest, AttestationJson, BatchRefusalJson, HealthSummaryJson, RefusalJson,
    SignedBatchJson,
};

const TIMEOUT: Duration = Duration::from_secs(20);
/// How long the answer to "are you there" may take, and how long it is used.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(3);
const HEALTH_TTL: Duration = Duration::from_secs(3);
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Why an HTTP attester cannot be created.
#[derive(Debug, Error)]
pub enum HttpAttesterError {
    #[error("an attester's address is a URL that starts with https:// or http://")]
    Address,
    #[error(transparent)]
    Client(#[from] SetupError),
}

/// The chains that an attester read at that time.
type ReadableChains = (Instant, Vec<u64>);

/// An attester that answers over HTTP.
#[derive(Clone)]
pub struct HttpAttester {
    client: Client,
    attest: Url,
    attest_batch: Url,
    health: Url,
    /// What its health was when it was last read.
    chains: Arc<Mutex<Option<ReadableChains>>>,
}

impl fmt::Debug for HttpAttester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpAttester({})", self.attest.host_str().unwrap_or_default())
    }
}

impl HttpAttester {
    /// The attester whose API has this base URL.
    pub fn new(address: &str) -> Result<Self, HttpAttesterError> {
        let base = Url::parse(address).map_err(|_| HttpAttesterError::Address)?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(HttpAttesterError::Address);
        }
        let at = |path: &str| {
            let mut url = base.clone();
            url.path_segments_mut().map_err(|()| HttpAttesterError::Address)?.pop_if_empty().push(path);
            Ok::<_, HttpAttesterError>(url)
        };
        let (attest, attest_batch, health) = (at("attest")?, at("attest-batch")?, at("health")?);
        let client = causeway_http_client::client(TIMEOUT)?;
        Ok(Self { client, attest, attest_batch, health, chains: Arc::default() })
    }

    /// How many chains it read when it was last asked; none before.
    pub fn last_readable_chains(&self) -> Option<usize> {
        self.chains.lock().as_ref().map(|(_, chains)| chains.len())
    }

    /// The chains that it reads now; none while it does not answer.
    pub async fn readable_chains(&self) -> Vec<u64> {
        if let Some((_, chains)) = self.chains.lock().as_ref().filter(|(at, _)| at.elapsed() < HEALTH_TTL) {
            return chains.clone();
        }
        let chains = self.read_health().await.unwrap_or_default();
        *self.chains.lock() = Some((Instant::now(), chains.clone()));
        chains
    }

    async fn read_health(&self) -> Option<Vec<u64>> {
        // Its answer is complete with either status code: 503 means that one chain of many is not readable.
        let response = self.client.get(self.health.clone()).timeout(HEALTH_TIMEOUT).send().await.ok()?;
        let bytes = read_body(response, MAX_RESPONSE_BYTES).await.ok()?;
        let health: HealthSummaryJson = serde_json::from_slice(&bytes).ok()?;
        Some(health.readable_chains())
    }

    /// Posts a request; whether it was granted, and the answer.
    async fn exchange(
        &self,
        url: &Url,
        request: &impl Serialize,
    ) -> Result<(StatusCode, Vec<u8>), AttestationRefusal> {
        let unreachable =
            |error: reqwest::Error| AttestationRefusal::Unreachable(error.without_url().to_string());
        let body =
            serde_json::to_vec(request).map_err(|error| AttestationRefusal::Nonsense(error.to_string()))?;
        let request = self.client.post(url.clone()).header(header::CONTENT_TYPE, "application/json");
        let response = request.body(body).send().await.map_err(unreachable)?;
        let status = response.status();
        let bytes = read_body(response, MAX_RESPONSE_BYTES).await.map_err(|error| match error {
            ResponseError::TooLong(limit) => {
                AttestationRefusal::Nonsense(format!("it is longer than {limit} bytes"))
            }
            ResponseError::Interrupted(error) => unreachable(error),
        })?;
        Ok((status, bytes))
    }
}

#[async_trait]
impl Attest for HttpAttester {
    async fn attest(&self, terms: &IntentTerms) -> Result<SignedAttestation, AttestationRefusal> {
        let request = AttestRequest { terms: terms.to_bytes().into() };
        let (status, bytes) = self.exchange(&self.attest, &request).await?;
        let nonsense = |error: serde_json::Error| AttestationRefusal::Nonsense(error.to_string());
        if !status.is_success() {
            let RefusalJson { name, message, retry } = serde_json::from_slice(&bytes).map_err(nonsense)?;
            return Err(AttestationRefusal::Remote { name, message, retry });
        }
        let answer: AttestationJson = serde_json::from_slice(&bytes).map_err(nonsense)?;
        answer.read().ok_or_else(|| AttestationRefusal::Nonsense("a part of it is missing".to_owned()))
    }

    async fn attest_batch(&self, orders: &[IntentTerms]) -> Result<SignedBatch, BatchRefusal> {
        let orders = orders.iter().map(|terms| terms.to_bytes().into()).collect();
        let (status, bytes) = self.exchange(&self.attest_batch, &AttestBatchRequest { orders }).await?;
        let nonsense = |error: serde_json::Error| AttestationRefusal::Nonsense(error.to_string());
        if status == StatusCode::NOT_FOUND {
            // An older version, which signs for one order at a time.
            return Err(AttestationRefusal::NoBatches.into());
        }
        if !status.is_success() {
            return Err(serde_json::from_slice::<BatchRefusalJson>(&bytes).map_err(nonsense)?.read());
        }
        Ok(serde_json::from_slice::<SignedBatchJson>(&bytes).map_err(nonsense)?.read())
    }

    async fn is_ready(&self, terms: &IntentTerms) -> bool {
        let chains = self.readable_chains().await;
        [terms.origin_chain_id, terms.destination_chain_id].iter().all(|chain| chains.contains(chain))
    }
}
