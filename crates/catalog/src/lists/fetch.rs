use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, ETAG, HeaderValue, IF_NONE_MATCH};
use reqwest::{Client, StatusCode, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::AsyncReadExt;

use super::config::Source;
use super::{ListError, MAX_LIST_BYTES};

const MAX_REDIRECTS: usize = 5;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TOTAL_TIMEOUT: Duration = Duration::from_mins(1);

/// The response of a source.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// The known document is current.
    NotModified,
    Document {
        bytes: Vec<u8>,
        tag: Option<String>,
    },
}

/// Fetches lists from URLs and files.
#[derive(Clone, Debug)]
pub(crate) struct Fetcher(Client);

impl Fetcher {
    pub(crate) fn new() -> Result<Self, ListError> {
        Client::builder()
            .tls_backend_preconfigured(tls().map_err(ListError::Tls)?)
            .user_agent(concat!("causeway/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::custom(follow))
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TOTAL_TIMEOUT)
            .build()
            .map(Self)
            .map_err(ListError::Request)
    }

    pub(super) async fn get(&self, source: &Source, known_tag: Option<&str>) -> Result<Incoming, ListError> {
        match source {
            Source::Url(url) => self.download(url, known_tag).await,
            Source::File(path) => read_file(path).await,
        }
    }

    async fn download(&self, url: &str, known_tag: Option<&str>) -> Result<Incoming, ListError> {
        // URLs may contain a key, and errors are logged.
        let hidden = |error: reqwest::Error| ListError::Request(error.without_url());
        let mut request = self.0.get(url).header(ACCEPT, "application/json");
        if let Some(tag) = known_tag.and_then(|tag| HeaderValue::from_str(tag).ok()) {
            request = request.header(IF_NONE_MATCH, tag);
        }
        let mut response = request.send().await.map_err(hidden)?;
        match response.status() {
            StatusCode::NOT_MODIFIED if known_tag.is_some() => return Ok(Incoming::NotModified),
            StatusCode::OK => {}
            other => return Err(ListError::Status(other.as_u16())),
        }
        let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(hidden)? {
            if bytes.len() + chunk.len() > MAX_LIST_BYTES {
                return Err(ListError::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Incoming::Document { bytes, tag })
    }
}

/// Follows a few redirects, but none from https to http.
fn follow(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let downgrade = attempt.url().scheme() == "http"
        && attempt.previous().last().is_some_and(|url| url.scheme() == "https");
    if downgrade {
        attempt.error("it is redirected from https to http")
    } else if attempt.previous().len() > MAX_REDIRECTS {
        attempt.error("it is redirected too often")
    } else {
        attempt.follow()
    }
}

/// Sets the crypto provider explicitly, independent of the process default.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let verified = builder.clone().with_platform_verifier().unwrap_or_else(|error| {
        // Files and plain http still work.
        tracing::warn!(%error, "https token lists cannot be fetched; install the system's CA certificates");
        builder.with_root_certificates(RootCertStore::empty())
    });
    Ok(verified.with_no_client_auth())
}

async fn read_file(path: &Path) -> Result<Incoming, ListError> {
    let file = tokio::fs::File::open(path).await.map_err(ListError::File)?;
    let mut bytes = Vec::new();
    // One byte past the limit is enough to detect an oversized file.
    let limit = u64::try_from(MAX_LIST_BYTES).unwrap_or(u64::MAX) + 1;
    file.take(limit).read_to_end(&mut bytes).await.map_err(ListError::File)?;
    Ok(Incoming::Document { bytes, tag: None })
}
