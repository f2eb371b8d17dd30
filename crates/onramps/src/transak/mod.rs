//! Transak, over its public API as documented in November 2026. See `fixtures/README.md` for the sources, and what is not yet
//! verified with an account.

mod config;
pub(crate) mod jwt;
mod mapping;
#[cfg(test)]
mod tests;
mod tokens;
mod transport;
mod wire;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::TokenId;
use causeway_domain::fiat::{FiatAsk, FiatOrder, QuoteFirmness, WantedAmount};
use causeway_domain::ports::{
    FiatStore, OnRamp, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport,
    RampSession, WebhookError,
};
use jiff::{SignedDuration, Timestamp};

use crate::attempts::most_advanced;
use crate::offering_cache::{Offering, OfferingCache};
use crate::transport::{RetryPolicy, check_checkout_url, sanitize};
use transport::TransakApi;
use wire::{EventJson, SessionRequest, WebhookJson, WidgetParams};

pub use config::{TransakConfig, TransakEnvironment};

/// Maximum difference between a webhook's time and ours.
const TOLERANCE_SECONDS: u64 = 300;

/// Transak as a provider.
pub struct Transak {
    api: TransakApi,
    offering_cache: OfferingCache,
    origins: Vec<String>,
}

impl Transak {
    /// Sends no request yet: `refresh` does.
    pub fn new(config: TransakConfig, retry_policy: RetryPolicy) -> Result<Self, String> {
        let origins = vec![config.widget()];
        let base_profile = RampProfile {
            id: "transak".to_owned(),
            name: "Transak".to_owned(),
            logo_url: None,
            chains: Vec::new(),
            currencies: Vec::new(),
            methods: Vec::new(),
            countries: Vec::new(),
            limits: Vec::new(),
            firmness: QuoteFirmness::Estimate,
            webhooks: true,
            polling: true,
            origins: origins.clone(),
            permissions: ["camera", "microphone", "payment"].map(str::to_owned).to_vec(),
            session_for: Some(SignedDuration::from_mins(5)),
        };
        Ok(Self {
            api: TransakApi::new(config, retry_policy)?,
            offering_cache: OfferingCache::new(base_profile),
            origins,
        })
    }

    /// Shares the access token with the other replicas: a new token invalidates the previous one.
    #[must_use]
    pub fn with_shared_tokens(mut self, tokens: Arc<dyn FiatStore>) -> Self {
        self.api.set_shared_tokens(tokens);
        self
    }

    /// Accepts webhooks that are signed with this key, as if it were a fetched token.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn with_webhook_key(self, key: &str) -> Self {
        self.api.add_webhook_key(key);
        self
    }

    async fn offering(&self) -> Result<Arc<Offering>, RampError> {
        match self.offering_cache.offering() {
            Some(offering) => Ok(offering),
            None => self.refresh_offering().await,
        }
    }

    async fn refresh_offering(&self) -> Result<Arc<Offering>, RampError> {
        let (coins, fiats, countries) =
            tokio::try_join!(self.api.coins(), self.api.fiats(), self.api.countries())?;
        Ok(self.offering_cache.store(mapping::offering(coins, fiats, countries)?))
    }
}

#[async_trait]
impl OnRamp for Transak {
    fn profile(&self) -> Arc<RampProfile> {
        self.offering_cache.profile()
    }

    fn sells(&self, asset: &TokenId) -> bool {
        self.offering_cache.sells(asset)
    }

    async fn refresh(&self) -> Result<(), RampError> {
        self.refresh_offering().await?;
        // Webhooks are verified with the token.
        self.api.sync_token().await
    }

    async fn quote(&self, ask: &RampAsk) -> Result<RampOffer, RampError> {
        let offering = self.offering().await?;
        let (asset, payment_option) = offering.find(ask, &self.offering_cache.profile())?;
        let amount = match ask.amount {
            WantedAmount::Pay(amount) if amount.currency != ask.currency => {
                return Err(RampRefusal::Currency(amount.currency).into());
            }
            WantedAmount::Pay(amount) => ("fiatAmount", amount.to_string()),
            WantedAmount::Receive(amount) => ("cryptoAmount", amount.to_decimal(ask.asset.decimals)),
        };
        let mut params = vec![
            ("fiatCurrency", ask.currency.code()),
            ("cryptoCurrency", asset.code.as_str()),
            ("isBuyOrSell", "BUY"),
            ("network", asset.network.as_str()),
            ("paymentMethod", payment_option.code.as_str()),
            (amount.0, amount.1.as_str()),
        ];
        params.extend(country(ask.country.as_deref()).map(|code| ("quoteCountryCode", code)));
        match self.api.quote(&params).await? {
            Ok(quote) => mapping::offer(&quote, ask, asset, payment_option, Timestamp::now()),
            Err(message) => Err(RampRefusal::Other(message).into()),
        }
    }

    async fn checkout(&self, order: &FiatOrder, ask: Option<&FiatAsk>) -> Result<RampSession, RampError> {
        let offering = self.offering().await?;
        let asset = offering.asset(&order.sold)?;
        let config = self.api.config();
        let method = ask.and_then(|ask| ask.method.as_deref());
        let payment_option =
            method.map(|method| offering.payment_option(order.pays.currency, Some(method))).transpose()?;
        let request = SessionRequest {
            widget_params: WidgetParams {
                api_key: &config.api_key,
                referrer_domain: &config.referrer_domain,
                products_availed: "BUY",
                partner_order_id: order.id.to_string(),
                fiat_currency: order.pays.currency.to_string(),
                fiat_amount: order.pays.to_string(),
                crypto_currency_code: &asset.code,
                network: &asset.network,
                wallet_address: order.deliver_to().to_string(),
                disable_wallet_address_form: true,
                hide_menu: true,
                payment_method: payment_option.map(|payment_option| payment_option.code.as_str()),
                country_code: country(ask.and_then(|ask| ask.country.as_deref())),
            },
        };
        let session = self.api.session(&request).await?;
        Ok(RampSession { url: check_checkout_url(&session.widget_url, &self.origins)?, provider_order: None })
    }

    async fn look_up(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        let order_id = order.id.to_string();
        let orders = self.api.orders(&order_id, order.created_at).await?;
        if orders.iter().any(|order| order.partner_order_id.as_deref() != Some(order_id.as_str())) {
            return Err(RampError::Nonsense("it reports an order that is not ours".to_owned()));
        }
        let offering = self.offering_cache.offering();
        let attempts = orders
            .iter()
            .map(|order_json| mapping::attempt(order_json, order, offering.as_deref()))
            .collect();
        most_advanced(attempts, order)
    }

    fn read_webhook(
        &self,
        _header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
        now: Timestamp,
    ) -> Result<RampNotice, WebhookError> {
        let keys = self.api.webhook_keys();
        if keys.is_empty() {
            return Err(WebhookError::NotConfigured);
        }
        let invalid = |error: serde_json::Error| WebhookError::Nonsense(error.to_string());
        let webhook: WebhookJson = serde_json::from_slice(body).map_err(|_| WebhookError::Signature)?;
        let claims = jwt::verify(&webhook.data, &keys)?;
        let event: EventJson = serde_json::from_slice(&claims).map_err(invalid)?;
        if event.iat.is_some_and(|signed| signed.abs_diff(now.as_second()) > TOLERANCE_SECONDS) {
            return Err(WebhookError::Stale);
        }
        let order_json = &event.webhook_data;
        let order = order_json.partner_order_id.as_deref().and_then(|id| id.parse().ok());
        let order = order.ok_or_else(|| WebhookError::Nonsense("it names no known order id".to_owned()))?;
        let report = mapping::report(order_json, self.offering_cache.offering().as_deref())
            .map_err(|error| WebhookError::Nonsense(error.to_string()))?;
        let at =
            [&order_json.updated_at, &event.created_at, &order_json.created_at].into_iter().flatten().next();
        let event_key =
            [event.event_id.as_str(), &order_json.id, &order_json.status, at.map_or("", String::as_str)]
                .join(":");
        Ok(RampNotice { event: sanitize(&event_key), order, report })
    }
}

impl fmt::Debug for Transak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transak")
    }
}

/// Transak knows countries only, not subdivisions.
fn country(place: Option<&str>) -> Option<&str> {
    place.map(|place| place.split_once('-').map_or(place, |(country, _)| country))
}
