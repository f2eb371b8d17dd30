use std::fmt;
use std::time::Duration;

use causeway_domain::{DepositMethod, Parties};
use causeway_outbound::SetupError;
use reqwest::Url;
use reqwest::header::HeaderValue;
use thiserror::Error;

/// A key that never shows.
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

/// How a solver reads bytes: the published types leave it open, and solvers differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteForm {
    /// Hex text behind `0x`.
    #[default]
    Hex,
    /// A list of numbers from 0 to 255.
    Numbers,
}

/// A solver, as its operator and ours agreed on it.
#[derive(Clone, Debug)]
pub struct OifConfig {
    /// What its routes are called by.
    pub name: String,
    /// Where it answers: `/v1/quotes` and `/v1/orders` are added to it.
    pub url: String,
    pub api_key: Option<ApiKey>,
    /// How long it has for a quote.
    pub deadline: Duration,
    /// The accounts that orders of its routes name: the one that may give a deposit back, and the one that is paid. Where they
    /// are not agreed on, the solver tells them in the metadata of its quotes.
    pub account: Option<Parties>,
    /// Whether it is told of deposits; one that watches the chains for itself need not be.
    pub submit: bool,
    pub bytes: ByteForm,
}

/// Our contracts on a chain, and how deposits are made there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OifPlace {
    pub escrow: causeway_domain::Address,
    pub settler: causeway_domain::Address,
    pub methods: Vec<DepositMethod>,
}

/// Why a solver cannot be asked as it was configured.
#[derive(Debug, Error)]
pub enum OifError {
    #[error(
        "a solver's address is a URL that starts with https:// or http:// and has no user, no query and no fragment"
    )]
    Address,
    #[error("the API key has characters that no HTTP header can carry")]
    Key,
    #[error("a solver's accounts are addresses of EVM chains")]
    Account,
    #[error(transparent)]
    Client(#[from] SetupError),
}

impl OifConfig {
    /// The address with segments more.
    pub(super) fn place(&self, segments: &[&str]) -> Result<Url, OifError> {
        let mut place = Url::parse(&self.url).map_err(|_| OifError::Address)?;
        let plain = place.username().is_empty()
            && place.password().is_none()
            && place.query().is_none()
            && place.fragment().is_none();
        if !plain || !matches!(place.scheme(), "http" | "https") {
            return Err(OifError::Address);
        }
        place.path_segments_mut().map_err(|()| OifError::Address)?.pop_if_empty().extend(segments);
        Ok(place)
    }
}
