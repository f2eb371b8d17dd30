use std::time::Duration;

use causeway_http_client::{ResponseError, client_without_timeout, read_body, root_cause};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, StatusCode};

use super::fault::Fault;
use super::wire;
use crate::{RpcUrl, SetupError};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The limit of a body with an error status.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;

pub(super) fn client() -> Result<Client, SetupError> {
    // An endpoint limits each attempt.
    Ok(client_without_timeout(|builder| builder.connect_timeout(CONNECT_TIMEOUT))?)
}

/// Sends `body` and reads the response up to `limit` bytes.
pub(super) async fn post(
    client: &Client,
    url: &RpcUrl,
    body: Vec<u8>,
    limit: usize,
) -> Result<Vec<u8>, Fault> {
    let broken = |error| Fault::Connection(url.redact(&wire::shorten(&root_cause(error))));
    let request =
        client.post(url.get()).header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json");
    let response = request.body(body).send().await.map_err(broken)?;
    let status = response.status();
    let retry_after = retry_after(response.headers());
    let limit = if status.is_success() { limit } else { limit.min(MAX_ERROR_BODY_BYTES) };
    let bytes = read_body(response, limit).await.map_err(|error| match error {
        ResponseError::TooLong(limit) if status.is_success() => Fault::TooLarge(limit),
        ResponseError::TooLong(_) => Fault::Status(status.as_u16()),
        ResponseError::Interrupted(error) => broken(error),
    })?;
    match status {
        _ if status.is_success() => Ok(bytes),
        StatusCode::TOO_MANY_REQUESTS => Err(Fault::RateLimited(retry_after)),
        _ => Err(wire::decode_error(&bytes).unwrap_or(Fault::Status(status.as_u16()))),
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
}
