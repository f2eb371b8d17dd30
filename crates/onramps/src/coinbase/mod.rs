//! Coinbase Onramp: prices by place and way of paying, a checkout on `pay.coinbase.com`, purchases by a name of ours.

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
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use causeway_domain::fiat::{FiatAsk, FiatOrder};
use causeway_domain::ports::{
    OnRamp, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport, RampSession,
    RampState, WebhookError,
};
use causeway_domain::{Token, TokenId};
use jiff::Timestamp;

pub use config::CoinbaseConfig;
use options::{Options, Place, session_method};
use profile::{blank, profile};
use transport::Api;
use wire::{SessionRequest, Told};

use crate::transport::{Patience, own_page};

/// What Coinbase calls a play purchase by.
const SANDBOX: &str = "sandbox-";

/// How long the lists of a place are believed, and how long they are used while no newer ones can be had.
const FRESH: Duration = Duration::from_hours(1);
const USABLE: Duration = Duration::from_hours(24);

/// At how many places lists are kept, so that made-up ones do not fill the memory.
const PLACES: usize = 512;

/// What Coinbase has told about itself.
struct Heard {
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
    heard: RwLock<Heard>,
}

impl Coinbase {
    /// `assets` are the tokens that may be sold at all, as the catalog knows them. What is wrong with the configuration is told in
    /// words.
    pub fn new(config: CoinbaseConfig, assets: Vec<Token>, patience: Patience) -> Result<Self, String> {
        let api = Api::new(&config, patience)?;
        let wrong =
            |text: &String| format!("`{text}` is no place: write a country, DE, or a state of the US, US-CA");
        let places = config.places.iter().map(|text| {
            let place = Place::parse(text).ok_or_else(|| wrong(text))?;
            place.check().map_err(|error| format!("{text}: {error}"))
        });
        let places: Vec<_> = places.collect::<Result<_, String>>()?;
        if places.is_empty() {
            return Err("`places` is empty: name one where payers are, for instance DE or US-CA".to_owned());
        }
        let origins = vec![config.checkout_origin.trim_end_matches('/').to_owned()];
        let profile = Arc::new(blank(&origins, &assets));
        Ok(Self {
            api,
            assets: assets.into_iter().map(|token| (token.id, token)).collect(),
            webhook_secret: config.webhook_secret.map(|secret| secret.reveal().as_bytes().to_vec()),
            sandbox: config.sandbox,
            places,
            redirect_url: config.redirect_url,
            origins,
            heard: RwLock::new(Heard { profile, places: HashMap::new() }),
        })
    }

    /// What can be bought in a place, as fresh as can be had.
    async fn options(&self, place: &Place) -> Result<Arc<Options>, RampError> {
        let kept = self.read(|heard| heard.places.get(place).cloned());
        let fresh = kept.clone().filter(|(since, _)| since.elapsed() < FRESH);
        if let Some((_, options)) = fresh {
            return Ok(options);
        }
        match self.ask_options(place).await {
            Ok(options) => Ok(options),
            Err(error) => kept.filter(|(since, _)| since.elapsed() < USABLE).map(|(_, old)| old).ok_or(error),
        }
    }

    async fn ask_options(&self, place: &Place) -> Result<Arc<Options>, RampError> {
        let options = Arc::new(Options::read(self.api.options(place).await?, &self.assets)?);
        let mut heard = self.heard.write().unwrap_or_else(PoisonError::into_inner);
        heard.places.retain(|_, (since, _)| since.elapsed() < USABLE);
        if heard.places.len() < PLACES || heard.places.contains_key(place) {
            heard.places.insert(place.clone(), (Instant::now(), Arc::clone(&options)));
        }
        Ok(options)
    }

    /// Where the payer of an ask is; the first of the configured places when nobody says.
    fn place(&self, country: Option<&str>) -> Result<Place, RampError> {
        let Some(text) = country else {
            return self.places.first().cloned().ok_or(RampRefusal::Country.into());
        };
        if !self.profile().serves(text) {
            return Err(RampRefusal::Country.into());
        }
        Ok(Place::parse(text).ok_or(RampRefusal::Country)?.check()?)
    }

    fn read<T>(&self, look: impl FnOnce(&Heard) -> T) -> T {
        look(&self.heard.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The order's name with Coinbase.
    fn reference(&self, order: &FiatOrder) -> String {
        format!("{}{}", if self.sandbox { SANDBOX } else { "" }, order.id)
    }

    /// The purchase under the order's name that has come furthest.
    async fn purchase(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        let reference = self.reference(order);
        let told = self.api.transactions(&reference).await?;
        let now = Timestamp::now();
        let mut best: Option<RampReport> = None;
        for transaction in &told.transactions {
            if transaction.partner_user_ref.as_ref() != Some(&reference) {
                return Err(RampError::Nonsense("it tells of somebody else's purchase".to_owned()));
            }
            let report = mapping::report(transaction, &self.assets, now).map_err(RampError::Nonsense)?;
            mapping::belongs(&report, order)?;
            let further = |best: &RampReport| mapping::rank(&report.state) > mapping::rank(&best.state);
            if best.as_ref().is_none_or(further) {
                best = Some(report);
            }
        }
        Ok(best)
    }
}

#[async_trait]
impl OnRamp for Coinbase {
    fn profile(&self) -> Arc<RampProfile> {
        self.read(|heard| Arc::clone(&heard.profile))
    }

    fn sells(&self, asset: &TokenId) -> bool {
        self.read(|heard| {
            let sold = heard.places.values().any(|(_, options)| options.sold.contains_key(asset));
            sold || heard.places.is_empty() && self.assets.contains_key(asset)
        })
    }

    async fn refresh(&self) -> Result<(), RampError> {
        let countries = options::places(&self.api.config().await?);
        let mut lists = Vec::new();
        for place in &self.places {
            lists.push(self.ask_options(place).await?);
        }
        let mut heard = self.heard.write().unwrap_or_else(PoisonError::into_inner);
        heard.profile = Arc::new(profile(&self.origins, countries, &lists));
        Ok(())
    }

    async fn quote(&self, ask: &RampAsk) -> Result<RampOffer, RampError> {
        self.offer(ask).await
    }

    async fn checkout(&self, order: &FiatOrder, ask: Option<&FiatAsk>) -> Result<RampSession, RampError> {
        // Who opens it anew while the first payment is under way would pay twice.
        if !order.widget_url.is_empty()
            && let Some(report) = self.purchase(order).await?
            && matches!(report.state, RampState::Started | RampState::Paid | RampState::Delivered)
        {
            return Err(RampRefusal::Other("it is being paid already".to_owned()).into());
        }
        let country = ask.and_then(|ask| ask.country.as_deref());
        let place = self.place(country)?;
        let options = self.options(&place).await?;
        let sold = options.sold.get(&order.sold).ok_or(RampRefusal::Asset)?;
        let method = ask.and_then(|ask| ask.method.as_deref());
        let ways = options.ways(order.pays.currency).unwrap_or_default();
        let way = quote::way(ways, method, order.pays).and_then(|way| session_method(&way.id));
        let told = country.is_some();
        let request = SessionRequest {
            purchase_currency: sold.symbol.clone(),
            destination_network: sold.network.clone(),
            destination_address: order.deliver_to().to_string(),
            payment_amount: order.pays.to_string(),
            payment_currency: order.pays.currency.to_string(),
            partner_user_ref: self.reference(order),
            payment_method: way.filter(|_| told).map(str::to_owned),
            country: told.then(|| place.country.clone()),
            subdivision: place.subdivision.clone().filter(|_| told),
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
        Ok(RampSession { url: own_page(&answer.session.onramp_url, &self.origins)?, provider_order: None })
    }

    async fn look_up(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        self.purchase(order).await
    }

    fn read_webhook(
        &self,
        header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
        now: Timestamp,
    ) -> Result<RampNotice, WebhookError> {
        webhook::verify(self.webhook_secret.as_deref(), header, body, now.as_second())?;
        let told: Told =
            serde_json::from_slice(body).map_err(|error| WebhookError::Nonsense(error.to_string()))?;
        if !told.event_type.as_deref().is_some_and(|kind| kind.starts_with("onramp.transaction.")) {
            return Err(WebhookError::Nonsense("it is not about a purchase".to_owned()));
        }
        let named = told.partner_user_ref.as_deref().unwrap_or_default();
        let named = if self.sandbox { named.strip_prefix(SANDBOX).unwrap_or_default() } else { named };
        let order =
            named.parse().map_err(|_| WebhookError::Nonsense("it names no order of ours".to_owned()))?;
        let report = mapping::report(&told, &self.assets, now).map_err(WebhookError::Nonsense)?;
        Ok(RampNotice { event: mapping::event(&told, body), order, report })
    }
}

impl fmt::Debug for Coinbase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coinbase").field("api", &self.api).finish_non_exhaustive()
    }
}
