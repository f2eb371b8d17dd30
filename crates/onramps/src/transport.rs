//! The HTTP transport of all external providers: bounded in time and size, JSON only, without redirects.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher as _;
use std::time::{Duration, Instant};

use causeway_domain::ports::RampError;
use parking_lot::Mutex;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::http;
use crate::secret::SecretText;

/// Default maximum size of a response.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;

/// Upper bound on a provider's `Retry-After`.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(10);

/// Timeout and retries of a request.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// Total time of one request with all retries.
    pub total: Duration,
    /// Maximum attempts of a retryable request.
    pub attempts: u32,
    /// The backoff before the second attempt; it doubles from then on.
    pub first_backoff: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { total: Duration::from_secs(8), attempts: 3, first_backoff: Duration::from_millis(250) }
    }
}

/// One request to a provider.
#[derive(Clone)]
pub struct ApiRequest {
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
    retryable: bool,
    limit: usize,
}

impl ApiRequest {
    /// A GET request; it is retryable.
    pub fn get(url: String) -> Self {
        Self {
            method: Method::GET,
            url,
            headers: HeaderMap::new(),
            body: None,
            retryable: true,
            limit: MAX_RESPONSE_BYTES,
        }
    }

    /// A POST request; sent once unless [`ApiRequest::retryable`] is set.
    pub fn post(url: String, body: &impl Serialize) -> Result<Self, RampError> {
        let body = serde_json::to_vec(body).map_err(|error| RampError::Nonsense(error.to_string()))?;
        let mut request = Self { method: Method::POST, body: Some(body), retryable: false, ..Self::get(url) };
        request.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(request)
    }

    /// Marks the request as idempotent.
    #[must_use]
    pub fn retryable(self) -> Self {
        Self { retryable: true, ..self }
    }

    /// Sets the maximum size of the response.
    #[must_use]
    pub fn max_bytes(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Adds a header whose value is never logged.
    pub fn secret_header(mut self, name: &'static str, secret: &SecretText) -> Result<Self, RampError> {
        let mut value = HeaderValue::from_str(secret.reveal()).map_err(|_| {
            RampError::Unavailable("its key has characters that are invalid in a header".to_owned())
        })?;
        value.set_sensitive(true);
        self.headers.insert(HeaderName::from_static(name), value);
        Ok(self)
    }
}

impl fmt::Debug for ApiRequest {
    /// Without the query and the headers: both may hold keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url.split('?').next().unwrap_or_default())
    }
}

/// A JSON response of a provider with a status of 2xx or 4xx.
#[derive(Clone, Debug)]
pub struct ApiResponse {
    pub status: StatusCode,
    pub body: Vec<u8>,
}

impl ApiResponse {
    /// Parses the body; a mismatch is the provider's fault.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, RampError> {
        serde_json::from_slice(&self.body).map_err(|error| RampError::Nonsense(error.to_string()))
    }
}

/// The transport to one provider. It honours the provider's `Retry-After`.
pub struct Transport {
    client: Client,
    retry_policy: RetryPolicy,
    paused_until: Mutex<Option<Instant>>,
}

/// The outcome of one attempt.
enum Attempt {
    Response(ApiResponse),
    /// May be retried, perhaps only after `after`.
    Retry {
        error: RampError,
        after: Option<Duration>,
    },
    Fatal(RampError),
}

impl Transport {
    pub fn new(retry_policy: RetryPolicy) -> Result<Self, String> {
        let client = http::client(retry_policy.total)?;
        Ok(Self { client, retry_policy, paused_until: Mutex::default() })
    }

    /// Sends a request. Responses of 2xx and 4xx are returned, everything else is an error.
    pub async fn send(&self, request: &ApiRequest) -> Result<ApiResponse, RampError> {
        let deadline = Instant::now() + self.retry_policy.total;
        self.check_pause()?;
        let mut backoff = self.retry_policy.first_backoff;
        let mut attempt = 1;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let outcome = match tokio::time::timeout(left, self.try_once(request)).await {
                Ok(outcome) => outcome,
                Err(_) => Attempt::Fatal(timeout_error(self.retry_policy.total)),
            };
            let (error, after) = match outcome {
                Attempt::Response(response) => return Ok(response),
                Attempt::Fatal(error) => return Err(error),
                Attempt::Retry { error, after } => (error, after),
            };
            let delay = after.unwrap_or_else(|| jittered(backoff));
            let too_late = Instant::now() + delay >= deadline;
            if let Some(after) = after.filter(|_| too_late) {
                self.pause_for(after);
            }
            if too_late || !request.retryable || attempt >= self.retry_policy.attempts {
                return Err(error);
            }
            tokio::time::sleep(delay).await;
            backoff = backoff.saturating_mul(2);
            attempt += 1;
        }
    }

    /// Sends a request that must succeed.
    pub async fn get_json<T: DeserializeOwned>(&self, request: &ApiRequest) -> Result<T, RampError> {
        let response = self.send(request).await?;
        if !response.status.is_success() {
            return Err(RampError::Unavailable(format!("it returned {} to {request:?}", response.status)));
        }
        response.json()
    }

    async fn try_once(&self, request: &ApiRequest) -> Attempt {
        let mut outgoing =
            self.client.request(request.method.clone(), &request.url).headers(request.headers.clone());
        outgoing = outgoing.header(header::ACCEPT, "application/json");
        if let Some(body) = &request.body {
            outgoing = outgoing.body(body.clone());
        }
        let response = match outgoing.send().await {
            Ok(response) => response,
            Err(error) => {
                // The URL may hold a key.
                let error = RampError::Unavailable(error.without_url().to_string());
                return Attempt::Retry { error, after: None };
            }
        };
        let status = response.status();
        if status.is_redirection() {
            let to = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
            let host = to.and_then(host).unwrap_or("another host");
            return Attempt::Fatal(RampError::Nonsense(format!("it redirects to {}", sanitize(host))));
        }
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            let after = retry_after(response.headers());
            return Attempt::Retry { error: RampError::Unavailable(format!("it returned {status}")), after };
        }
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        let is_json =
            kind.split(';').next().is_some_and(|kind| kind.ends_with("/json") || kind.ends_with("+json"));
        if !is_json {
            let message = format!("it returned {status} with `{}` instead of JSON", sanitize(&kind));
            return Attempt::Fatal(RampError::Nonsense(message));
        }
        match http::body_limited(response, request.limit).await {
            Ok(body) => Attempt::Response(ApiResponse { status, body }),
            Err(message) => Attempt::Fatal(RampError::Unavailable(message)),
        }
    }

    fn check_pause(&self) -> Result<(), RampError> {
        let until = *self.paused_until.lock();
        let left = until.and_then(|until| until.checked_duration_since(Instant::now()));
        left.map_or(Ok(()), |left| {
            let message = format!("it is rate limited for another {} s", left.as_secs() + 1);
            Err(RampError::Unavailable(message))
        })
    }

    fn pause_for(&self, after: Duration) {
        *self.paused_until.lock() = Some(Instant::now() + after.min(MAX_RETRY_AFTER));
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport").field("retry_policy", &self.retry_policy).finish_non_exhaustive()
    }
}

fn timeout_error(total: Duration) -> RampError {
    RampError::Unavailable(format!("no response within {} ms", total.as_millis()))
}

/// Between half and all of it, so that clients do not retry at the same time.
fn jittered(backoff: Duration) -> Duration {
    let random = u32::try_from(RandomState::new().hash_one(backoff) % 1_000).unwrap_or(0);
    let half = backoff / 2;
    half + half.saturating_mul(random) / 1_000
}

/// In seconds; no provider here uses the form with a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(MAX_RETRY_AFTER))
}

/// The origin of an absolute URL.
pub fn origin(url: &str) -> Option<&str> {
    let start = url.find("://")? + 3;
    let end = url.get(start..)?.find(['/', '?', '#']).map_or(url.len(), |end| start + end);
    url.get(..end)
}

fn host(url: &str) -> Option<&str> {
    origin(url)?.split_once("://").map(|(_, host)| host)
}

/// A provider's text, shortened and printable.
pub fn sanitize(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(160).collect()
}

/// Checks that a checkout URL is at one of the provider's origins, and adds a missing path.
pub fn check_checkout_url(url: &str, origins: &[String]) -> Result<String, RampError> {
    let found = origin(url).filter(|found| origins.iter().any(|own| own == found));
    let Some(found) = found else {
        return Err(RampError::Nonsense("its checkout is at another origin".to_owned()));
    };
    let rest = url.get(found.len()..).unwrap_or_default();
    Ok(if rest.starts_with('/') { url.to_owned() } else { format!("{found}/{rest}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkout_at_another_origin_is_rejected() {
        let origins = vec!["https://pay.example".to_owned()];
        let good = [
            ("https://pay.example/x?y", "https://pay.example/x?y"),
            ("https://pay.example?y=1", "https://pay.example/?y=1"),
            ("https://pay.example", "https://pay.example/"),
        ];
        for (url, page) in good {
            assert_eq!(check_checkout_url(url, &origins).as_deref(), Ok(page));
        }
        for url in
            ["https://pay.example.evil/x", "https://pay.example@evil/x", "http://pay.example/", "//x", ""]
        {
            assert!(check_checkout_url(url, &origins).is_err(), "{url}");
        }
    }

    #[test]
    fn secrets_are_not_shown_in_debug() {
        let request = ApiRequest::get("https://api.example/v1?apiKey=pk_1".to_owned())
            .secret_header("authorization", &SecretText::new("sk_1"))
            .unwrap();
        assert_eq!(format!("{request:?}"), "GET https://api.example/v1");
    }
}
