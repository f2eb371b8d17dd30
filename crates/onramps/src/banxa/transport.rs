use std::collections::HashSet;
use std::fmt;

use causeway_domain::ports::{RampError, RampRefusal};
use reqwest::StatusCode;
use serde::de::DeserializeOwned;

use super::config::BanxaConfig;
use super::wire::{Bought, BuyRequest, Country, Crypto, Fiat, Listed, Orders, Quote, Refusal, Wrapped};
use crate::secret::SecretText;
use crate::transport::{Answer, Call, Patience, Transport, origin, short};

/// The lists of everything that is sold are long.
const LIST_LIMIT: usize = 4 * 1024 * 1024;

/// How many orders are asked for at once, and how many times at most.
const PAGE: &str = "100";
const PAGES: usize = 20;

/// The code by which Banxa says that it does not sell a coin where the payer is.
const RESTRICTED: &str = "5034";

/// Banxa's interface for one partner.
pub(super) struct Api {
    transport: Transport,
    base: String,
    key: SecretText,
}

impl Api {
    pub(super) fn new(config: &BanxaConfig, patience: Patience) -> Result<Self, String> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if config.partner.is_empty() || !config.partner.bytes().all(plain) {
            return Err("`partner` is the name that Banxa gave you: letters, digits, - and _".to_owned());
        }
        if config.api_key.is_empty() {
            return Err("`api_key` is empty: copy it from Banxa's partner dashboard".to_owned());
        }
        let api = config.api();
        if !origin(&api).is_some_and(|origin| origin.starts_with("http")) {
            return Err(format!("`api_url` is no web address: {api}"));
        }
        let base = format!("{api}/{}/v2", config.partner);
        Ok(Self { transport: Transport::new(patience)?, base, key: config.api_key.clone() })
    }

    pub(super) async fn countries(&self) -> Result<Vec<Country>, RampError> {
        self.read("countries").await
    }

    pub(super) async fn fiats(&self) -> Result<Vec<Fiat>, RampError> {
        self.read("fiats/buy").await
    }

    pub(super) async fn crypto(&self) -> Result<Vec<Crypto>, RampError> {
        self.read("crypto/buy").await
    }

    /// One price, or a list with one price.
    pub(super) async fn quote(&self, query: &[(&str, String)]) -> Result<Quote, RampError> {
        let call = self.keyed(Call::get(format!("{}/quotes/buy?{}", self.base, encoded(query))))?;
        let answer = self.transport.ask(&call).await?;
        let listed: Result<Vec<Quote>, _> = good(&answer);
        match listed {
            Ok(quotes) => {
                let none = || RampError::Nonsense("it answers with no price".to_owned());
                quotes.into_iter().next().ok_or_else(none)
            }
            Err(RampError::Nonsense(_)) => good(&answer),
            Err(error) => Err(error),
        }
    }

    /// Makes an order; sent once, since each one is another.
    pub(super) async fn buy(&self, request: &BuyRequest) -> Result<Bought, RampError> {
        let call = self.keyed(Call::post(format!("{}/buy", self.base), request)?)?;
        good(&self.transport.ask(&call).await?)
    }

    /// The orders of a customer between two days, page by page. How many it puts on a page is its own matter, so the next one begins
    /// behind all that came.
    pub(super) async fn orders(
        &self,
        customer: &str,
        start: &str,
        end: &str,
    ) -> Result<Vec<Listed>, RampError> {
        let (mut all, mut known): (Vec<Listed>, HashSet<String>) = Default::default();
        for _ in 0..PAGES {
            let (before, skip) = (all.len(), all.len().to_string());
            let query = [
                ("start", start),
                ("end", end),
                ("externalCustomerId", customer),
                ("limit", PAGE),
                ("skip", skip.as_str()),
            ];
            let query = query.map(|(name, value)| (name, value.to_owned()));
            let call = self.keyed(Call::get(format!("{}/orders?{}", self.base, encoded(&query))))?;
            let Orders { orders, total } = good(&self.transport.ask(&call.up_to(LIST_LIMIT)).await?)?;
            all.extend(orders.into_iter().filter(|order| known.insert(order.id.clone())));
            let total = total.and_then(|total| usize::try_from(total.raw_exact(0).ok()?.get()).ok());
            // A page of nothing new is the last, whatever it says of how many there are.
            if all.len() == before || total.is_some_and(|total| all.len() >= total) {
                break;
            }
        }
        Ok(all)
    }

    /// One order by Banxa's own name for it.
    pub(super) async fn order(&self, id: &str) -> Result<Option<Listed>, RampError> {
        if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Ok(None);
        }
        let call = self.keyed(Call::get(format!("{}/orders/{id}", self.base)))?;
        let answer = self.transport.ask(&call).await?;
        if answer.status == StatusCode::NOT_FOUND { Ok(None) } else { good(&answer).map(Some) }
    }

    async fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, RampError> {
        let call = self.keyed(Call::get(format!("{}/{path}", self.base)))?.up_to(LIST_LIMIT);
        good(&self.transport.ask(&call).await?)
    }

    fn keyed(&self, call: Call) -> Result<Call, RampError> {
        call.secret_header("x-api-key", &self.key)
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

/// What a good answer says; anything else says whose fault it is.
pub(super) fn good<T: DeserializeOwned>(answer: &Answer) -> Result<T, RampError> {
    if answer.status.is_success() {
        let inside = serde_json::from_slice::<Wrapped>(&answer.body).ok();
        let text = inside.as_ref().map_or(answer.body.as_slice(), |wrapped| wrapped.data.get().as_bytes());
        return serde_json::from_slice(text).map_err(|error| RampError::Nonsense(error.to_string()));
    }
    if matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        let words = format!("it answers {}: check `partner`, `api_key` and `world`", answer.status);
        return Err(RampError::Unavailable(words));
    }
    let Refusal { code, message, errors } = answer.json()?;
    let reasons = errors.unwrap_or_default();
    let code = code.or(reasons.code).map(|code| code.to_string()).unwrap_or_default();
    if code == RESTRICTED {
        return Err(RampRefusal::Country.into());
    }
    let words = message.or(reasons.title).unwrap_or_else(|| format!("{} {code}", answer.status));
    Err(RampRefusal::Other(format!("it says no: {}", short(&words))).into())
}
