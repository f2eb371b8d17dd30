use std::fmt;

use causeway_domain::ports::{RampError, RampRefusal};
use jiff::Timestamp;
use reqwest::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::config::CoinbaseConfig;
use super::jwt::ApiKey;
use super::options::Place;
use super::wire::{
    BuyConfig, BuyOptions, ErrorBody, QuoteAnswer, QuoteRequest, SessionAnswer, SessionRequest, Transactions,
};
use crate::secret::SecretText;
use crate::transport::{ApiRequest, ApiResponse, RetryPolicy, Transport, origin, sanitize};

/// The option lists are long.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;

/// How many purchases of one order are read: a payer may retry.
const MAX_PURCHASES: usize = 20;

/// Coinbase's API; every request has its own token.
pub(super) struct Api {
    transport: Transport,
    key: ApiKey,
    platform: String,
    onramp: String,
}

impl Api {
    pub(super) fn new(config: &CoinbaseConfig, retry_policy: RetryPolicy) -> Result<Self, String> {
        let base = |url: &str, name: &str| {
            let trimmed = url.trim_end_matches('/').to_owned();
            let absolute = origin(&trimmed).is_some_and(|origin| origin.starts_with("http"));
            absolute.then_some(trimmed).ok_or_else(|| format!("`{name}` is not a URL: {url}"))
        };
        Ok(Self {
            transport: Transport::new(retry_policy)?,
            key: ApiKey::new(&config.api_key_id, config.api_key_secret.reveal())?,
            platform: base(&config.api_url, "api_url")?,
            onramp: base(&config.onramp_url, "onramp_url")?,
        })
    }

    pub(super) async fn config(&self) -> Result<BuyConfig, RampError> {
        self.get(format!("{}/onramp/v1/buy/config", self.onramp)).await
    }

    pub(super) async fn options(&self, place: &Place) -> Result<BuyOptions, RampError> {
        // A place has only letters and digits.
        let part = place.subdivision.as_ref().map(|part| format!("&subdivision={part}")).unwrap_or_default();
        self.get(format!("{}/onramp/v1/buy/options?country={}{part}", self.onramp, place.country)).await
    }

    pub(super) async fn quote(&self, request: &QuoteRequest) -> Result<QuoteAnswer, RampError> {
        self.post(format!("{}/onramp/v1/buy/quote", self.onramp), request).await
    }

    pub(super) async fn session(&self, request: &SessionRequest) -> Result<SessionAnswer, RampError> {
        self.post(format!("{}/platform/v2/onramp/sessions", self.platform), request).await
    }

    /// The purchases of a reference, newest first; empty if Coinbase does not know it.
    pub(super) async fn transactions(&self, reference: &str) -> Result<Transactions, RampError> {
        let url =
            format!("{}/onramp/v1/buy/user/{reference}/transactions?pageSize={MAX_PURCHASES}", self.onramp);
        let response = self.transport.send(&self.signed(ApiRequest::get(url.clone()), "GET", &url)?).await?;
        if response.status == StatusCode::NOT_FOUND {
            return Ok(Transactions { transactions: Vec::new() });
        }
        parse_response(&response)
    }

    async fn get<T: DeserializeOwned>(&self, url: String) -> Result<T, RampError> {
        let request = self.signed(ApiRequest::get(url.clone()), "GET", &url)?.max_bytes(MAX_LIST_BYTES);
        parse_response(&self.transport.send(&request).await?)
    }

    /// Quotes and sessions are safe to retry.
    async fn post<T: DeserializeOwned>(&self, url: String, body: &impl Serialize) -> Result<T, RampError> {
        let request = self.signed(ApiRequest::post(url.clone(), body)?, "POST", &url)?.retryable();
        parse_response(&self.transport.send(&request).await?)
    }

    fn signed(&self, request: ApiRequest, method: &str, url: &str) -> Result<ApiRequest, RampError> {
        let no_host = || RampError::Unavailable("its URL has no host".to_owned());
        let base_origin = origin(url).ok_or_else(no_host)?;
        let host = base_origin.split_once("://").map(|(_, host)| host).ok_or_else(no_host)?;
        let path = url.get(base_origin.len()..).and_then(|rest| rest.split('?').next()).unwrap_or("/");
        let token = self.key.token(method, host, path, Timestamp::now().as_second());
        let token = token.map_err(RampError::Unavailable)?;
        request.secret_header("authorization", &SecretText::new(format!("Bearer {token}")))
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api")
            .field("api", &self.platform)
            .field("onramp", &self.onramp)
            .finish_non_exhaustive()
    }
}

/// Parses a successful response; other statuses become errors.
pub(super) fn parse_response<T: DeserializeOwned>(response: &ApiResponse) -> Result<T, RampError> {
    if response.status.is_success() {
        return response.json();
    }
    if matches!(response.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        let message = format!("it returned {}: check the API key and its permissions", response.status);
        return Err(RampError::Unavailable(message));
    }
    let refusal: ErrorBody = response.json()?;
    let message = refusal.message.or(refusal.error_type).unwrap_or_else(|| response.status.to_string());
    Err(RampRefusal::Other(format!("it refused: {}", sanitize(&message))).into())
}
