use std::time::Duration;

use causeway_http_client::SetupError;
use reqwest::Url;
use thiserror::Error;

use super::Secret;

/// Configuration of a remote filler, as agreed with its operator.
#[derive(Clone, Debug)]
pub struct RemoteConfig {
    /// The name of its routes.
    pub name: String,
    /// Base URL; `/quote` and `/orders` are appended to it.
    pub url: String,
    pub secret: Secret,
    /// Timeout of a quote.
    pub deadline: Duration,
    /// Whether its name must lead to the open internet, so that it cannot reach our own network.
    pub public_only: bool,
}

/// Why a filler's configuration is invalid.
#[derive(Debug, Error)]
pub enum RemoteError {
    #[error("a filler's URL starts with https:// or http:// and has no user, no query and no fragment")]
    Address,
    #[error(transparent)]
    Client(#[from] SetupError),
    #[error("the system has no randomness: {0}")]
    Random(String),
}

/// The URL of an endpoint under the base URL.
pub(super) fn endpoint(url: &str, segment: &str) -> Result<Url, RemoteError> {
    let mut endpoint = Url::parse(url).map_err(|_| RemoteError::Address)?;
    let is_plain = endpoint.username().is_empty()
        && endpoint.password().is_none()
        && endpoint.query().is_none()
        && endpoint.fragment().is_none();
    if !is_plain || !matches!(endpoint.scheme(), "http" | "https") {
        return Err(RemoteError::Address);
    }
    endpoint.path_segments_mut().map_err(|()| RemoteError::Address)?.pop_if_empty().push(segment);
    Ok(endpoint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_under_the_base_url() {
        for (url, expected) in [
            ("https://fill.example", "https://fill.example/quote"),
            ("https://fill.example/", "https://fill.example/quote"),
            ("http://127.0.0.1:9000/causeway/", "http://127.0.0.1:9000/causeway/quote"),
        ] {
            assert_eq!(endpoint(url, "quote").unwrap().as_str(), expected);
        }
    }

    #[test]
    fn invalid_url_is_rejected() {
        for url in [
            "",
            "fill.example",
            "ftp://fill.example",
            "https://me:pass@fill.example",
            "https://a?b",
            "https://a#b",
        ] {
            assert!(matches!(endpoint(url, "quote"), Err(RemoteError::Address)), "{url}");
        }
    }
}
