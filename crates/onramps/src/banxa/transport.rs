use std::collections::HashSet;
use std::fmt;

use causeway_domain::ports::{RampError, RampRefusal};
use reqwest::StatusCode;
use serde::de::DeserializeOwned;

use super::config::BanxaConfig;
use super::wire::{
    BuyRequest, Country, CreatedOrder, Crypto, ErrorBody, Fiat, ListedOrder, Orders, Quote, Wrapped,
};
use crate::secret::SecretText;
use crate::transport::{ApiRequest, ApiResponse, RetryPolicy, Transport, origin, sanitize};

/// The lists are long.
const MAX_LIST_BYTES: usize = 4 * 1024 * 1024;

/// Page size and maximum pages of an order list.
const PAGE_SIZE: &str = "100";
const MAX_PAGES: usize = 20;

/// Banxa's error code for a coin that is not sold at the payer's place.
const RESTRICTED_CODE: &str = "5034";

/// Banxa's API for one partner.
pub(super) struct Api {
    transport: Transport,
    base: String,
    key: SecretText,
}

impl Api {
    pub(super) fn new(config: &BanxaConfig, retry_policy: RetryPolicy) -> Result<Self, String> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if config.partner.is_empty() || !config.partner.bytes().all(is_plain) {
            return Err("`partner` is the name given by Banxa: letters, digits, - and _".to_owned());
        }
        if config.api_key.is_empty() {
            return Err("`api_key` is empty: copy it from Banxa's partner dashboard".to_owned());
        }
        let api = config.api();
        if !origin(&api).is_some_and(|origin| origin.starts_with("http")) {
            return Err(format!("`api_url` is not a URL: {api}"));
        }
        let base = format!("{api}/{}/v2", config.partner);
        Ok(Self { transport: Transport::new(retry_policy)?, base, key: config.api_key.clone() })
    }

    pub(super) async fn countries(&self) -> Result<Vec<Country>, RampError> {
        self.get("countries").await
    }

    pub(super) async fn fiats(&self) -> Result<Vec<Fiat>, RampError> {
        self.get("fiats/buy").await
    }

    pub(super) async fn crypto(&self) -> Result<Vec<Crypto>, RampError> {
        self.get("crypto/buy").await
    }

    /// A quote; the response is one quote or a list with one.
    pub(super) async fn quote(&self, query: &[(&str, String)]) -> Result<Quote, RampError> {
        let request =
            self.with_api_key(ApiRequest::get(format!("{}/quotes/buy?{}", self.base, encoded(query))))?;
        let response = self.transport.send(&request).await?;
        let listed: Result<Vec<Quote>, _> = parse_response(&response);
        match listed {
            Ok(quotes) => {
                let none = || RampError::Nonsense("it returned no quote".to_owned());
                quotes.into_iter().next().ok_or_else(none)
            }
            Err(RampError::Nonsense(_)) => parse_response(&response),
            Err(error) => Err(error),
        }
    }

    /// Creates an order; not retried, since each request creates another.
    pub(super) async fn buy(&self, request: &BuyRequest) -> Result<CreatedOrder, RampError> {
        let request = self.with_api_key(ApiRequest::post(format!("{}/buy", self.base), request)?)?;
        parse_response(&self.transport.send(&request).await?)
    }

    /// The orders of a customer between two dates, and whether these are all of them. Banxa chooses the page size, so the
    /// next page starts after all orders read so far.
    pub(super) async fn orders(
        &self,
        customer: &str,
        start: &str,
        end: &str,
    ) -> Result<(Vec<ListedOrder>, bool), RampError> {
        let (mut all, mut seen): (Vec<ListedOrder>, HashSet<String>) = Default::default();
        for _ in 0..MAX_PAGES {
            let (before, skip) = (all.len(), all.len().to_string());
            let query = [
                ("start", start),
                ("end", end),
                ("externalCustomerId", customer),
                ("limit", PAGE_SIZE),
                ("skip", skip.as_str()),
            ];
            let query = query.map(|(name, value)| (name, value.to_owned()));
            let request =
                self.with_api_key(ApiRequest::get(format!("{}/orders?{}", self.base, encoded(&query))))?;
            let Orders { orders, total } =
                parse_response(&self.transport.send(&request.max_bytes(MAX_LIST_BYTES)).await?)?;
            all.extend(orders.into_iter().filter(|order| seen.insert(order.id.clone())));
            let total = total.and_then(|total| usize::try_from(total.raw_exact(0).ok()?.get()).ok());
            // A page without new orders is the last one, whatever `total` says.
            if all.len() == before || total.is_some_and(|total| all.len() >= total) {
                return Ok((all, true));
            }
        }
        Ok((all, false))
    }

    /// One order by Banxa's id.
    pub(super) async fn order(&self, id: &str) -> Result<Option<ListedOrder>, RampError> {
        if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Ok(None);
        }
        let request = self.with_api_key(ApiRequest::get(format!("{}/orders/{id}", self.base)))?;
        let response = self.transport.send(&request).await?;
        if response.status == StatusCode::NOT_FOUND { Ok(None) } else { parse_response(&response).map(Some) }
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, RampError> {
        let request =
            self.with_api_key(ApiRequest::get(format!("{}/{path}", self.base)))?.max_bytes(MAX_LIST_BYTES);
        parse_response(&self.transport.send(&request).await?)
    }

    fn with_api_key(&self, request: ApiRequest) -> Result<ApiRequest, RampError> {
        request.secret_header("x-api-key", &self.key)
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("base", &self.base).finish_non_exhaustive()
    }
}

fn encoded(query: &[(&str, String)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish()
}

/// Parses a successful response; other statuses become errors.
pub(super) fn parse_response<T: DeserializeOwned>(response: &ApiResponse) -> Result<T, RampError> {
    if response.status.is_success() {
        let inside = serde_json::from_slice::<Wrapped>(&response.body).ok();
        let text = inside.as_ref().map_or(response.body.as_slice(), |wrapped| wrapped.data.get().as_bytes());
        return serde_json::from_slice(text).map_err(|error| RampError::Nonsense(error.to_string()));
    }
    if matches!(response.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        let message = format!("it returned {}: check `partner`, `api_key` and `world`", response.status);
        return Err(RampError::Unavailable(message));
    }
    let ErrorBody { code, message, errors } = response.json()?;
    let reasons = errors.unwrap_or_default();
    let code = code.or(reasons.code).map(|code| code.to_string()).unwrap_or_default();
    if code == RESTRICTED_CODE {
        return Err(RampRefusal::Country.into());
    }
    let message = message.or(reasons.title).unwrap_or_else(|| format!("{} {code}", response.status));
    Err(RampRefusal::Other(format!("it refused: {}", sanitize(&message))).into())
}
