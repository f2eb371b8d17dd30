#![doc = include_str!("../README.md")]

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Response, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use thiserror::Error;

/// Whoever is there answers a connection within this.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A client that cannot be made on this machine.
#[derive(Debug, Error)]
#[error("HTTP cannot be spoken here: {0}")]
pub struct SetupError(String);

/// Why an answer was not read.
#[derive(Debug, Error)]
pub enum AnswerError {
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
    /// It broke off, or took too long.
    #[error("the answer did not come whole: {0}")]
    Broken(String),
}

/// A client that follows no redirects and gives up after `timeout`, the answer's body included.
pub fn client(timeout: Duration) -> Result<Client, SetupError> {
    client_with(timeout, |usual| usual)
}

/// The same, with settings of one's own on top.
pub fn client_with(
    timeout: Duration,
    settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<Client, SetupError> {
    let tls = tls().map_err(|error| SetupError(error.to_string()))?;
    let usual = Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(concat!("causeway/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(timeout);
    settings(usual).build().map_err(|error| SetupError(error.to_string()))
}

/// Reads an answer of at most `limit` bytes.
pub async fn body(mut response: Response, limit: usize) -> Result<Vec<u8>, AnswerError> {
    let mut bytes = Vec::new();
    loop {
        let chunk = response.chunk().await.map_err(|error| AnswerError::Broken(words(error)))?;
        let Some(chunk) = chunk else { return Ok(bytes) };
        if bytes.len().saturating_add(chunk.len()) > limit {
            return Err(AnswerError::TooLong(limit));
        }
        bytes.extend_from_slice(&chunk);
    }
}

/// An error's words without the address, which may carry a key.
pub fn words(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        words = format!("{words}: {inner}");
        cause = inner.source();
    }
    words
}

/// The provider is named here, so that it does not matter what the rest of the process has installed.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let trusting = builder.clone().with_platform_verifier().unwrap_or_else(|error| {
        tracing::warn!(%error, "nobody's https can be trusted; install the system's CA certificates");
        builder.with_root_certificates(RootCertStore::empty())
    });
    Ok(trusting.with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::response::Redirect;
    use axum::routing::get;
    use tokio::net::TcpListener;

    use super::*;

    async fn served(router: Router) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}/")
    }

    #[tokio::test]
    async fn no_redirect_is_followed() {
        let url = served(Router::new().route("/", get(|| async { Redirect::to("/there") }))).await;
        let answer = client(Duration::from_secs(5)).unwrap().get(url).send().await.unwrap();
        assert_eq!(answer.status(), 303);
    }

    #[tokio::test]
    async fn no_more_is_held_than_the_limit() {
        let url = served(Router::new().route("/", get(|| async { "x".repeat(100_001) }))).await;
        let client = client(Duration::from_secs(5)).unwrap();
        let get = || async { client.get(&url).send().await.unwrap() };
        assert!(matches!(body(get().await, 100_000).await, Err(AnswerError::TooLong(100_000))));
        assert_eq!(body(get().await, 100_001).await.unwrap().len(), 100_001);
    }

    #[tokio::test]
    async fn words_hold_no_address() {
        let client = client(Duration::from_secs(5)).unwrap();
        let error = client.get("http://127.0.0.1:1/?key=hunter2").send().await.unwrap_err();
        assert!(!words(error).contains("hunter2"));
    }
}
