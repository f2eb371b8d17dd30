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
/// Of a body that comes with an error status, only this much is looked at.
const LONGEST_ERROR_BODY: usize = 64 * 1024;

pub(super) fn client() -> Result<Client, SetupError> {
    Client::builder()
        .tls_backend_preconfigured(tls()?)
        .user_agent(concat!("causeway/", env!("CARGO_PKG_VERSION")))
        // A node does not redirect, and following would hand the key in the address to somebody else.
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .build()
        .map_err(SetupError::Http)
}

/// Sends `body` and reads the answer up to `limit` bytes.
pub(super) async fn post(
    client: &Client,
    url: &RpcUrl,
    body: Vec<u8>,
    limit: usize,
) -> Result<Vec<u8>, Fault> {
    let broken =
        |error: reqwest::Error| Fault::Connection(url.hide(&wire::shorten(&words(&error.without_url()))));
    let request =
        client.post(url.get()).header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json");
    let mut response = request.body(body).send().await.map_err(broken)?;
    let status = response.status();
    let rest = named_rest(response.headers());
    let limit = if status.is_success() { limit } else { limit.min(LONGEST_ERROR_BODY) };
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
        StatusCode::TOO_MANY_REQUESTS => Err(Fault::RateLimited(rest)),
        _ => Err(wire::decode_error(&bytes).unwrap_or(Fault::Status(status.as_u16()))),
    }
}

/// The innermost reason; the outer ones only say that sending failed.
fn words(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

fn named_rest(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
}

/// The provider is named here, so that it does not matter what the rest of the process has installed.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let trusting = builder.clone().with_platform_verifier().unwrap_or_else(|error| {
        // Plain http, which the sandbox speaks, works all the same.
        tracing::warn!(%error, "https endpoints cannot be reached; install the system's CA certificates");
        builder.with_root_certificates(RootCertStore::empty())
    });
    Ok(trusting.with_no_client_auth())
}
