use std::path::Path;
use std::time::Duration;

use causeway_http_client::{ResponseError, client_with, error_message, read_body};
use reqwest::header::{ACCEPT, ETAG, HeaderValue, IF_NONE_MATCH};
use reqwest::{Client, StatusCode, redirect};
use tokio::io::AsyncReadExt;

use super::config::Source;
use super::{ListError, MAX_LIST_BYTES};

const MAX_REDIRECTS: usize = 5;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TOTAL_TIMEOUT: Duration = Duration::from_mins(1);

/// The response of a source.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// The known document is current.
    NotModified,
    Document {
        bytes: Vec<u8>,
        tag: Option<String>,
    },
}

/// Fetches lists from URLs and files.
#[derive(Clone, Debug)]
pub(crate) struct Fetcher(Client);

impl Fetcher {
    pub(crate) fn new() -> Result<Self, ListError> {
        let client = client_with(TOTAL_TIMEOUT, |builder| {
            builder.redirect(redirect::Policy::custom(follow)).connect_timeout(CONNECT_TIMEOUT)
        });
        Ok(Self(client?))
    }

    pub(super) async fn get(&self, source: &Source, known_tag: Option<&str>) -> Result<Incoming, ListError> {
        match source {
            Source::Url(url) => self.download(url, known_tag).await,
            Source::File(path) => read_file(path).await,
        }
    }

    async fn download(&self, url: &str, known_tag: Option<&str>) -> Result<Incoming, ListError> {
        let failed = |error| ListError::Request(error_message(error));
        let mut request = self.0.get(url).header(ACCEPT, "application/json");
        if let Some(tag) = known_tag.and_then(|tag| HeaderValue::from_str(tag).ok()) {
            request = request.header(IF_NONE_MATCH, tag);
        }
        let response = request.send().await.map_err(failed)?;
        match response.status() {
            StatusCode::NOT_MODIFIED if known_tag.is_some() => return Ok(Incoming::NotModified),
            StatusCode::OK => {}
            other => return Err(ListError::Status(other.as_u16())),
        }
        let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        let bytes = read_body(response, MAX_LIST_BYTES).await.map_err(|error| match error {
            ResponseError::TooLong(_) => ListError::TooLarge,
            ResponseError::Interrupted(error) => failed(error),
        })?;
        Ok(Incoming::Document { bytes, tag })
    }
}

/// Follows a few redirects, but none from https to http.
fn follow(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let downgrade = attempt.url().scheme() == "http"
        && attempt.previous().last().is_some_and(|url| url.scheme() == "https");
    if downgrade {
        attempt.error("it is redirected from https to http")
    } else if attempt.previous().len() > MAX_REDIRECTS {
        attempt.error("it is redirected too often")
    } else {
        attempt.follow()
    }
}

async fn read_file(path: &Path) -> Result<Incoming, ListError> {
    let file = tokio::fs::File::open(path).await.map_err(ListError::File)?;
    let mut bytes = Vec::new();
    // One byte past the limit is enough to detect an oversized file.
    let limit = u64::try_from(MAX_LIST_BYTES).unwrap_or(u64::MAX) + 1;
    file.take(limit).read_to_end(&mut bytes).await.map_err(ListError::File)?;
    Ok(Incoming::Document { bytes, tag: None })
}
