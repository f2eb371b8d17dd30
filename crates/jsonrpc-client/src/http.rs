use std::time::Duration;

use causeway_http_client::{ResponseError, client_without_timeout, read_body, root_cause};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, StatusCode};

use crate::error::SetupError;
use crate::fault::Fault;
use crate::url::RpcUrl;
use crate::wire::is_jsonrpc_error;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The limit of a body with an error status.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;

/// The HTTP client for RPC endpoints, shared by all chains.
#[derive(Clone, Debug)]
pub struct Http(Client);

impl Http {
    pub fn new() -> Result<Self, SetupError> {
        // An endpoint limits each request, including its wait for a slot.
        let client = client_without_timeout(|builder| {
            builder.connect_timeout(CONNECT_TIMEOUT).pool_idle_timeout(Duration::from_mins(1))
        });
        Ok(Self(client?))
    }

    /// Posts `body` and returns a response of at most `limit` bytes.
    pub(crate) async fn post(&self, url: &RpcUrl, body: Vec<u8>, limit: usize) -> Result<Vec<u8>, Fault> {
        let request = self.0.post(url.as_url().clone());
        let request = request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json");
        let response = request.body(body).send().await.map_err(connection)?;
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(Fault::RateLimited(retry_after(response.headers())));
        }
        let limit = if status.is_success() { limit } else { limit.min(MAX_ERROR_BODY_BYTES) };
        let bytes = read_body(response, limit).await.map_err(|error| match error {
            ResponseError::TooLong(limit) if status.is_success() => Fault::TooLarge(limit),
            ResponseError::TooLong(_) => Fault::Status(status.as_u16()),
            ResponseError::Interrupted(error) => connection(error),
        })?;
        // Some servers send JSON-RPC errors with status 400 or 500; those are more precise than the status.
        let is_answer = status.is_success() || (!status.is_redirection() && is_jsonrpc_error(&bytes));
        if is_answer { Ok(bytes) } else { Err(Fault::Status(status.as_u16())) }
    }
}

fn connection(error: reqwest::Error) -> Fault {
    if error.is_timeout() { Fault::Timeout } else { Fault::Connection(root_cause(error)) }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
}
