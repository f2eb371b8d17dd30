use std::sync::Arc;
use std::time::Duration;

use causeway_http_client::{PublicNames, ResponseError, client_with, error_message};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, Request, Response, Url};
use serde::Deserialize;
use thiserror::Error;

use super::config::{OifConfig, OifError};
use super::read_quotes::sanitize;

/// Maximum size of a response; quotes carry calldata.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;

/// Upper bound on any deadline.
const MAX_TIMEOUT: Duration = Duration::from_secs(20);

/// Why a call to a solver failed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum ClientError {
    /// Not reachable, or cannot answer now.
    #[error("{0}")]
    Unavailable(String),
    /// The response is invalid.
    #[error("{0}")]
    Nonsense(String),
    /// The solver declined.
    #[error("{0}")]
    Declined(String),
}

/// The HTTP client of one solver.
#[derive(Debug)]
pub(super) struct SolverClient {
    client: Client,
    quotes: Url,
    orders: Url,
    key: Option<HeaderValue>,
}

/// The body of an error. The specification defines none; public solvers use these fields.
#[derive(Deserialize)]
struct ErrorBody {
    message: Option<String>,
    error: Option<String>,
}

impl SolverClient {
    pub(super) fn new(config: &OifConfig) -> Result<Self, OifError> {
        Ok(Self {
            client: client_with(MAX_TIMEOUT, |builder| {
                let builder = builder.no_proxy();
                if config.public_only { builder.dns_resolver(Arc::new(PublicNames)) } else { builder }
            })?,
            quotes: config.endpoint(&["v1", "quotes"])?,
            orders: config.endpoint(&["v1", "orders"])?,
            key: config.api_key.as_ref().map(super::config::ApiKey::bearer).transpose()?,
        })
    }

    pub(super) async fn quote(&self, body: Vec<u8>, deadline: Duration) -> Result<Vec<u8>, ClientError> {
        self.call(Method::POST, self.quotes.clone(), Some(body), deadline).await
    }

    pub(super) async fn submit(&self, body: Vec<u8>, deadline: Duration) -> Result<Vec<u8>, ClientError> {
        self.call(Method::POST, self.orders.clone(), Some(body), deadline).await
    }

    /// The status of an order by the solver's own id.
    pub(super) async fn order(&self, id: &str, deadline: Duration) -> Result<Vec<u8>, ClientError> {
        let mut url = self.orders.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.push(id);
        }
        self.call(Method::GET, url, None, deadline).await
    }

    async fn call(
        &self,
        method: Method,
        url: Url,
        body: Option<Vec<u8>>,
        deadline: Duration,
    ) -> Result<Vec<u8>, ClientError> {
        let mut request = Request::new(method, url);
        *request.timeout_mut() = Some(deadline.min(MAX_TIMEOUT));
        let headers = request.headers_mut();
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, key.clone());
        }
        if let Some(body) = body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            *request.body_mut() = Some(body.into());
        }
        let sent = self.client.execute(request).await;
        read(sent.map_err(|error| ClientError::Unavailable(error_message(error)))?).await
    }
}

async fn read(response: Response) -> Result<Vec<u8>, ClientError> {
    let status = response.status().as_u16();
    let body =
        causeway_http_client::read_body(response, MAX_RESPONSE_BYTES).await.map_err(|error| match error {
            ResponseError::TooLong(_) => ClientError::Nonsense(error.to_string()),
            ResponseError::Interrupted(_) => ClientError::Unavailable(error.to_string()),
        })?;
    let message = || {
        let error_body: Option<ErrorBody> = serde_json::from_slice(&body).ok();
        let message = error_body.and_then(|error_body| error_body.message.or(error_body.error));
        message.map_or_else(
            || format!("it returned {status}"),
            |message| format!("it returned {status}: {}", sanitize(&message)),
        )
    };
    match status {
        200 => Ok(body),
        300..=399 => {
            Err(ClientError::Nonsense(format!("it returned {status}, and redirects are not followed")))
        }
        // Inputs that cannot satisfy the outputs, or an order that it declines.
        422 => Err(ClientError::Declined(message())),
        // A temporary failure on either side.
        401 | 403 | 408 | 425 | 429 | 500.. => Err(ClientError::Unavailable(message())),
        _ => Err(ClientError::Nonsense(message())),
    }
}
