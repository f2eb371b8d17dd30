use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::AttestationRefusal;
use causeway_domain::{IntentTerms, SignedAttestation};
use reqwest::{Client, Url, header, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use thiserror::Error;

use super::Attest;
use crate::wire::{AttestRequest, AttestationJson, RefusalJson};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(20);
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Why an HTTP attester cannot be created.
#[derive(Debug, Error)]
pub enum HttpAttesterError {
    #[error("an attester's address is a URL that starts with https:// or http://")]
    Address,
    #[error("the HTTP client cannot be built: {0}")]
    Client(String),
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
        let client_error = |error: &dyn fmt::Display| HttpAttesterError::Client(error.to_string());
        let client = Client::builder()
            .tls_backend_preconfigured(tls().map_err(|error| client_error(&error))?)
            .user_agent(concat!("causeway/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .build();
        Ok(Self { client: client.map_err(|error| client_error(&error))?, attest })
    }

    async fn exchange(&self, terms: &IntentTerms) -> Result<(bool, Vec<u8>), AttestationRefusal> {
        let unreachable =
            |error: reqwest::Error| AttestationRefusal::Unreachable(error.without_url().to_string());
        let body = serde_json::to_vec(&AttestRequest { terms: terms.to_bytes().into() })
            .map_err(|error| AttestationRefusal::Nonsense(error.to_string()))?;
        let request = self.client.post(self.attest.clone()).header(header::CONTENT_TYPE, "application/json");
        let mut response = request.body(body).send().await.map_err(unreachable)?;
        let success = response.status().is_success();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            if bytes.len() + chunk.len() > MAX_RESPONSE_BYTES {
                return Err(AttestationRefusal::Nonsense(format!(
                    "it is longer than {MAX_RESPONSE_BYTES} bytes"
                )));
            }
            bytes.extend_from_slice(&chunk);
        }
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

/// The provider is named here, so that it does not matter what the rest of the process has installed.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let trusting = builder.clone().with_platform_verifier().unwrap_or_else(|error| {
        tracing::warn!(%error, "https attesters cannot be trusted; install the system's CA certificates");
        builder.with_root_certificates(RootCertStore::empty())
    });
    Ok(trusting.with_no_client_auth())
}
