use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use alloy_primitives::hex;
use causeway_http_client::{PublicNames, ResponseError, client_with, error_message, traceparent};
use jiff::Timestamp;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Method, Request, Response, Url};

use super::config::{RemoteConfig, RemoteError, endpoint};
use super::secret::{DEADLINE, NONCE, SIGNATURE, Secret, TIMESTAMP};

/// Maximum size of a response.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Idle connections that are kept for a burst of quotes.
const MAX_IDLE_CONNECTIONS: usize = 256;
const IDLE_TIMEOUT: Duration = Duration::from_secs(55);

/// Upper bound on any deadline.
const MAX_TIMEOUT: Duration = Duration::from_secs(20);

/// Added to the deadline: callers time out at the deadline themselves, and this bounds those that do not.
const TIMEOUT_GRACE: Duration = Duration::from_millis(100);

/// How much of an unexpected response an error shows.
const MAX_EXCERPT_BYTES: usize = 120;

/// Why a call to a filler failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClientError {
    /// Not reachable, or cannot answer now.
    Unavailable(String),
    /// The response is invalid, or not signed for this call.
    Nonsense(String),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Unavailable(words) | Self::Nonsense(words)) = self;
        f.write_str(words)
    }
}

/// The URL of one call, and its path for the signature.
#[derive(Debug)]
struct Endpoint {
    url: Url,
    path: String,
}

impl Endpoint {
    fn new(url: &str, segment: &str) -> Result<Self, RemoteError> {
        let url = endpoint(url, segment)?;
        Ok(Self { path: url.path().to_owned(), url })
    }
}

/// Which call is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    Quote,
    Order,
}

/// The HTTP client of one filler: signs requests, and accepts only responses that the filler signed for that request.
pub(super) struct SignedHttpClient {
    client: Client,
    secret: Secret,
    quote: Endpoint,
    orders: Endpoint,
    nonces: Nonces,
}

impl fmt::Debug for SignedHttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedHttpClient").field("host", &self.quote.url.host_str()).finish_non_exhaustive()
    }
}

impl SignedHttpClient {
    pub(super) fn new(config: &RemoteConfig) -> Result<Self, RemoteError> {
        // Under load, one request per connection costs less than multiplexing.
        let client = client_with(MAX_TIMEOUT, |builder| {
            let builder = builder
                .http1_only()
                .no_proxy()
                .pool_max_idle_per_host(MAX_IDLE_CONNECTIONS)
                .pool_idle_timeout(IDLE_TIMEOUT);
            if config.public_only { builder.dns_resolver(Arc::new(PublicNames)) } else { builder }
        })?;
        Ok(Self {
            client,
            secret: config.secret.clone(),
            quote: Endpoint::new(&config.url, "quote")?,
            orders: Endpoint::new(&config.url, "orders")?,
            nonces: Nonces::new()?,
        })
    }

    /// Makes a call, and returns the body of a signed 200 response.
    pub(super) async fn call(
        &self,
        kind: CallKind,
        body: Vec<u8>,
        deadline: Duration,
    ) -> Result<Vec<u8>, ClientError> {
        let nonce = self.nonces.next();
        let request = self.request(kind, &nonce, body, deadline);
        let sent = self.client.execute(request).await;
        let response = sent.map_err(|error| ClientError::Unavailable(error_message(error)))?;
        self.read(response, &nonce).await
    }

    fn request(&self, kind: CallKind, nonce: &str, body: Vec<u8>, deadline: Duration) -> Request {
        let endpoint = match kind {
            CallKind::Quote => &self.quote,
            CallKind::Order => &self.orders,
        };
        let timestamp = Timestamp::now().as_second().to_string();
        let signature = self.secret.sign_request(&timestamp, nonce, &endpoint.path, &body);
        let mut request = Request::new(Method::POST, endpoint.url.clone());
        *request.timeout_mut() = Some(deadline.saturating_add(TIMEOUT_GRACE).min(MAX_TIMEOUT));
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(HeaderName::from_static(DEADLINE), HeaderValue::from(millis(deadline)));
        for (name, text) in [(TIMESTAMP, timestamp.as_str()), (NONCE, nonce), (SIGNATURE, &signature)] {
            // Digits and hex are always valid header values.
            if let Ok(value) = HeaderValue::from_str(text) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        if let Some((name, value)) = traceparent() {
            headers.insert(name, value);
        }
        *request.body_mut() = Some(body.into());
        request
    }

    async fn read(&self, response: Response, nonce: &str) -> Result<Vec<u8>, ClientError> {
        let status = response.status().as_u16();
        let invalid = |words: String| Err(ClientError::Nonsense(words));
        if response.content_length().is_some_and(|length| length > MAX_RESPONSE_BYTES as u64) {
            return invalid(format!("its response is longer than {MAX_RESPONSE_BYTES} bytes"));
        }
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let is_json = header(CONTENT_TYPE.as_str()).is_some_and(is_json);
        let signature = header(SIGNATURE).unwrap_or_default().to_owned();
        let body =
            causeway_http_client::read_body(response, MAX_RESPONSE_BYTES).await.map_err(
                |error| match error {
                    ResponseError::TooLong(_) => ClientError::Nonsense(format!(
                        "its response is longer than {MAX_RESPONSE_BYTES} bytes"
                    )),
                    ResponseError::Interrupted(_) => ClientError::Unavailable(error.to_string()),
                },
            )?;
        match status {
            200 => {}
            300..400 => return invalid(format!("it returned {status}, and redirects are not followed")),
            // A temporary failure on either side.
            429 | 500.. => {
                return Err(ClientError::Unavailable(format!("it returned {status}: {}", excerpt(&body))));
            }
            _ => return invalid(format!("it returned {status}: {}", excerpt(&body))),
        }
        if !is_json {
            return invalid(format!("its response is not application/json: {}", excerpt(&body)));
        }
        if !self.secret.has_signed_answer(nonce, status, &body, &signature) {
            let words =
                "its response is not signed for this call: it answers another call, or uses another secret";
            return invalid(words.to_owned());
        }
        Ok(body)
    }
}

fn is_json(kind: &str) -> bool {
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The beginning of a response, for errors.
fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..MAX_EXCERPT_BYTES).unwrap_or(body));
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Nonces of calls: eight random bytes of this process, and a counter.
struct Nonces {
    process: String,
    last: AtomicU64,
}

impl Nonces {
    fn new() -> Result<Self, RemoteError> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|error| RemoteError::Random(error.to_string()))?;
        Ok(Self { process: hex::encode(bytes), last: AtomicU64::new(0) })
    }

    fn next(&self) -> String {
        format!("{}{:016x}", self.process, self.last.fetch_add(1, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_are_unique() {
        let (here, elsewhere) = (Nonces::new().unwrap(), Nonces::new().unwrap());
        let nonces: std::collections::HashSet<_> =
            (0..100).flat_map(|_| [here.next(), elsewhere.next()]).collect();
        assert_eq!(nonces.len(), 200);
        assert!(nonces.iter().all(|nonce| nonce.len() == 32));
    }

    #[test]
    fn json_is_recognized_by_its_media_type() {
        for kind in ["application/json", "Application/JSON; charset=utf-8"] {
            assert!(is_json(kind), "{kind}");
        }
        for kind in ["text/html", "application/jsonp", "", "text/json"] {
            assert!(!is_json(kind), "{kind}");
        }
    }
}
