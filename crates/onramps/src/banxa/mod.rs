//! Banxa's hosted checkout: prices by coin, chain and way of paying, an order with a page of its own, orders by a name of ours.

mod config;
#[cfg(test)]
pub(crate) mod fixture;
mod mapping;
mod offering;
pub(crate) mod signature;
#[cfg(test)]
mod tests;
mod transport;
mod wire;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use causeway_domain::fiat::{FiatAsk, FiatOrder, QuoteFirmness, WantedAmount};
use causeway_domain::ports::{
    OnRamp, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport, RampSession,
    RampState, WebhookError,
};
use causeway_domain::{Address, Token, TokenId};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

pub use config::{BanxaConfig, BanxaWorld};
use offering::{Closed, is_closed, offering};
use transport::Api;
use wire::{BuyRequest, Webhook};

use crate::lists::{Lists, Offering, in_range};
use crate::transport::{Patience, own_page};

/// A checkout that nobody has opened is over after a minute.
const SESSION: SignedDuration = SignedDuration::from_secs(50);

/// A day, by which the order's days are widened: Banxa's may begin at another hour.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Banxa as an on-ramp.
pub struct Banxa {
    api: Api,
    tokens: HashMap<TokenId, Token>,
    /// The key that webhooks name, and the secret that signs them.
    webhook: Option<(String, Vec<u8>)>,
    webhook_path: String,
    redirect_url: String,
    lists: Lists,
    closed: RwLock<Arc<Closed>>,
}

impl Banxa {
    /// `assets` are the tokens that may be sold at all, as the catalog knows them. What is wrong with the configuration is told in
    /// words.
    pub fn new(config: BanxaConfig, assets: Vec<Token>, patience: Patience) -> Result<Self, String> {
        let api = Api::new(&config, patience)?;
        if config.redirect_url.is_empty() {
            return Err("`redirect_url` is empty: Banxa sends payers there when they are done".to_owned());
        }
        let lists = Lists::new(profile(config.origins()));
        let key = config.webhook_key.as_ref().unwrap_or(&config.api_key).reveal().to_owned();
        Ok(Self {
            api,
            tokens: assets.into_iter().map(|token| (token.id, token)).collect(),
            webhook: config.webhook_secret.map(|secret| (key, secret.reveal().as_bytes().to_vec())),
            webhook_path: config.webhook_path,
            redirect_url: config.redirect_url,
            lists,
            closed: RwLock::default(),
        })
    }

    /// What it offers, asked for when nobody has yet.
    async fn offering(&self) -> Result<Arc<Offering>, RampError> {
        match self.lists.offering() {
            Some(offering) => Ok(offering),
            None => self.hear().await,
        }
    }

    async fn hear(&self) -> Result<Arc<Offering>, RampError> {
        let (coins, fiats) = (self.api.crypto().await?, self.api.fiats().await?);
        let countries = self.api.countries().await?;
        let (offering, closed) = offering(coins, fiats, &countries, &self.tokens)?;
        *self.closed.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(closed);
        Ok(self.lists.keep(offering))
    }

    fn is_closed(&self, asset: &TokenId, place: &str) -> bool {
        let closed = Arc::clone(&self.closed.read().unwrap_or_else(PoisonError::into_inner));
        closed.get(asset).is_some_and(|places| is_closed(places, place))
    }

    /// The order under this name that has come furthest.
    async fn find(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        let customer = mapping::customer(order.author);
        let day = |time: Timestamp| time.to_zoned(TimeZone::UTC).date().to_string();
        let start = order.created_at.checked_sub(DAY).unwrap_or(order.created_at);
        let now = Timestamp::now();
        let end = now.checked_add(DAY).unwrap_or(now);
        let mut told = self.api.orders(&customer, &day(start), &day(end)).await?;
        if told.iter().any(|told| told.external_customer_id.as_ref().is_some_and(|named| *named != customer))
        {
            return Err(RampError::Nonsense("it tells of somebody else's orders".to_owned()));
        }
        told.retain(|told| told.external_id.as_deref() == Some(order.id.as_str()));
        if told.is_empty()
            && let Some(id) = &order.provider_order
        {
            told.extend(self.api.order(id).await?);
            if told.iter().any(|told| told.external_id.as_deref() != Some(order.id.as_str())) {
                return Err(RampError::Nonsense("it tells of somebody else's order".to_owned()));
            }
        }
        let offering = self.lists.offering();
        let mut best: Option<RampReport> = None;
        for told in &told {
            let report = mapping::listed(told, order, offering.as_deref())?;
            let further = |best: &RampReport| mapping::rank(&report.state) > mapping::rank(&best.state);
            if best.as_ref().is_none_or(further) {
                best = Some(report);
            }
        }
        Ok(best)
    }
}

#[async_trait]
impl OnRamp for Banxa {
    fn profile(&self) -> Arc<RampProfile> {
        self.lists.profile()
    }

    fn sells(&self, asset: &TokenId) -> bool {
        self.lists.sells(asset)
    }

    async fn refresh(&self) -> Result<(), RampError> {
        self.hear().await.map(drop)
    }

    async fn quote(&self, ask: &RampAsk) -> Result<RampOffer, RampError> {
        let offering = self.offering().await?;
        let (asset, way) = offering.find(ask, &self.profile())?;
        if ask.country.as_deref().is_some_and(|place| self.is_closed(&ask.asset.id, place)) {
            return Err(RampRefusal::Country.into());
        }
        let amount = match ask.amount {
            WantedAmount::Pay(pays) if pays.currency != ask.currency => {
                return Err(RampRefusal::Currency(pays.currency).into());
            }
            WantedAmount::Pay(pays) => ("fiatAmount", pays.to_string()),
            WantedAmount::Receive(wanted) => {
                ("cryptoAmount", mapping::asked_crypto(wanted, ask.asset.decimals))
            }
        };
        let query = [
            ("fiat", ask.currency.to_string()),
            ("crypto", asset.code.clone()),
            ("blockchain", asset.network.clone()),
            ("paymentMethodId", way.code.clone()),
            amount,
        ];
        let offer = mapping::offer(&self.api.quote(&query).await?, ask, asset, way)?;
        // What an exact amount costs is known only now.
        in_range(offer.pays, way.limits)?;
        Ok(offer)
    }

    async fn checkout(&self, order: &FiatOrder, ask: Option<&FiatAsk>) -> Result<RampSession, RampError> {
        // Each checkout is an order of its own with Banxa: who opens another while one is being paid would pay twice.
        if !order.widget_url.is_empty()
            && let Some(report) = self.find(order).await?
            && matches!(report.state, RampState::Started | RampState::Paid | RampState::Delivered)
        {
            return Err(RampRefusal::Other("it is being paid already".to_owned()).into());
        }
        let offering = self.offering().await?;
        let asset = offering.asset(&order.sold)?;
        let way = offering.way(order.pays.currency, ask.and_then(|ask| ask.method.as_deref()))?;
        let request = BuyRequest {
            crypto: asset.code.clone(),
            blockchain: asset.network.clone(),
            fiat: order.pays.currency.to_string(),
            fiat_amount: order.pays.to_string(),
            wallet_address: order.deliver_to().to_string(),
            redirect_url: self.redirect_url.clone(),
            external_customer_id: mapping::customer(order.author),
            external_order_id: order.id.to_string(),
            payment_method_id: Some(way.code.clone()),
        };
        let bought = self.api.buy(&request).await?;
        let family = order.sold.chain().family();
        let wallet =
            |text: &String| Address::parse(family, text).is_ok_and(|told| told == order.deliver_to());
        let ours = mapping::same_payment(bought.fiat.as_deref(), bought.fiat_amount.as_ref(), order.pays)
            && bought.wallet_address.as_ref().is_none_or(wallet)
            && bought.external_order_id.as_deref().is_none_or(|id| id == order.id.as_str());
        if !ours {
            return Err(RampError::Nonsense("its checkout is for another order".to_owned()));
        }
        let url = own_page(&bought.checkout_url, &self.profile().origins)?;
        // Its own name changes with every checkout; ours stays, and finds all of them.
        Ok(RampSession { url, provider_order: None })
    }

    async fn look_up(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        self.find(order).await
    }

    fn read_webhook(
        &self,
        header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
        now: Timestamp,
    ) -> Result<RampNotice, WebhookError> {
        let keys = self.webhook.as_ref().map(|(key, secret)| (key.as_str(), secret.as_slice()));
        let told = header("authorization");
        signature::verify(keys, told.as_deref(), &self.webhook_path, body, now.as_millisecond())?;
        let told: Webhook =
            serde_json::from_slice(body).map_err(|error| WebhookError::Nonsense(error.to_string()))?;
        let order = told.external_id.as_deref().unwrap_or_default().parse();
        let order = order.map_err(|_| WebhookError::Nonsense("it names no order of ours".to_owned()))?;
        let offering = self.lists.offering();
        let report = mapping::noticed(&told, offering.as_deref()).map_err(WebhookError::Nonsense)?;
        Ok(RampNotice { event: mapping::event(&told, body), order, report })
    }
}

impl fmt::Debug for Banxa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Banxa").field("api", &self.api).finish_non_exhaustive()
    }
}

/// What never changes.
fn profile(origins: Vec<String>) -> RampProfile {
    RampProfile {
        id: "banxa".to_owned(),
        name: "Banxa".to_owned(),
        logo_url: None,
        chains: Vec::new(),
        currencies: Vec::new(),
        methods: Vec::new(),
        countries: Vec::new(),
        limits: Vec::new(),
        firmness: QuoteFirmness::Estimate,
        webhooks: true,
        polling: true,
        origins,
        permissions: ["payment", "camera", "microphone"].map(str::to_owned).to_vec(),
        session_for: Some(SESSION),
    }
}
