use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{FillerError, RequestBudgets};
use causeway_http_client::{ResponseError, SetupError, client, error_message};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Method, Request, Url};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::budget::Budget;

/// Maximum size of a response; quotes carry calldata.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// Upper bound on any deadline.
const MAX_TIMEOUT: Duration = Duration::from_secs(20);

/// For how long a provider is left alone that refuses without saying until when.
const DEFAULT_PAUSE: Duration = Duration::from_secs(30);

/// An API key, hidden in `Debug` and never serialized.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ProviderKey(String);

impl ProviderKey {
    pub const fn new(key: String) -> Self {
        Self(key)
    }

    /// The key as an OAuth token.
    pub(super) fn bearer(&self) -> Self {
        Self(format!("Bearer {}", self.0.trim()))
    }

    pub(super) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(self.0.trim()).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl fmt::Debug for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Serialize for ProviderKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("***")
    }
}

/// An answer of a provider, whatever its status.
pub(super) struct ProviderResponse {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// What a request is for. Providers limit their quotes apart from all else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Quote,
    Other,
}

/// The HTTP client of one provider.
#[derive(Debug)]
pub(super) struct Transport {
    client: Client,
    base: Url,
    key: Option<(HeaderName, HeaderValue)>,
    /// Goes with every request.
    header: Option<(HeaderName, HeaderValue)>,
    deadline: Duration,
    quotes: Budget,
    /// Without a limit of its own: it is sent nothing while it asks to be left alone.
    others: Budget,
}

/// Why a provider's configuration is invalid.
#[derive(Debug, thiserror::Error)]
pub enum ProviderSetupError {
    #[error("a provider's URL starts with https:// or http:// and has no user, no query and no fragment")]
    Address,
    #[error("the API key has characters that are invalid in an HTTP header")]
    Key,
    #[error("it answers nobody without an API key: set its variable or api_key")]
    NoKey,
    #[error("a fee is at most 1,000 basis points")]
    Fee,
    #[error("a fee needs the address that it is paid to")]
    FeeRecipient,
    #[error("its program is no address on Solana")]
    Program,
    #[error("a deposit may take between 5 and 1,440 minutes")]
    DepositTime,
    #[error(transparent)]
    Client(#[from] SetupError),
}

impl Transport {
    pub(super) fn new(
        base: &str,
        key: Option<(&'static str, &ProviderKey)>,
        deadline: Duration,
        quotes: Budget,
    ) -> Result<Self, ProviderSetupError> {
        let base = Url::parse(base).map_err(|_| ProviderSetupError::Address)?;
        let is_plain = base.username().is_empty()
            && base.password().is_none()
            && base.query().is_none()
            && base.fragment().is_none();
        if !is_plain || !matches!(base.scheme(), "http" | "https") {
            return Err(ProviderSetupError::Address);
        }
        let key = key
            .map(|(name, key)| {
                let value = key.header().ok_or(ProviderSetupError::Key)?;
                Ok::<_, ProviderSetupError>((HeaderName::from_static(name), value))
            })
            .transpose()?;
        let others = Budget::unlimited();
        Ok(Self { client: client(MAX_TIMEOUT)?, base, key, header: None, deadline, quotes, others })
    }

    /// The same with a header that goes with every request.
    pub(super) fn with_header(mut self, (name, value): (&'static str, &'static str)) -> Self {
        self.header = Some((HeaderName::from_static(name), HeaderValue::from_static(value)));
        self
    }

    /// Its budgets are those of all processes of the store, under the provider's name.
    pub(super) fn share_budgets(&mut self, provider: &str, budgets: &Arc<dyn RequestBudgets>) {
        self.quotes.share(format!("liquidity {provider} quotes"), Arc::clone(budgets));
        self.others.share(format!("liquidity {provider} others"), Arc::clone(budgets));
    }

    /// A request that counts against the budget of quotes.
    pub(super) async fn get_quote(
        &self,
        path: &str,
        query: &[(&str, String)],
    ) -> Result<ProviderResponse, FillerError> {
        self.send(self.get_request(path, query), Purpose::Quote).await
    }

    /// The same with a body.
    pub(super) async fn post_quote(&self, path: &str, body: &Value) -> Result<ProviderResponse, FillerError> {
        self.send(self.post_request(path, body), Purpose::Quote).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<ProviderResponse, FillerError> {
        self.send(self.post_request(path, body), Purpose::Other).await
    }

    pub(super) async fn get(
        &self,
        path: &str,
        query: &[(&str, String)],
    ) -> Result<ProviderResponse, FillerError> {
        self.send(self.get_request(path, query), Purpose::Other).await
    }

    fn post_request(&self, path: &str, body: &Value) -> Request {
        let mut request = Request::new(Method::POST, self.url(path));
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(body.to_string().into());
        request
    }

    fn get_request(&self, path: &str, query: &[(&str, String)]) -> Request {
        let mut url = self.url(path);
        url.query_pairs_mut().extend_pairs(query);
        Request::new(Method::GET, url)
    }

    fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path.split('/'));
        }
        url
    }

    async fn send(&self, mut request: Request, purpose: Purpose) -> Result<ProviderResponse, FillerError> {
        let budget = if purpose == Purpose::Quote { &self.quotes } else { &self.others };
        budget.take().await.map_err(FillerError::Unavailable)?;
        *request.timeout_mut() = Some(self.deadline.min(MAX_TIMEOUT));
        for (name, value) in self.key.iter().chain(&self.header) {
            request.headers_mut().insert(name.clone(), value.clone());
        }
        let sent = self.client.execute(request).await;
        let response = sent.map_err(|error| FillerError::Unavailable(error_message(error)))?;
        let status = response.status().as_u16();
        if status == 429 {
            budget.pause(pause_of(response.headers(), Timestamp::now()));
        }
        let body =
            causeway_http_client::read_body(response, MAX_RESPONSE_BYTES).await.map_err(
                |error| match error {
                    ResponseError::TooLong(_) => FillerError::Nonsense(error.to_string()),
                    ResponseError::Interrupted(_) => FillerError::Unavailable(error.to_string()),
                },
            )?;
        match status {
            300..=399 => {
                Err(FillerError::Nonsense(format!("it returned {status}, and redirects are not followed")))
            }
            401 | 403 | 408 | 425 | 429 | 500.. => {
                Err(FillerError::Unavailable(format!("it returned {status}{}", message(&body))))
            }
            _ => Ok(ProviderResponse { status, body }),
        }
    }
}

/// Reads an answer; one with another status than 200 or 201, or in another form, is the provider's fault.
pub(super) fn read<T: DeserializeOwned>(response: &ProviderResponse) -> Result<T, FillerError> {
    if !matches!(response.status, 200 | 201) {
        let words = format!("it returned {}{}", response.status, message(&response.body));
        return Err(FillerError::Nonsense(words));
    }
    serde_json::from_slice(&response.body)
        .map_err(|error| FillerError::Nonsense(format!("its answer cannot be read: {error}")))
}

/// For how long the provider wants to be left alone: `Retry-After` in seconds or as a date, or the reset of its rate limit in
/// seconds.
fn pause_of(headers: &HeaderMap, now: Timestamp) -> Duration {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let seconds = |name: &str| text(name)?.parse::<u64>().ok();
    let until_date = || {
        let date = DateTimeParser::new().parse_timestamp(text(RETRY_AFTER.as_str())?).ok()?;
        u64::try_from(date.as_second().saturating_sub(now.as_second())).ok()
    };
    let asked = seconds(RETRY_AFTER.as_str()).or_else(until_date).or_else(|| seconds("ratelimit-reset"));
    asked.map_or(DEFAULT_PAUSE, Duration::from_secs)
}

/// The message of an error, in brackets.
pub(super) fn message(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct ErrorBody {
        message: String,
    }
    let body: Option<ErrorBody> = serde_json::from_slice(body).ok();
    let text =
        |body: ErrorBody| body.message.chars().filter(|c| !c.is_control()).take(160).collect::<String>();
    body.map(text).map_or_else(String::new, |text| format!(" ({text})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_says_for_how_long_it_wants_to_be_left_alone() {
        let mut headers = HeaderMap::new();
        let now: Timestamp = "2026-11-18T12:00:00Z".parse().unwrap();
        assert_eq!(pause_of(&headers, now), DEFAULT_PAUSE);
        headers.insert("ratelimit-reset", HeaderValue::from_static("7200"));
        assert_eq!(pause_of(&headers, now), Duration::from_hours(2));
        headers.insert(RETRY_AFTER, HeaderValue::from_static("Wed, 18 Nov 2026 12:01:30 GMT"));
        assert_eq!(pause_of(&headers, now), Duration::from_secs(90));
        headers.insert(RETRY_AFTER, HeaderValue::from_static("5"));
        assert_eq!(pause_of(&headers, now), Duration::from_secs(5));
    }

    #[test]
    fn a_key_is_never_shown() {
        let key = ProviderKey::new("hush".to_owned());
        assert!(!format!("{key:?}").contains("hush"));
        assert!(!serde_json::to_string(&key).unwrap().contains("hush"));
    }
}
