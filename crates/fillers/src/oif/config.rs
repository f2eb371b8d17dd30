use std::fmt;
use std::time::Duration;

use causeway_domain::{DepositMethod, Parties};
use causeway_http_client::SetupError;
use reqwest::Url;
use reqwest::header::HeaderValue;
use thiserror::Error;

/// An API key that is redacted in `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    pub const fn new(key: String) -> Self {
        Self(key)
    }

    pub(super) fn bearer(&self) -> Result<HeaderValue, OifError> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0)).map_err(|_| OifError::Key)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// How a solver encodes bytes: the published types leave it open, and solvers differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteEncoding {
    /// Hex text behind `0x`.
    #[default]
    Hex,
    /// A list of numbers from 0 to 255.
    Numbers,
}

/// Configuration of a solver, as agreed with its operator.
#[derive(Clone, Debug)]
pub struct OifConfig {
    /// The name of its routes.
    pub name: String,
    /// Base URL; `/v1/quotes` and `/v1/orders` are appended to it.
    pub url: String,
    pub api_key: Option<ApiKey>,
    /// Timeout of a quote.
    pub deadline: Duration,
    /// Whether its name must lead to the open internet, so that it cannot reach our own network.
    pub public_only: bool,
    /// The accounts that its orders name: `filler` may refund a deposit, `payee` is paid. If they
    /// are not configured, the solver sends them in the metadata of its quotes.
    pub account: Option<Parties>,
    /// Whether deposits are submitted to it; not needed for a solver that watches the chains itself.
    pub submit: bool,
    pub bytes: ByteEncoding,
}

/// Our contracts on a chain, and its deposit methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OifContracts {
    pub escrow: causeway_domain::Address,
    pub settler: causeway_domain::Address,
    pub methods: Vec<DepositMethod>,
}

/// Why a solver's configuration is invalid.
#[derive(Debug, Error)]
pub enum OifError {
    #[error("a solver's URL starts with https:// or http:// and has no user, no query and no fragment")]
    Address,
    #[error("the API key has characters that are invalid in an HTTP header")]
    Key,
    #[error("a solver's accounts must be EVM addresses")]
    Account,
    #[error(transparent)]
    Client(#[from] SetupError),
}

impl OifConfig {
    /// The URL of an endpoint under the base URL.
    pub(super) fn endpoint(&self, segments: &[&str]) -> Result<Url, OifError> {
        let mut endpoint = Url::parse(&self.url).map_err(|_| OifError::Address)?;
        let is_plain = endpoint.username().is_empty()
            && endpoint.password().is_none()
            && endpoint.query().is_none()
            && endpoint.fragment().is_none();
        if !is_plain || !matches!(endpoint.scheme(), "http" | "https") {
            return Err(OifError::Address);
        }
        endpoint.path_segments_mut().map_err(|()| OifError::Address)?.pop_if_empty().extend(segments);
        Ok(endpoint)
    }
}
