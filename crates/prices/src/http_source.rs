use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Url};
use thiserror::Error;

use crate::source::ReadError;

/// Limits of one request.
const TIMEOUT: Duration = Duration::from_secs(10);
const MAX_RESPONSE_BYTES: usize = 2 << 20;

/// An invalid price source configuration.
#[derive(Debug, Error)]
pub enum SetupError {
    #[error("`{0}` is no address of a price source: write one like https://host/path")]
    Url(String),
    #[error("the API key of a price source has characters that no HTTP header can carry")]
    Key,
    #[error("`{0}` is no Pyth price id: 64 hex digits, with or without 0x")]
    PythId(String),
    #[error(transparent)]
    Http(#[from] causeway_http_client::SetupError),
}

/// An API key that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    pub const fn new(key: String) -> Self {
        Self(key)
    }

    pub(crate) fn header(&self, prefix: &str) -> Result<HeaderValue, SetupError> {
        let text = format!("{prefix}{}", self.0);
        let mut value = HeaderValue::from_str(&text).map_err(|_| SetupError::Key)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The HTTP client of one source, with base URL and headers.
#[derive(Clone, Debug)]
pub(crate) struct HttpSource {
    client: Client,
    base: Url,
    headers: HeaderMap,
}

impl HttpSource {
    pub(crate) fn new(
        base: &str,
        key: Option<(&'static str, Result<HeaderValue, SetupError>)>,
    ) -> Result<Self, SetupError> {
        Self::with_timeout(base, key, TIMEOUT)
    }

    /// The same with another timeout.
    pub(crate) fn with_timeout(
        base: &str,
        key: Option<(&'static str, Result<HeaderValue, SetupError>)>,
        timeout: Duration,
    ) -> Result<Self, SetupError> {
        let base: Url = base.parse().map_err(|_| SetupError::Url(base.to_owned()))?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(SetupError::Url(base.to_string()));
        }
        let mut headers = HeaderMap::new();
        if let Some((name, value)) = key {
            headers.insert(HeaderName::from_static(name), value?);
        }
        Ok(Self { client: causeway_http_client::client(timeout)?, base, headers })
    }

    /// Requests a path below the base URL, bounded in time and size, without redirects.
    pub(crate) async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Vec<u8>, ReadError> {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", url.path().trim_end_matches('/')));
        url.query_pairs_mut().extend_pairs(query);
        let request = self.client.get(url).headers(self.headers.clone());
        let unreachable = |error| ReadError::Unreachable(causeway_http_client::error_message(error));
        let response = request.send().await.map_err(unreachable)?;
        match response.status().as_u16() {
            200 => {}
            429 => return Err(ReadError::RateLimited(retry_after(response.headers(), Timestamp::now()))),
            status if status >= 500 => return Err(ReadError::ServerError(status)),
            status => return Err(ReadError::Rejected(status)),
        }
        let body = causeway_http_client::read_body(response, MAX_RESPONSE_BYTES).await;
        let body = body.map_err(|error| match error {
            causeway_http_client::ResponseError::TooLong(_) => ReadError::InvalidResponse(error.to_string()),
            causeway_http_client::ResponseError::Interrupted(error) => unreachable(error),
        })?;
        if body.trim_ascii_start().first() == Some(&b'<') {
            return Err(ReadError::InvalidResponse("a web page instead of JSON".to_owned()));
        }
        Ok(body)
    }
}

/// Parses `Retry-After`: seconds or a date.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_parsed_in_both_forms() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let parse = |text: &str| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
            super::retry_after(&headers, now).map(|wait| wait.as_secs())
        };
        assert_eq!(parse("120"), Some(120));
        assert_eq!(parse("Fri, 15 Jan 2027 08:01:00 GMT"), Some(60));
        assert_eq!(parse("Fri, 15 Jan 2027 07:00:00 GMT"), Some(0));
        assert_eq!(parse("soon"), None);
        assert_eq!(super::retry_after(&HeaderMap::new(), now), None);
    }

    #[test]
    fn keys_are_never_printed_and_urls_are_validated() {
        let key = ApiKey::new("hunter2".to_owned());
        assert!(!format!("{key:?} {:?}", key.header("Bearer ").unwrap()).contains("hunter2"));
        assert!(matches!(ApiKey::new("a\nb".to_owned()).header(""), Err(SetupError::Key)));
        for url in ["", "ftp://host", "host", "http://"] {
            assert!(matches!(HttpSource::new(url, None), Err(SetupError::Url(_))), "{url}");
        }
    }

    #[tokio::test]
    async fn a_source_that_never_answers_times_out() {
        // The system accepts connections, but nothing reads them.
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let web = HttpSource::with_timeout(&url, None, Duration::from_millis(50)).unwrap();
        assert!(matches!(web.get("/", &[]).await, Err(ReadError::Unreachable(_))));
    }
}
