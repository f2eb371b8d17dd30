use std::time::Duration;

use causeway_outbound::SetupError;
use reqwest::Url;
use thiserror::Error;

use super::Secret;

/// A filler elsewhere, as its operator and ours agreed on it.
#[derive(Clone, Debug)]
pub struct RemoteConfig {
    /// What its routes are called by.
    pub name: String,
    /// Where it answers: `/quote` and `/orders` are added to it.
    pub url: String,
    pub secret: Secret,
    /// How long it has for a quote.
    pub deadline: Duration,
}

/// Why a filler cannot be asked as it was configured.
#[derive(Debug, Error)]
pub enum RemoteError {
    #[error(
        "a filler's address is a URL that starts with https:// or http:// and has no user, no query and no fragment"
    )]
    Address,
    #[error(transparent)]
    Client(#[from] SetupError),
    #[error("no randomness is to be had: {0}")]
    Random(String),
}

/// The address with one segment more.
pub(super) fn place(url: &str, segment: &str) -> Result<Url, RemoteError> {
    let mut place = Url::parse(url).map_err(|_| RemoteError::Address)?;
    let plain = place.username().is_empty()
        && place.password().is_none()
        && place.query().is_none()
        && place.fragment().is_none();
    if !plain || !matches!(place.scheme(), "http" | "https") {
        return Err(RemoteError::Address);
    }
    place.path_segments_mut().map_err(|()| RemoteError::Address)?.pop_if_empty().push(segment);
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_lie_under_the_fillers_address() {
        for (url, whole) in [
            ("https://fill.example", "https://fill.example/quote"),
            ("https://fill.example/", "https://fill.example/quote"),
            ("http://127.0.0.1:9000/causeway/", "http://127.0.0.1:9000/causeway/quote"),
        ] {
            assert_eq!(place(url, "quote").unwrap().as_str(), whole);
        }
    }

    #[test]
    fn what_is_no_plain_address_is_refused() {
        for url in [
            "",
            "fill.example",
            "ftp://fill.example",
            "https://me:pass@fill.example",
            "https://a?b",
            "https://a#b",
        ] {
            assert!(matches!(place(url, "quote"), Err(RemoteError::Address)), "{url}");
        }
    }
}
