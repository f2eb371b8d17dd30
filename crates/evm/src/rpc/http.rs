use std::time::Duration;

use causeway_http_client::{ResponseError, client_without_timeout, read_body, root_cause};
use reqwest::{Client, header};

use super::fault::Fault;
use super::url::RpcUrl;
use crate::config::ConfigError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The HTTP client for RPC endpoints, shared by all chains.
#[derive(Clone, Debug)]
pub struct Http(Client);

impl Http {
    pub fn new() -> Result<Self, ConfigError> {
        // An endpoint limits each request, including its wait for a slot.
        let client = client_without_timeout(|builder| {
            builder.connect_timeout(CONNECT_TIMEOUT).pool_idle_timeout(Duration::from_mins(1))
        });
        client.map(Self).map_err(|error| ConfigError::Http(error.reason().to_owned()))
    }

    /// Posts `body` and returns a response of at most `limit` bytes.
    pub(super) async fn post(&self, url: &RpcUrl, body: Vec<u8>, limit: usize) -> Result<Vec<u8>, Fault> {
        let request =
            self.0.post(url.as_url().clone()).header(header::CONTENT_TYPE, "application/json").body(body);
        let response = request.send().await.map_err(connection)?;
        let status = response.status();
        if status.as_u16() == 429 {
            return Err(Fault::RateLimited);
        }
        let bytes = read_body(response, limit).await.map_err(|error| match error {
            ResponseError::TooLong(limit) => Fault::TooLarge(limit),
            ResponseError::Interrupted(error) => connection(error),
        })?;
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
    if error.is_timeout() { Fault::Timeout } else { Fault::Connection(root_cause(error)) }
}
