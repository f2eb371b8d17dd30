use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Url};
use thiserror::Error;

use crate::source::ReadFault;

/// How long a source may take, and how much it may say.
const TIME: Duration = Duration::from_secs(10);
const SIZE: usize = 2 << 20;

/// What the operator must change before a source can be asked.
#[derive(Debug, Error)]
pub enum SetupError {
    #[error("`{0}` is no address of a price source: write one like https://host/path")]
    Url(String),
    #[error("the API key of a price source has characters that no HTTP header can carry")]
    Key,
    #[error("`{0}` is no Pyth price id: 64 hex digits, with or without 0x")]
    PythId(String),
    #[error(transparent)]
    Http(#[from] causeway_outbound::SetupError),
}

/// A key that never shows.
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

/// One HTTP source: its address, what it wants to be told, and the bounds on what it may answer.
#[derive(Clone, Debug)]
pub(crate) struct Web {
    client: Client,
    base: Url,
    headers: HeaderMap,
}

impl Web {
    pub(crate) fn new(
        base: &str,
        key: Option<(&'static str, Result<HeaderValue, SetupError>)>,
    ) -> Result<Self, SetupError> {
        Self::within(base, key, TIME)
    }

    /// The same with another time limit.
    pub(crate) fn within(
        base: &str,
        key: Option<(&'static str, Result<HeaderValue, SetupError>)>,
        time: Duration,
    ) -> Result<Self, SetupError> {
        let base: Url = base.parse().map_err(|_| SetupError::Url(base.to_owned()))?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(SetupError::Url(base.to_string()));
        }
        let mut headers = HeaderMap::new();
        if let Some((name, value)) = key {
            headers.insert(HeaderName::from_static(name), value?);
        }
        Ok(Self { client: causeway_outbound::client(time)?, base, headers })
    }

    /// Asks for a path below the base; answers are bounded in time and size, and redirects are not followed.
    pub(crate) async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Vec<u8>, ReadFault> {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", url.path().trim_end_matches('/')));
        url.query_pairs_mut().extend_pairs(query);
        let request = self.client.get(url).headers(self.headers.clone());
        let unreachable = |error| ReadFault::Unreachable(causeway_outbound::words(error));
        let response = request.send().await.map_err(unreachable)?;
        match response.status().as_u16() {
            200 => {}
            429 => return Err(ReadFault::Busy(wish(response.headers(), Timestamp::now()))),
            status if status >= 500 => return Err(ReadFault::Failing(status)),
            status => return Err(ReadFault::Refused(status)),
        }
        let body = causeway_outbound::body(response, SIZE).await;
        let body = body.map_err(|error| match error {
            causeway_outbound::AnswerError::TooLong(_) => ReadFault::Nonsense(error.to_string()),
            causeway_outbound::AnswerError::Broken(words) => ReadFault::Unreachable(words),
        })?;
        if body.trim_ascii_start().first() == Some(&b'<') {
            return Err(ReadFault::Nonsense("a web page instead of JSON".to_owned()));
        }
        Ok(body)
    }
}

/// How long a busy server wants to be left alone: seconds, or until a date.
fn wish(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
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
    fn a_wish_is_read_in_both_forms() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let wish = |text: &str| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
            super::wish(&headers, now).map(|wish| wish.as_secs())
        };
        assert_eq!(wish("120"), Some(120));
        assert_eq!(wish("Fri, 15 Jan 2027 08:01:00 GMT"), Some(60));
        assert_eq!(wish("Fri, 15 Jan 2027 07:00:00 GMT"), Some(0));
        assert_eq!(wish("soon"), None);
        assert_eq!(super::wish(&HeaderMap::new(), now), None);
    }

    #[test]
    fn keys_never_show_and_addresses_must_be_some() {
        let key = ApiKey::new("hunter2".to_owned());
        assert!(!format!("{key:?} {:?}", key.header("Bearer ").unwrap()).contains("hunter2"));
        assert!(matches!(ApiKey::new("a\nb".to_owned()).header(""), Err(SetupError::Key)));
        for url in ["", "ftp://host", "host", "http://"] {
            assert!(matches!(Web::new(url, None), Err(SetupError::Url(_))), "{url}");
        }
    }

    #[tokio::test]
    async fn a_source_that_never_answers_is_given_up() {
        // Connections are taken by the system and nobody reads them.
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let web = Web::within(&url, None, Duration::from_millis(50)).unwrap();
        assert!(matches!(web.get("/", &[]).await, Err(ReadFault::Unreachable(_))));
    }
}
