//! Banxa's hosted checkout: prices by coin, chain and payment method; each checkout is a Banxa order, found by our order id.

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
use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::fiat::{FiatAsk, FiatOrder, QuoteFirmness, WantedAmount};
use causeway_domain::ports::{
    OnRamp, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport, RampSession,
    WebhookError,
};
use causeway_domain::{Address, Token, TokenId};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use parking_lot::RwLock;

pub use config::{BanxaConfig, BanxaEnvironment};
use offering::{UnavailableIn, is_unavailable, offering};
use transport::Api;
use wire::{BuyRequest, Webhook};

use crate::attempts::{is_paying, most_advanced};
use crate::offering_cache::{Offering, OfferingCache, in_range};
use crate::transport::{RetryPolicy, check_checkout_url};

/// An unopened checkout expires after a minute.
const SESSION_VALIDITY: SignedDuration = SignedDuration::from_secs(50);

/// Margin of date ranges: Banxa's day may start at another hour.
const DATE_MARGIN: SignedDuration = SignedDuration::from_hours(24);

/// Banxa as an on-ramp.
pub struct Banxa {
    api: Api,
    tokens: HashMap<TokenId, Token>,
    /// The key that webhooks name, and the secret that signs them.
    webhook: Option<(String, Vec<u8>)>,
    webhook_path: String,
    redirect_url: String,
    offering_cache: OfferingCache,
    unavailable_in: RwLock<Arc<UnavailableIn>>,
}

impl Banxa {
    /// `assets` are the tokens of the catalog that may be sold. An invalid configuration is rejected with a
    /// reason.
    pub fn new(config: BanxaConfig, assets: Vec<Token>, retry_policy: RetryPolicy) -> Result<Self, String> {
        let api = Api::new(&config, retry_policy)?;
        if config.redirect_url.is_empty() {
            return Err("`redirect_url` is empty: Banxa redirects payers there at the end".to_owned());
        }
        let offering_cache = OfferingCache::new(profile(config.origins()));
        let key = config.webhook_key.as_ref().unwrap_or(&config.api_key).reveal().to_owned();
        Ok(Self {
            api,
            tokens: assets.into_iter().map(|token| (token.id, token)).collect(),
            webhook: config.webhook_secret.map(|secret| (key, secret.reveal().as_bytes().to_vec())),
            webhook_path: config.webhook_path,
            redirect_url: config.redirect_url,
            offering_cache,
            unavailable_in: RwLock::default(),
        })
    }

    /// The cached offering, read if there is none yet.
    async fn offering(&self) -> Result<Arc<Offering>, RampError> {
        match self.offering_cache.offering() {
            Some(offering) => Ok(offering),
            None => self.refresh_offering().await,
        }
    }

    async fn refresh_offering(&self) -> Result<Arc<Offering>, RampError> {
        let (coins, fiats) = (self.api.crypto().await?, self.api.fiats().await?);
        let countries = self.api.countries().await?;
        let (offering, unavailable_in) = offering(coins, fiats, &countries, &self.tokens)?;
        *self.unavailable_in.write() = Arc::new(unavailable_in);
        Ok(self.offering_cache.store(offering))
    }

    fn is_unavailable(&self, asset: &TokenId, place: &str) -> bool {
        let unavailable_in = Arc::clone(&self.unavailable_in.read());
        unavailable_in.get(asset).is_some_and(|places| is_unavailable(places, place))
    }

    /// Every Banxa order of our order.
    async fn attempts(&self, order: &FiatOrder) -> Result<Vec<Result<RampReport, RampError>>, RampError> {
        let customer = mapping::customer(order.author);
        let day = |time: Timestamp| time.to_zoned(TimeZone::UTC).date().to_string();
        let start = order.created_at.checked_sub(DATE_MARGIN).unwrap_or(order.created_at);
        let now = Timestamp::now();
        let end = now.checked_add(DATE_MARGIN).unwrap_or(now);
        let (mut listed_orders, is_all) = self.api.orders(&customer, &day(start), &day(end)).await?;
        if listed_orders
            .iter()
            .any(|listed| listed.external_customer_id.as_ref().is_some_and(|named| *named != customer))
        {
            return Err(RampError::Nonsense("it reports orders of another customer".to_owned()));
        }
        listed_orders.retain(|listed| listed.external_id.as_deref() == Some(order.id.as_str()));
        if listed_orders.is_empty()
            && let Some(id) = &order.provider_order
        {
            listed_orders.extend(self.api.order(id).await?);
            if listed_orders.iter().any(|listed| listed.external_id.as_deref() != Some(order.id.as_str())) {
                return Err(RampError::Nonsense("it reports another order".to_owned()));
            }
        }
        // Anybody can order in the name of a wallet, so an order among very many is not one that Banxa does not know.
        if listed_orders.is_empty() && !is_all {
            return Err(RampError::Unavailable("it lists more orders of the payer than are read".to_owned()));
        }
        let offering = self.offering_cache.offering();
        let report = |listed| mapping::from_listed_order(listed, order, offering.as_deref());
        Ok(listed_orders.iter().map(report).collect())
    }
}

#[async_trait]
impl OnRamp for Banxa {
    fn profile(&self) -> Arc<RampProfile> {
        self.offering_cache.profile()
    }

    fn sells(&self, asset: &TokenId) -> bool {
        self.offering_cache.sells(asset)
    }

    async fn refresh(&self) -> Result<(), RampError> {
        self.refresh_offering().await.map(drop)
    }

    async fn quote(&self, ask: &RampAsk) -> Result<RampOffer, RampError> {
        let offering = self.offering().await?;
        let (asset, payment_option) = offering.find(ask, &self.profile())?;
        if ask.country.as_deref().is_some_and(|place| self.is_unavailable(&ask.asset.id, place)) {
            return Err(RampRefusal::Country.into());
        }
        let amount = match ask.amount {
            WantedAmount::Pay(pays) if pays.currency != ask.currency => {
                return Err(RampRefusal::Currency(pays.currency).into());
            }
            WantedAmount::Pay(pays) => ("fiatAmount", pays.to_string()),
            WantedAmount::Receive(wanted) => {
                ("cryptoAmount", mapping::format_crypto_amount(wanted, ask.asset.decimals))
            }
        };
        let query = [
            ("fiat", ask.currency.to_string()),
            ("crypto", asset.code.clone()),
            ("blockchain", asset.network.clone()),
            ("paymentMethodId", payment_option.code.clone()),
            amount,
        ];
        let offer = mapping::offer(&self.api.quote(&query).await?, ask, asset, payment_option)?;
        // The payment for an exact amount is known only now.
        in_range(offer.pays, payment_option.limits)?;
        Ok(offer)
    }

    async fn checkout(&self, order: &FiatOrder, ask: Option<&FiatAsk>) -> Result<RampSession, RampError> {
        // Each checkout is its own Banxa order: a new one while a payment is in progress could be paid twice.
        if !order.widget_url.is_empty() && is_paying(self.attempts(order).await?)? {
            return Err(RampRefusal::Other("a payment is already in progress".to_owned()).into());
        }
        let offering = self.offering().await?;
        let asset = offering.asset(&order.sold)?;
        let payment_option =
            offering.payment_option(order.pays.currency, ask.and_then(|ask| ask.method.as_deref()))?;
        let request = BuyRequest {
            crypto: asset.code.clone(),
            blockchain: asset.network.clone(),
            fiat: order.pays.currency.to_string(),
            fiat_amount: order.pays.to_string(),
            wallet_address: order.deliver_to().to_string(),
            redirect_url: self.redirect_url.clone(),
            external_customer_id: mapping::customer(order.author),
            external_order_id: order.id.to_string(),
            payment_method_id: Some(payment_option.code.clone()),
        };
        let created = self.api.buy(&request).await?;
        let family = order.sold.chain().family();
        let wallet = |text: &String| {
            Address::parse_any_case(family, text).is_ok_and(|parsed| parsed == order.deliver_to())
        };
        let matches_order =
            mapping::same_payment(created.fiat.as_deref(), created.fiat_amount.as_ref(), order.pays)
                && created.wallet_address.as_ref().is_none_or(wallet)
                && created.external_order_id.as_deref().is_none_or(|id| id == order.id.as_str());
        if !matches_order {
            return Err(RampError::Nonsense("its checkout is for another order".to_owned()));
        }
        let url = check_checkout_url(&created.checkout_url, &self.profile().origins)?;
        // Banxa's id changes with every checkout; ours finds all of them.
        Ok(RampSession { url, provider_order: None })
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
        let keys = self.webhook.as_ref().map(|(key, secret)| (key.as_str(), secret.as_slice()));
        let authorization = header("authorization");
        signature::verify(keys, authorization.as_deref(), &self.webhook_path, body, now.as_millisecond())?;
        let webhook: Webhook =
            serde_json::from_slice(body).map_err(|error| WebhookError::Nonsense(error.to_string()))?;
        let order = webhook.external_id.as_deref().unwrap_or_default().parse();
        let order = order.map_err(|_| WebhookError::Nonsense("it names no known order id".to_owned()))?;
        let offering = self.offering_cache.offering();
        let report = mapping::from_webhook(&webhook, offering.as_deref()).map_err(WebhookError::Nonsense)?;
        Ok(RampNotice { event: mapping::event(&webhook, body), order, report })
    }
}

impl fmt::Debug for Banxa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Banxa").field("api", &self.api).finish_non_exhaustive()
    }
}

/// The static part of the profile.
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
        session_for: Some(SESSION_VALIDITY),
    }
}
