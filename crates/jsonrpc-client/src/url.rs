use std::fmt;
use std::str::FromStr;

use reqwest::Url;
use thiserror::Error;

/// Shorter parts of a URL are words such as `v2`, not keys; hiding them would garble messages.
const MIN_KEY_LENGTH: usize = 8;

/// The URL of an RPC endpoint. It may contain a key, so only scheme, host and port are ever shown.
#[derive(Clone, PartialEq, Eq)]
pub struct RpcUrl(Url);

/// The error does not contain the text, which may hold a key.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RpcUrlError {
    #[error("an RPC address is a URL such as https://rpc.example/key")]
    NotAUrl,
    #[error("an RPC address starts with https:// or http://")]
    Scheme,
}

impl RpcUrl {
    /// The whole URL including any key; for connecting, never for logs.
    pub fn expose(&self) -> &str {
        self.0.as_str()
    }

    pub(crate) const fn as_url(&self) -> &Url {
        &self.0
    }

    /// `text` without anything that looks like a key of this URL: servers may echo the request.
    pub(crate) fn redact(&self, text: &str) -> String {
        let path = self.0.path_segments().into_iter().flatten().map(str::to_owned);
        let query = self.0.query_pairs().map(|(_, value)| value.into_owned());
        let user = [self.0.username(), self.0.password().unwrap_or_default()].map(str::to_owned);
        let long = |part: &String| part.len() >= MIN_KEY_LENGTH;
        let mut secrets: Vec<String> = path.chain(query).chain(user).filter(long).collect();
        // A secret may contain another one.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
    }
}

impl FromStr for RpcUrl {
    type Err = RpcUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).map_err(|_| RpcUrlError::NotAUrl)?;
        let web = matches!(url.scheme(), "http" | "https") && url.has_host();
        if web { Ok(Self(url)) } else { Err(RpcUrlError::Scheme) }
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_scheme_host_and_port_are_shown() {
        let url: RpcUrl =
            "https://user:hunter2secret@rpc.example:8545/v2/abcdef0123456789?key=zyxwvuts".parse().unwrap();
        assert_eq!(url.to_string(), "https://rpc.example:8545");
        assert_eq!(format!("{url:?}"), "https://rpc.example:8545");
        let echoed = url.redact("no such key abcdef0123456789 or zyxwvuts for hunter2secret");
        assert_eq!(echoed, "no such key *** or *** for ***");
    }

    #[test]
    fn other_schemes_are_refused_without_repeating_the_address() {
        assert_eq!("wss://rpc.example/secret".parse::<RpcUrl>(), Err(RpcUrlError::Scheme));
        assert_eq!("rpc.example".parse::<RpcUrl>(), Err(RpcUrlError::NotAUrl));
    }

    proptest! {
        #[test]
        fn a_key_in_the_path_is_never_printed(key in "[a-zA-Z0-9]{12,40}") {
            let url: RpcUrl = format!("https://host.test/{key}").parse().unwrap();
            let shown = format!("{url} {url:?} {}", url.redact(&format!("bad key {key}")));
            prop_assert!(!shown.contains(&key));
        }
    }
}
