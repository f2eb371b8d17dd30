use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::address::BaseAddress;
use crate::http;

/// How long a request may take unless told otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15);

/// The header by which the SDK names its version.
pub const VERSION_HEADER: &str = "x-svc-sdk-version";

const VERSION: &str = concat!("rust-", env!("CARGO_PKG_VERSION"));

/// Why a client cannot be made of what was configured.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ConfigError {
    #[error("the base address {address:?} cannot be used: {problem}")]
    Address { address: String, problem: &'static str },
    #[error("{0:?} is no header that can be sent; names and values are visible ASCII")]
    Header(String),
    #[error("no connections can be made: {0}")]
    Connections(String),
}

/// A service, ready to be asked. Clones share their connections.
///
/// A request ends early when its future is dropped, or when the token of [`Client::aborted_by`] is cancelled.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) base: BaseAddress,
    pub(crate) qr: BaseAddress,
    pub(crate) fiat: BaseAddress,
    pub(crate) timeout: Duration,
    pub(crate) cancel: CancellationToken,
}

impl Client {
    /// A client of the service at `base`, with everything else as usual.
    pub fn new(base: &str) -> Result<Self, ConfigError> {
        Self::builder(base).build()
    }

    pub fn builder(base: &str) -> Builder {
        Builder { base: base.to_owned(), qr: None, fiat: None, timeout: DEFAULT_TIMEOUT, headers: Vec::new() }
    }

    /// The same client, whose operations end with [`Error::ApiAborted`](crate::Error::ApiAborted) once `token` is cancelled.
    #[must_use]
    pub fn aborted_by(&self, token: CancellationToken) -> Self {
        Self { cancel: token, ..self.clone() }
    }
}

/// What a client is made of.
#[derive(Clone)]
pub struct Builder {
    base: String,
    qr: Option<String>,
    fiat: Option<String>,
    timeout: Duration,
    headers: Vec<(String, String)>,
}

impl Builder {
    /// How long a request may take, from asking to the last byte of the answer.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// A header for every request; it may replace those of the SDK.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Where QR codes are drawn, if not by the service itself at `/api/qrcode`.
    #[must_use]
    pub fn qr_address(mut self, address: &str) -> Self {
        self.qr = Some(address.to_owned());
        self
    }

    /// Where the fiat API is, if not at the same address.
    #[must_use]
    pub fn fiat_address(mut self, address: &str) -> Self {
        self.fiat = Some(address.to_owned());
        self
    }

    pub fn build(self) -> Result<Client, ConfigError> {
        let base = address(&self.base)?;
        let fiat = self.fiat.as_deref().map_or_else(|| Ok(base.clone()), address)?;
        let qr = match &self.qr {
            Some(text) => address(text)?,
            None => address(base.join(&["api", "qrcode"]).as_str())?,
        };
        let mut headers = HeaderMap::from_iter([(
            HeaderName::from_static(VERSION_HEADER),
            HeaderValue::from_static(VERSION),
        )]);
        for (name, value) in self.headers {
            let bad = || ConfigError::Header(name.clone());
            let mut value = HeaderValue::try_from(value).map_err(|_| bad())?;
            // It may be a key; what prints the client must not print it.
            value.set_sensitive(true);
            headers.insert(HeaderName::try_from(&name).map_err(|_| bad())?, value);
        }
        let http = http::connections(headers).map_err(ConfigError::Connections)?;
        Ok(Client { http, base, qr, fiat, timeout: self.timeout, cancel: CancellationToken::new() })
    }
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Builder")
            .field("base", &self.base)
            .field("timeout", &self.timeout)
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

fn address(text: &str) -> Result<BaseAddress, ConfigError> {
    BaseAddress::parse(text).map_err(|problem| ConfigError::Address { address: text.to_owned(), problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_configured_is_told_at_once() {
        let error = Client::new("swap.example").unwrap_err();
        assert!(error.to_string().contains("https://swap.example"), "{error}");
        let bad =
            |name: &str, value: &str| Client::builder("http://a").header(name, value).build().unwrap_err();
        assert_eq!(bad("a b", "c"), ConfigError::Header("a b".to_owned()));
        assert_eq!(bad("a", "c\n"), ConfigError::Header("a".to_owned()));
    }

    #[test]
    fn a_configured_header_is_never_printed() {
        let builder = Client::builder("http://a").header("authorization", "Bearer hush");
        assert!(!format!("{builder:?}").contains("hush"));
        let client = builder.build().unwrap();
        assert!(!format!("{client:?}").contains("hush"), "{client:?}");
    }
}
