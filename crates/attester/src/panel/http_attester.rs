use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::AttestationRefusal;
use causeway_domain::{IntentTerms, SignedAttestation};
use causeway_http_client::{ResponseError, SetupError, read_body};
use reqwest::{Client, Url, header};
use thiserror::Error;

use super::Attest;
use crate::wire::{AttestRequest, AttestationJson, RefusalJson};

const TIMEOUT: Duration = Duration::from_secs(20);
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Why an HTTP attester cannot be created.
#[derive(Debug, Error)]
pub enum HttpAttesterError {
    #[error("an attester's address is a URL that starts with https:// or http://")]
    Address,
    #[error(transparent)]
    Client(#[from] SetupError),
}

/// An attester that answers over HTTP.
#[derive(Clone)]
pub struct HttpAttester {
    client: Client,
    attest: Url,
}

impl fmt::Debug for HttpAttester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpAttester({})", self.attest.host_str().unwrap_or_default())
    }
}

impl HttpAttester {
    /// The attester whose API has this base URL.
    pub fn new(address: &str) -> Result<Self, HttpAttesterError> {
        let mut attest = Url::parse(address).map_err(|_| HttpAttesterError::Address)?;
        if !matches!(attest.scheme(), "http" | "https") || !attest.has_host() {
            return Err(HttpAttesterError::Address);
        }
        attest.path_segments_mut().map_err(|()| HttpAttesterError::Address)?.pop_if_empty().push("attest");
        Ok(Self { client: causeway_http_client::client(TIMEOUT)?, attest })
    }

    async fn exchange(&self, terms: &IntentTerms) -> Result<(bool, Vec<u8>), AttestationRefusal> {
        let unreachable =
            |error: reqwest::Error| AttestationRefusal::Unreachable(error.without_url().to_string());
        let body = serde_json::to_vec(&AttestRequest { terms: terms.to_bytes().into() })
            .map_err(|error| AttestationRefusal::Nonsense(error.to_string()))?;
        let request = self.client.post(self.attest.clone()).header(header::CONTENT_TYPE, "application/json");
        let response = request.body(body).send().await.map_err(unreachable)?;
        let success = response.status().is_success();
        let bytes = read_body(response, MAX_RESPONSE_BYTES).await.map_err(|error| match error {
            ResponseError::TooLong(limit) => {
                AttestationRefusal::Nonsense(format!("it is longer than {limit} bytes"))
            }
            ResponseError::Interrupted(error) => unreachable(error),
        })?;
        Ok((success, bytes))
    }
}

#[async_trait]
impl Attest for HttpAttester {
    async fn attest(&self, terms: &IntentTerms) -> Result<SignedAttestation, AttestationRefusal> {
        let (success, bytes) = self.exchange(terms).await?;
        let nonsense = |error: serde_json::Error| AttestationRefusal::Nonsense(error.to_string());
        if !success {
            let RefusalJson { name, message, retry } = serde_json::from_slice(&bytes).map_err(nonsense)?;
            return Err(AttestationRefusal::Remote { name, message, retry });
        }
        let answer: AttestationJson = serde_json::from_slice(&bytes).map_err(nonsense)?;
        answer.read().ok_or_else(|| AttestationRefusal::Nonsense("a part of it is missing".to_owned()))
    }
}
