use std::fmt;
use std::str::FromStr;

use reqwest::Url;
use thiserror::Error;

/// Shorter parts of a URL are words such as `v2`, not keys; redacting them would garble messages.
const MIN_SECRET_LENGTH: usize = 8;

/// The URL of an RPC endpoint. It may contain a key, so it displays scheme and host only.
#[derive(Clone, PartialEq, Eq)]
pub struct RpcUrl(Url);

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum RpcUrlError {
    #[error("an RPC address is a URL such as https://host/path")]
    Form,
    #[error("an RPC address starts with https:// or http://")]
    Scheme,
}

impl RpcUrl {
    pub(crate) fn get(&self) -> Url {
        self.0.clone()
    }

    /// Removes every part of this URL that may be a key from `text`: some servers repeat it in their errors.
    pub(crate) fn redact(&self, text: &str) -> String {
        let segments = self.0.path_segments().into_iter().flatten().map(str::to_owned);
        let values = self.0.query_pairs().map(|(_, value)| value.into_owned());
        let user = [self.0.username(), self.0.password().unwrap_or_default()].map(str::to_owned);
        let mut secrets: Vec<String> =
            segments.chain(values).chain(user).filter(|part| part.len() >= MIN_SECRET_LENGTH).collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "…"))
    }
}

impl FromStr for RpcUrl {
    type Err = RpcUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).map_err(|_| RpcUrlError::Form)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(RpcUrlError::Scheme);
        }
        if url.host_str().is_none() {
            return Err(RpcUrlError::Form);
        }
        Ok(Self(url))
    }
}

impl fmt::Display for RpcUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.0.scheme(), self.0.host_str().unwrap_or_default())?;
        self.0.port().map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl fmt::Debug for RpcUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "https://someone:pa55word99@node.example:8899/v2/k3yk3yk3yk3y?api-key=0123456789";

    #[test]
    fn displayed_url_contains_no_key() {
        let url: RpcUrl = SECRET.parse().unwrap();
        assert_eq!(url.to_string(), "https://node.example:8899");
        assert_eq!(format!("{url:?}"), "https://node.example:8899");
    }

    #[test]
    fn keys_are_redacted_from_server_messages() {
        let url: RpcUrl = SECRET.parse().unwrap();
        let said = "key 0123456789 of k3yk3yk3yk3y (pa55word99) is not valid for v2";
        assert_eq!(url.redact(said), "key … of … (…) is not valid for v2");
    }

    #[test]
    fn only_http_urls_are_accepted() {
        assert_eq!("node.example".parse::<RpcUrl>(), Err(RpcUrlError::Form));
        assert_eq!("wss://node.example".parse::<RpcUrl>(), Err(RpcUrlError::Scheme));
        assert_eq!("".parse::<RpcUrl>(), Err(RpcUrlError::Form));
    }
}
