use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, StatusCode, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use super::fault::Fault;
use super::wire;
use crate::{RpcUrl, SetupError};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The limit of a body with an error status.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;

pub(super) fn client() -> Result<Client, SetupError> {
    Client::builder()
        .tls_backend_preconfigured(tls()?)
        .user_agent(concat!("causeway/", env!("CARGO_PKG_VERSION")))
        // Nodes do not redirect, and following one would leak the key in the URL.
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .build()
        .map_err(SetupError::Http)
}

/// Sends `body` and reads the response up to `limit` bytes.
pub(super) async fn post(
    client: &Client,
    url: &RpcUrl,
    body: Vec<u8>,
    limit: usize,
) -> Result<Vec<u8>, Fault> {
    let broken = |error: reqwest::Error| {
        Fault::Connection(url.redact(&wire::shorten(&root_cause(&error.without_url()))))
    };
    let request =
        client.post(url.get()).header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json");
    let mut response = request.body(body).send().await.map_err(broken)?;
    let status = response.status();
    let retry_after = retry_after(response.headers());
    let limit = if status.is_success() { limit } else { limit.min(MAX_ERROR_BODY_BYTES) };
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if bytes.len() + chunk.len() > limit {
            return Err(if status.is_success() {
                Fault::TooLarge(limit)
            } else {
                Fault::Status(status.as_u16())
            });
        }
        bytes.extend_from_slice(&chunk);
    }
    match status {
        _ if status.is_success() => Ok(bytes),
        StatusCode::TOO_MANY_REQUESTS => Err(Fault::RateLimited(retry_after)),
        _ => Err(wire::decode_error(&bytes).unwrap_or(Fault::Status(status.as_u16()))),
    }
}

/// The innermost cause; the outer ones only say that sending failed.
fn root_cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
}

/// The crypto provider is explicit, independent of the process default.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let config = builder.clone().with_platform_verifier().unwrap_or_else(|error| {
        // Plain http, as in the sandbox, still works.
        tracing::warn!(%error, "https endpoints unavailable: install the system's CA certificates");
        builder.with_root_certificates(RootCertStore::empty())
    });
    Ok(config.with_no_client_auth())
}
