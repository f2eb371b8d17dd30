use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, header, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use super::fault::Fault;
use super::url::RpcUrl;
use crate::config::ConfigError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The HTTP client for RPC endpoints, shared by all chains.
#[derive(Clone, Debug)]
pub struct Http(Client);

impl Http {
    pub fn new() -> Result<Self, ConfigError> {
        Client::builder()
            .tls_backend_preconfigured(tls().map_err(|error| ConfigError::Http(error.to_string()))?)
            .user_agent(concat!("causeway/", env!("CARGO_PKG_VERSION")))
            // A redirect would leak the request, and perhaps the key, to another host.
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(Duration::from_mins(1))
            .build()
            .map(Self)
            .map_err(|error| ConfigError::Http(error.without_url().to_string()))
    }

    /// Posts `body` and returns a response of at most `limit` bytes.
    pub(super) async fn post(&self, url: &RpcUrl, body: Vec<u8>, limit: usize) -> Result<Vec<u8>, Fault> {
        let request =
            self.0.post(url.as_url().clone()).header(header::CONTENT_TYPE, "application/json").body(body);
        let mut response = request.send().await.map_err(connection)?;
        let status = response.status();
        if status.as_u16() == 429 {
            return Err(Fault::RateLimited);
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(connection)? {
            if bytes.len() + chunk.len() > limit {
                return Err(Fault::TooLarge(limit));
            }
            bytes.extend_from_slice(&chunk);
        }
        // Some servers send JSON-RPC errors with status 400 or 500; those are more precise than the status.
        let json = matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['));
        if status.is_success() || (json && (status.is_client_error() || status.is_server_error())) {
            let is_jsonrpc = status.is_success() || bytes.windows(9).any(|part| part == b"\"jsonrpc\"");
            if is_jsonrpc {
                return Ok(bytes);
            }
        }
        Err(Fault::Status(status.as_u16()))
    }
}

fn connection(error: reqwest::Error) -> Fault {
    if error.is_timeout() {
        return Fault::Timeout;
    }
    // The innermost cause is the most specific.
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    Fault::Connection(cause.to_string())
}

/// Names the crypto provider explicitly, independent of the process default.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let config = builder.clone().with_platform_verifier().unwrap_or_else(|error| {
        tracing::warn!(%error, "no CA certificates, https RPC endpoints will fail; install the system's CA certificates");
        builder.with_root_certificates(RootCertStore::empty())
    });
    Ok(config.with_no_client_auth())
}
