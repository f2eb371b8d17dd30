use std::fmt;

use causeway_domain::ports::{RampError, RampRefusal};
use jiff::Timestamp;
use reqwest::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::config::CoinbaseConfig;
use super::jwt::Keys;
use super::options::Place;
use super::wire::{
    BuyConfig, BuyOptions, QuoteAnswer, QuoteRequest, Refusal, SessionAnswer, SessionRequest, Transactions,
};
use crate::secret::SecretText;
use crate::transport::{Answer, Call, Patience, Transport, origin, short};

/// The lists of everything that is sold are long.
const LIST_LIMIT: usize = 8 * 1024 * 1024;

/// How many purchases of one order are looked at: a payer who failed may try again.
const PAGE: usize = 20;

/// Coinbase's interface, every request with a token of its own.
pub(super) struct Api {
    transport: Transport,
    keys: Keys,
    platform: String,
    onramp: String,
}

impl Api {
    pub(super) fn new(config: &CoinbaseConfig, patience: Patience) -> Result<Self, String> {
        let base = |url: &str, name: &str| {
            let trimmed = url.trim_end_matches('/').to_owned();
            let absolute = origin(&trimmed).is_some_and(|origin| origin.starts_with("http"));
            absolute.then_some(trimmed).ok_or_else(|| format!("`{name}` is no web address: {url}"))
        };
        Ok(Self {
            transport: Transport::new(patience)?,
            keys: Keys::new(&config.api_key_id, config.api_key_secret.reveal())?,
            platform: base(&config.api_url, "api_url")?,
            onramp: base(&config.onramp_url, "onramp_url")?,
        })
    }

    pub(super) async fn config(&self) -> Result<BuyConfig, RampError> {
        self.read(format!("{}/onramp/v1/buy/config", self.onramp)).await
    }

    pub(super) async fn options(&self, place: &Place) -> Result<BuyOptions, RampError> {
        // A place is letters and digits only.
        let part = place.subdivision.as_ref().map(|part| format!("&subdivision={part}")).unwrap_or_default();
        self.read(format!("{}/onramp/v1/buy/options?country={}{part}", self.onramp, place.country)).await
    }

    pub(super) async fn quote(&self, request: &QuoteRequest) -> Result<QuoteAnswer, RampError> {
        self.write(format!("{}/onramp/v1/buy/quote", self.onramp), request).await
    }

    pub(super) async fn session(&self, request: &SessionRequest) -> Result<SessionAnswer, RampError> {
        self.write(format!("{}/platform/v2/onramp/sessions", self.platform), request).await
    }

    /// The purchases under a name of ours, newest first; none where Coinbase knows nothing of it.
    pub(super) async fn transactions(&self, reference: &str) -> Result<Transactions, RampError> {
        let url = format!("{}/onramp/v1/buy/user/{reference}/transactions?pageSize={PAGE}", self.onramp);
        let answer = self.transport.ask(&self.signed(Call::get(url.clone()), "GET", &url)?).await?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(Transactions { transactions: Vec::new() });
        }
        good(&answer)
    }

    async fn read<T: DeserializeOwned>(&self, url: String) -> Result<T, RampError> {
        let call = self.signed(Call::get(url.clone()), "GET", &url)?.up_to(LIST_LIMIT);
        good(&self.transport.ask(&call).await?)
    }

    /// Neither a quote nor a session does any harm the second time.
    async fn write<T: DeserializeOwned>(&self, url: String, body: &impl Serialize) -> Result<T, RampError> {
        let call = self.signed(Call::post(url.clone(), body)?, "POST", &url)?.repeatable();
        good(&self.transport.ask(&call).await?)
    }

    fn signed(&self, call: Call, method: &str, url: &str) -> Result<Call, RampError> {
        let nowhere = || RampError::Unavailable("its address has no host".to_owned());
        let begins = origin(url).ok_or_else(nowhere)?;
        let host = begins.split_once("://").map(|(_, host)| host).ok_or_else(nowhere)?;
        let path = url.get(begins.len()..).and_then(|rest| rest.split('?').next()).unwrap_or("/");
        let token = self.keys.token(method, host, path, Timestamp::now().as_second());
        let token = token.map_err(RampError::Unavailable)?;
        call.secret_header("authorization", &SecretText::new(format!("Bearer {token}")))
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

/// What a good answer says; anything else says whose fault it is.
pub(super) fn good<T: DeserializeOwned>(answer: &Answer) -> Result<T, RampError> {
    if answer.status.is_success() {
        return answer.json();
    }
    if matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        let words = format!("it answers {}: check the API key and what it may do", answer.status);
        return Err(RampError::Unavailable(words));
    }
    let refusal: Refusal = answer.json()?;
    let words = refusal.message.or(refusal.error_type).unwrap_or_else(|| answer.status.to_string());
    Err(RampRefusal::Other(format!("it says no: {}", short(&words))).into())
}
