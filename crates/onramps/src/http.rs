//! HTTP helpers for the providers.

use std::time::Duration;

use reqwest::{Client, Response};

/// Default maximum size of a response.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;

/// A client that follows no redirects and times out after `timeout`.
pub(crate) fn client(timeout: Duration) -> Result<Client, String> {
    causeway_http_client::client(timeout).map_err(|error| error.to_string())
}

/// Reads a response of bounded size.
pub(crate) async fn body(response: Response) -> Result<Vec<u8>, String> {
    body_limited(response, MAX_RESPONSE_BYTES).await
}

/// Reads a response of at most `limit` bytes.
pub(crate) async fn body_limited(response: Response, limit: usize) -> Result<Vec<u8>, String> {
    causeway_http_client::read_body(response, limit).await.map_err(|error| error.to_string())
}
