use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::http;
use crate::url::BaseUrl;

/// Default time limit of a request.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15);

/// The header with the SDK version.
pub const VERSION_HEADER: &str = "x-svc-sdk-version";

/// The header with an integrator's API key.
pub const API_KEY_HEADER: &str = "x-api-key";

/// The header with the key of a request that may be repeated.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

const VERSION: &str = concat!("rust-", env!("CARGO_PKG_VERSION"));

/// Why a client cannot be built.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ConfigError {
    #[error("invalid base URL {url:?}: {problem}")]
    Url { url: String, problem: &'static str },
    #[error("{0:?} is not a valid header; names and values must be visible ASCII")]
    Header(String),
    #[error("the HTTP client cannot be created: {0}")]
    HttpClient(String),
}

/// A client of one service. Clones share their connections.
///
/// A request ends early when its future is dropped, or when the token of [`Client::with_cancellation`] is cancelled.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) http: reqwest::Client,
    /// Sends no header of the caller: for addresses that are not the service's own.
    pub(crate) plain_http: reqwest::Client,
    pub(crate) base: BaseUrl,
    pub(crate) qr: BaseUrl,
    pub(crate) fiat: BaseUrl,
    pub(crate) timeout: Duration,
    pub(crate) cancel: CancellationToken,
    /// Sent with requests that the service answers once for each key.
    pub(crate) idempotency_key: Option<HeaderValue>,
}

impl Client {
    /// A client of the service at `base` with default options.
    pub fn new(base: &str) -> Result<Self, ConfigError> {
        Self::builder(base).build()
    }

    pub fn builder(base: &str) -> Builder {
        Builder {
            base: base.to_owned(),
            embed: None,
            qr: None,
            fiat: None,
            timeout: DEFAULT_TIMEOUT,
            headers: Vec::new(),
        }
    }

    /// Whether the service runs on this machine, as a sandbox does.
    pub fn is_local(&self) -> bool {
        crate::url::is_local(self.base.as_url())
    }

    /// The same client, whose operations end with [`Error::ApiAborted`](crate::Error::ApiAborted) once `token` is cancelled.
    #[must_use]
    pub fn with_cancellation(&self, token: CancellationToken) -> Self {
        Self { cancel: token, ..self.clone() }
    }

    /// The same client, which sends this `Idempotency-Key` with builds, submits and orders of purchases.
    ///
    /// The same request with the same key within 24 hours gets the first answer again. A key is for one request only: the
    /// service refuses another one with it.
    pub fn with_idempotency_key(&self, key: &str) -> Result<Self, ConfigError> {
        let key = HeaderValue::try_from(key).map_err(|_| ConfigError::Header(IDEMPOTENCY_KEY.to_string()))?;
        Ok(Self { idempotency_key: Some(key), ..self.clone() })
    }
}

/// Configures a [`Client`].
#[derive(Clone)]
pub struct Builder {
    base: String,
    embed: Option<String>,
    qr: Option<String>,
    fiat: Option<String>,
    timeout: Duration,
    headers: Vec<(String, String)>,
}

impl Builder {
    /// Time limit of a request, including the response body.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The API key of an integrator; quotes with it have its referrer and fee.
    #[must_use]
    pub fn api_key(self, key: &str) -> Self {
        self.header(API_KEY_HEADER, key)
    }

    /// A header for every request; it may replace those of the SDK.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The origin that serves QR codes, if it is not that of the service; a path in it is left out.
    #[must_use]
    pub fn embed_url(mut self, url: &str) -> Self {
        self.embed = Some(url.to_owned());
        self
    }

    /// The URL of the QR code API, if it is not `/api/qrcode` of the embed origin; a path is one of that origin.
    #[must_use]
    pub fn qr_url(mut self, url: &str) -> Self {
        self.qr = Some(url.to_owned());
        self
    }

    /// The base URL of the fiat API, if it differs from that of the service.
    #[must_use]
    pub fn fiat_url(mut self, url: &str) -> Self {
        self.fiat = Some(url.to_owned());
        self
    }

    pub fn build(self) -> Result<Client, ConfigError> {
        let base = parse_url(&self.base)?;
        let fiat = self.fiat.as_deref().map_or_else(|| Ok(base.clone()), parse_url)?;
        let embed = self.embed.as_deref().map_or_else(|| Ok(base.clone()), parse_url)?;
        let qr = self.qr.as_deref().unwrap_or("/api/qrcode");
        let qr = embed.resolve(qr).map_err(|problem| ConfigError::Url { url: qr.to_owned(), problem })?;
        let mut headers = HeaderMap::from_iter([(
            HeaderName::from_static(VERSION_HEADER),
            HeaderValue::from_static(VERSION),
        )]);
        for (name, value) in self.headers {
            let bad = || ConfigError::Header(name.clone());
            let mut value = HeaderValue::try_from(value).map_err(|_| bad())?;
            // The value may be a secret and must not be printed.
            value.set_sensitive(true);
            headers.insert(HeaderName::try_from(&name).map_err(|_| bad())?, value);
        }
        let http = http::build_client(headers).map_err(ConfigError::HttpClient)?;
        let plain_http = http::build_client(HeaderMap::new()).map_err(ConfigError::HttpClient)?;
        let cancel = CancellationToken::new();
        Ok(Client { http, plain_http, base, qr, fiat, timeout: self.timeout, cancel, idempotency_key: None })
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

fn parse_url(text: &str) -> Result<BaseUrl, ConfigError> {
    BaseUrl::parse(text).map_err(|problem| ConfigError::Url { url: text.to_owned(), problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_configuration_is_rejected_at_build() {
        let error = Client::new("swap.example").unwrap_err();
        assert!(error.to_string().contains("https://swap.example"), "{error}");
        let bad =
            |name: &str, value: &str| Client::builder("http://a").header(name, value).build().unwrap_err();
        assert_eq!(bad("a b", "c"), ConfigError::Header("a b".to_owned()));
        assert_eq!(bad("a", "c\n"), ConfigError::Header("a".to_owned()));
    }

    #[test]
    fn configured_header_values_are_never_printed() {
        let builder = Client::builder("http://a").header("authorization", "Bearer hush");
        assert!(!format!("{builder:?}").contains("hush"));
        let client = builder.build().unwrap();
        assert!(!format!("{client:?}").contains("hush"), "{client:?}");
    }
}
