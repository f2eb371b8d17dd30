//! Coinbase Onramp: prices by place and payment method, a checkout on `pay.coinbase.com`, purchases by our order id.

mod config;
#[cfg(test)]
mod fixture;
mod jwt;
mod mapping;
mod options;
mod profile;
mod quote;
#[cfg(test)]
mod tests;
mod transport;
pub(crate) mod webhook;
mod wire;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use causeway_domain::fiat::{FiatAsk, FiatOrder};
use causeway_domain::ports::{
    OnRamp, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport, RampSession,
    WebhookError,
};
use causeway_domain::{Token, TokenId};
use jiff::Timestamp;
use parking_lot::RwLock;

pub use config::CoinbaseConfig;
use options::{Options, Place, session_method};
use profile::{empty_profile, profile};
use transport::Api;
use wire::{SessionRequest, TransactionJson};

use crate::attempts::{is_paying, most_advanced};
use crate::transport::{RetryPolicy, check_checkout_url};

/// Prefix of our order id in sandbox purchases.
const SANDBOX_PREFIX: &str = "sandbox-";

/// How long the options of a place are fresh, and how long they are used when no newer ones are available.
const FRESH_FOR: Duration = Duration::from_hours(1);
const MAX_AGE: Duration = Duration::from_hours(24);

/// Maximum number of cached places, so that invented ones do not fill the memory.
const MAX_CACHED_PLACES: usize = 512;

/// Coinbase's profile and the options of each place.
struct OptionsCache {
    profile: Arc<RampProfile>,
    places: HashMap<Place, (Instant, Arc<Options>)>,
}

/// Coinbase as an on-ramp.
pub struct Coinbase {
    api: Api,
    assets: HashMap<TokenId, Token>,
    webhook_secret: Option<Vec<u8>>,
    sandbox: bool,
    /// Never empty.
    places: Vec<Place>,
    redirect_url: Option<String>,
    origins: Vec<String>,
    cache: RwLock<OptionsCache>,
}

impl Coinbase {
    /// `assets` are the tokens of the catalog that may be sold. An invalid configuration is rejected with a
    /// reason.
    pub fn new(
        config: CoinbaseConfig,
        assets: Vec<Token>,
        retry_policy: RetryPolicy,
    ) -> Result<Self, String> {
        let api = Api::new(&config, retry_policy)?;
        let wrong = |text: &String| {
            format!("`{text}` is not a place: use a country, DE, or a state of the US, US-CA")
        };
        let places = config.places.iter().map(|text| {
            let place = Place::parse(text).ok_or_else(|| wrong(text))?;
            place.check().map_err(|error| format!("{text}: {error}"))
        });
        let places: Vec<_> = places.collect::<Result<_, String>>()?;
        if places.is_empty() {
            return Err("`places` is empty: name at least one, for instance DE or US-CA".to_owned());
        }
        let origins = vec![config.checkout_origin.trim_end_matches('/').to_owned()];
        let profile = Arc::new(empty_profile(&origins, &assets));
        Ok(Self {
            api,
            assets: assets.into_iter().map(|token| (token.id, token)).collect(),
            webhook_secret: config.webhook_secret.map(|secret| secret.reveal().as_bytes().to_vec()),
            sandbox: config.sandbox,
            places,
            redirect_url: config.redirect_url,
            origins,
            cache: RwLock::new(OptionsCache { profile, places: HashMap::new() }),
        })
    }

    /// The options of a place, from the cache while they are fresh.
    async fn options(&self, place: &Place) -> Result<Arc<Options>, RampError> {
        let cached = self.cache.read().places.get(place).cloned();
        let fresh = cached.clone().filter(|(since, _)| since.elapsed() < FRESH_FOR);
        if let Some((_, options)) = fresh {
            return Ok(options);
        }
        match self.fetch_options(place).await {
            Ok(options) => Ok(options),
            Err(error) => {
                cached.filter(|(since, _)| since.elapsed() < MAX_AGE).map(|(_, old)| old).ok_or(error)
            }
        }
    }

    async fn fetch_options(&self, place: &Place) -> Result<Arc<Options>, RampError> {
        let options = Arc::new(Options::read(self.api.options(place).await?, &self.assets)?);
        let mut cache = self.cache.write();
        cache.places.retain(|_, (since, _)| since.elapsed() < MAX_AGE);
        if cache.places.len() < MAX_CACHED_PLACES || cache.places.contains_key(place) {
            cache.places.insert(place.clone(), (Instant::now(), Arc::clone(&options)));
        }
        Ok(options)
    }

    /// The place of an ask; the first configured place by default.
    fn place(&self, country: Option<&str>) -> Result<Place, RampError> {
        let Some(text) = country else {
            return self.places.first().cloned().ok_or(RampRefusal::Country.into());
        };
        if !self.profile().serves(text) {
            return Err(RampRefusal::Country.into());
        }
        Ok(Place::parse(text).ok_or(RampRefusal::Country)?.check()?)
    }

    /// The order's reference at Coinbase.
    fn reference(&self, order: &FiatOrder) -> String {
        format!("{}{}", if self.sandbox { SANDBOX_PREFIX } else { "" }, order.id)
    }

    /// Every purchase of the order.
    async fn attempts(&self, order: &FiatOrder) -> Result<Vec<Result<RampReport, RampError>>, RampError> {
        let reference = self.reference(order);
        let transactions = self.api.transactions(&reference).await?;
        let mut purchases = transactions.transactions.iter();
        if purchases.any(|transaction| transaction.partner_user_ref.as_ref() != Some(&reference)) {
            return Err(RampError::Nonsense("it reports a purchase of another order".to_owned()));
        }
        let now = Timestamp::now();
        let report = |transaction| {
            let report = mapping::report(transaction, &self.assets, now).map_err(RampError::Nonsense)?;
            mapping::check_belongs_to(&report, order).map(|()| report)
        };
        Ok(transactions.transactions.iter().map(report).collect())
    }
}

#[async_trait]
impl OnRamp for Coinbase {
    fn profile(&self) -> Arc<RampProfile> {
        Arc::clone(&self.cache.read().profile)
    }

    fn sells(&self, asset: &TokenId) -> bool {
        let cache = self.cache.read();
        let sold = cache.places.values().any(|(_, options)| options.sold.contains_key(asset));
        sold || cache.places.is_empty() && self.assets.contains_key(asset)
    }

    async fn refresh(&self) -> Result<(), RampError> {
        let countries = options::places(&self.api.config().await?);
        let mut lists = Vec::new();
        for place in &self.places {
            lists.push(self.fetch_options(place).await?);
        }
        let mut cache = self.cache.write();
        cache.profile = Arc::new(profile(&self.origins, countries, &lists));
        Ok(())
    }

    async fn quote(&self, ask: &RampAsk) -> Result<RampOffer, RampError> {
        self.offer(ask).await
    }

    async fn checkout(&self, order: &FiatOrder, ask: Option<&FiatAsk>) -> Result<RampSession, RampError> {
        // A new checkout while a payment is in progress could be paid twice.
        if !order.widget_url.is_empty() && is_paying(self.attempts(order).await?)? {
            return Err(RampRefusal::Other("a payment is already in progress".to_owned()).into());
        }
        let country = ask.and_then(|ask| ask.country.as_deref());
        let place = self.place(country)?;
        let options = self.options(&place).await?;
        let sold = options.sold.get(&order.sold).ok_or(RampRefusal::Asset)?;
        let method = ask.and_then(|ask| ask.method.as_deref());
        let payment_options = options.payment_options(order.pays.currency).unwrap_or_default();
        let payment_option = quote::payment_option(payment_options, method, order.pays)
            .and_then(|payment_option| session_method(&payment_option.id));
        let has_country = country.is_some();
        let request = SessionRequest {
            purchase_currency: sold.symbol.clone(),
            destination_network: sold.network.clone(),
            destination_address: order.deliver_to().to_string(),
            payment_amount: order.pays.to_string(),
            payment_currency: order.pays.currency.to_string(),
            partner_user_ref: self.reference(order),
            payment_method: payment_option.filter(|_| has_country).map(str::to_owned),
            country: has_country.then(|| place.country.clone()),
            subdivision: place.subdivision.clone().filter(|_| has_country),
            redirect_url: self.redirect_url.clone(),
        };
        let answer = self.api.session(&request).await?;
        if let Some(quote) = &answer.quote {
            let pays = quote.payment_total.near_fiat(order.pays.currency)?;
            if quote.payment_currency != order.pays.currency.code() || pays != order.pays {
                return Err(RampError::Nonsense("its checkout is for another payment".to_owned()));
            }
            if quote.purchase_amount.is_negative() || quote.purchase_amount.is_zero() {
                return Err(RampError::Nonsense("its checkout delivers nothing".to_owned()));
            }
        }
        Ok(RampSession {
            url: check_checkout_url(&answer.session.onramp_url, &self.origins)?,
            provider_order: None,
        })
    }

    async fn look_up(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        most_advanced(self.attempts(order).await?, order)
    }

    fn read_webhook(
        &self,
        header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
        now: Timestamp,
    ) -> Result<RampNotice, WebhookError> {
        webhook::verify(self.webhook_secret.as_deref(), header, body, now.as_second())?;
        let transaction: TransactionJson =
            serde_json::from_slice(body).map_err(|error| WebhookError::Nonsense(error.to_string()))?;
        if !transaction.event_type.as_deref().is_some_and(|kind| kind.starts_with("onramp.transaction.")) {
            return Err(WebhookError::Nonsense("it is not a purchase event".to_owned()));
        }
        let named = transaction.partner_user_ref.as_deref().unwrap_or_default();
        let named = if self.sandbox { named.strip_prefix(SANDBOX_PREFIX).unwrap_or_default() } else { named };
        let order =
            named.parse().map_err(|_| WebhookError::Nonsense("it names no known order id".to_owned()))?;
        let report = mapping::report(&transaction, &self.assets, now).map_err(WebhookError::Nonsense)?;
        Ok(RampNotice { event: mapping::event(&transaction, body), order, report })
    }
}

impl fmt::Debug for Coinbase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coinbase").field("api", &self.api).finish_non_exhaustive()
    }
}
