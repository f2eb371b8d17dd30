#![doc = include_str!("../README.md")]

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Response, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use thiserror::Error;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The HTTP client cannot be created.
#[derive(Debug, Error)]
#[error("the HTTP client cannot be created: {0}")]
pub struct SetupError(String);

/// Why a response body was not read.
#[derive(Debug, Error)]
pub enum ResponseError {
    #[error("the response is longer than {0} bytes")]
    TooLong(usize),
    /// The connection failed or timed out.
    #[error("the response was interrupted: {0}")]
    Interrupted(String),
}

/// A client that follows no redirects and times out after `timeout`, including the response body.
pub fn client(timeout: Duration) -> Result<Client, SetupError> {
    client_with(timeout, |builder| builder)
}

/// The same with additional settings.
pub fn client_with(
    timeout: Duration,
    settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<Client, SetupError> {
    let tls = tls().map_err(|error| SetupError(error.to_string()))?;
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(concat!("causeway/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(timeout);
    settings(builder).build().map_err(|error| SetupError(error.to_string()))
}

/// Reads a response body of at most `limit` bytes.
pub async fn read_body(mut response: Response, limit: usize) -> Result<Vec<u8>, ResponseError> {
    let mut bytes = Vec::new();
    loop {
        let chunk =
            response.chunk().await.map_err(|error| ResponseError::Interrupted(error_message(error)))?;
        let Some(chunk) = chunk else { return Ok(bytes) };
        if bytes.len().saturating_add(chunk.len()) > limit {
            return Err(ResponseError::TooLong(limit));
        }
        bytes.extend_from_slice(&chunk);
    }
}

/// The error with its causes, without the URL, which may contain a key.
pub fn error_message(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut message = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    message
}

/// Sets the crypto provider explicitly, independent of the process default.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let verified = builder.clone().with_platform_verifier().unwrap_or_else(|error| {
        tracing::warn!(%error, "no CA certificates found, https requests will fail; install the system's CA certificates");
        builder.with_root_certificates(RootCertStore::empty())
    });
    Ok(verified.with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::response::Redirect;
    use axum::routing::get;
    use tokio::net::TcpListener;

    use super::*;

    async fn serve(router: Router) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}/")
    }

    #[tokio::test]
    async fn redirects_are_not_followed() {
        let url = serve(Router::new().route("/", get(|| async { Redirect::to("/there") }))).await;
        let answer = client(Duration::from_secs(5)).unwrap().get(url).send().await.unwrap();
        assert_eq!(answer.status(), 303);
    }

    #[tokio::test]
    async fn a_response_over_the_limit_is_rejected() {
        let url = serve(Router::new().route("/", get(|| async { "x".repeat(100_001) }))).await;
        let client = client(Duration::from_secs(5)).unwrap();
        let get = || async { client.get(&url).send().await.unwrap() };
        assert!(matches!(read_body(get().await, 100_000).await, Err(ResponseError::TooLong(100_000))));
        assert_eq!(read_body(get().await, 100_001).await.unwrap().len(), 100_001);
    }

    #[tokio::test]
    async fn words_hold_no_address() {
        let client = client(Duration::from_secs(5)).unwrap();
        let error = client.get("http://127.0.0.1:1/?key=hunter2").send().await.unwrap_err();
        assert!(!error_message(error).contains("hunter2"));
    }
}
