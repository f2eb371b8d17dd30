use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, Response, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The most that an answer of a provider may hold, unless more is expected.
const ANSWER_LIMIT: usize = 256 * 1024;

/// A client that follows no redirects and gives up after `timeout`.
pub(crate) fn client(timeout: Duration) -> Result<Client, String> {
    let built = Client::builder()
        .tls_backend_preconfigured(tls().map_err(|error| error.to_string())?)
        .user_agent(concat!("causeway/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(timeout)
        .build();
    built.map_err(|error| error.to_string())
}

/// Reads an answer of bounded length.
pub(crate) async fn body(response: Response) -> Result<Vec<u8>, String> {
    body_up_to(response, ANSWER_LIMIT).await
}

pub(crate) async fn body_up_to(mut response: Response, limit: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| error.without_url().to_string())? {
        if bytes.len() + chunk.len() > limit {
            return Err(format!("its answer is longer than {limit} bytes"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// The provider is named here, so that it does not matter what the rest of the process has installed.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let trusting = builder.clone().with_platform_verifier().unwrap_or_else(|error| {
        tracing::warn!(%error, "https on-ramps cannot be trusted; install the system's CA certificates");
        builder.with_root_certificates(RootCertStore::empty())
    });
    Ok(trusting.with_no_client_auth())
}
