#![doc = include_str!("../README.md")]

mod public_network;
mod traces;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Response, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

pub use public_network::{PublicNames, is_public, names_private_host};
pub use traces::{carry_traces, traceparent};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The HTTP client cannot be created.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be created: {0}")]
pub struct SetupError(String);

impl SetupError {
    /// The cause, for errors that name the client themselves.
    pub fn reason(&self) -> &str {
        &self.0
    }
}

/// Why a response body was not read.
#[derive(Debug, thiserror::Error)]
pub enum ResponseError {
    #[error("the response is longer than {0} bytes")]
    TooLong(usize),
    /// The connection failed or timed out. The error does not contain the URL.
    #[error("the response was interrupted: {}", with_causes(.0))]
    Interrupted(reqwest::Error),
}

/// A client that follows no redirects and times out after `timeout`, including the response body.
pub fn client(timeout: Duration) -> Result<Client, SetupError> {
    client_with(timeout, |builder| builder)
}

/// The same with additional settings, which may replace the defaults.
pub fn client_with(
    timeout: Duration,
    settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<Client, SetupError> {
    client_without_timeout(|builder| settings(builder.connect_timeout(CONNECT_TIMEOUT).timeout(timeout)))
}

/// A client without any timeout, for callers that limit each request themselves or read streams.
pub fn client_without_timeout(
    settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<Client, SetupError> {
    let tls = tls().map_err(|error| SetupError(error.to_string()))?;
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(concat!("causeway/", env!("CARGO_PKG_VERSION")))
        // A redirect would send the request, with keys in its URL or headers, to another host.
        .redirect(redirect::Policy::none());
    settings(builder).build().map_err(|error| SetupError(error_message(error)))
}

/// Reads a response body of at most `limit` bytes.
pub async fn read_body(mut response: Response, limit: usize) -> Result<Vec<u8>, ResponseError> {
    let mut bytes = Vec::new();
    loop {
        let chunk =
            response.chunk().await.map_err(|error| ResponseError::Interrupted(error.without_url()))?;
        let Some(chunk) = chunk else { return Ok(bytes) };
        if bytes.len().saturating_add(chunk.len()) > limit {
            return Err(ResponseError::TooLong(limit));
        }
        bytes.extend_from_slice(&chunk);
    }
}

/// The error with its causes, without the URL, which may contain a key.
pub fn error_message(error: reqwest::Error) -> String {
    with_causes(&error.without_url())
}

/// The innermost cause of the error, without the URL: "connection refused" instead of "request failed".
pub fn root_cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause: &dyn Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

fn with_causes(error: &reqwest::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
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
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
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
    async fn error_messages_do_not_contain_the_url() {
        let client = client(Duration::from_secs(5)).unwrap();
        let fail = || async { client.get("http://127.0.0.1:1/?key=hunter2").send().await.unwrap_err() };
        let message = error_message(fail().await);
        let cause = root_cause(fail().await);
        assert!(!message.contains("hunter2") && message.ends_with(&cause), "{message}");
        assert!(cause.contains("refused"), "{cause}");
    }

    #[tokio::test]
    async fn an_interrupted_response_does_not_contain_the_url() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut connection, _) = listener.accept().await.unwrap();
            let head = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf";
            let mut request = [0; 1024];
            assert!(connection.read(&mut request).await.unwrap() > 0);
            connection.write_all(head).await.unwrap();
        });
        let client = client(Duration::from_secs(5)).unwrap();
        let response = client.get(format!("http://{address}/?key=hunter2")).send().await.unwrap();
        let error = read_body(response, 100).await.unwrap_err();
        assert!(matches!(error, ResponseError::Interrupted(_)), "{error}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
}
