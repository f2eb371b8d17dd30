//! Transak, by its public interface as documented in November 2026. See `fixtures/README.md` for what was read, and what nobody has
//! seen with an account yet.

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
    OnRamp, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport, RampSession,
    RampTokens, WebhookError,
};
use jiff::{SignedDuration, Timestamp};

use crate::attempts::furthest;
use crate::lists::{Lists, Offering};
use crate::transport::{Patience, own_page, short};
use transport::TransakApi;
use wire::{EventJson, HookJson, SessionRequest, WidgetParams};

pub use config::{TransakConfig, TransakWorld};

/// A webhook is believed for so many seconds either way.
const WINDOW: u64 = 300;

/// Transak as a provider.
pub struct Transak {
    api: TransakApi,
    lists: Lists,
    origins: Vec<String>,
}

impl Transak {
    /// Asks nobody yet: `refresh` does.
    pub fn new(config: TransakConfig, patience: Patience) -> Result<Self, String> {
        let origins = vec![config.widget()];
        let plain = RampProfile {
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
        Ok(Self { api: TransakApi::new(config, patience)?, lists: Lists::new(plain), origins })
    }

    /// The same, which shares its access token with the other replicas: with Transak a new one ends the one before.
    #[must_use]
    pub fn sharing(mut self, tokens: Arc<dyn RampTokens>) -> Self {
        self.api.share(tokens);
        self
    }

    async fn offering(&self) -> Result<Arc<Offering>, RampError> {
        match self.lists.offering() {
            Some(offering) => Ok(offering),
            None => self.read_lists().await,
        }
    }

    async fn read_lists(&self) -> Result<Arc<Offering>, RampError> {
        let (coins, fiats, countries) =
            tokio::try_join!(self.api.coins(), self.api.fiats(), self.api.countries())?;
        Ok(self.lists.keep(mapping::offering(coins, fiats, countries)?))
    }
}

#[async_trait]
impl OnRamp for Transak {
    fn profile(&self) -> Arc<RampProfile> {
        self.lists.profile()
    }

    fn sells(&self, asset: &TokenId) -> bool {
        self.lists.sells(asset)
    }

    async fn refresh(&self) -> Result<(), RampError> {
        self.read_lists().await?;
        // Without a token no webhook could be read.
        self.api.renew().await
    }

    async fn quote(&self, ask: &RampAsk) -> Result<RampOffer, RampError> {
        let offering = self.offering().await?;
        let (asset, way) = offering.find(ask, &self.lists.profile())?;
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
            ("paymentMethod", way.code.as_str()),
            (amount.0, amount.1.as_str()),
        ];
        params.extend(country(ask.country.as_deref()).map(|code| ("quoteCountryCode", code)));
        match self.api.quote(&params).await? {
            Ok(quote) => mapping::offer(&quote, ask, asset, way, Timestamp::now()),
            Err(words) => Err(RampRefusal::Other(words).into()),
        }
    }

    async fn checkout(&self, order: &FiatOrder, ask: Option<&FiatAsk>) -> Result<RampSession, RampError> {
        let offering = self.offering().await?;
        let asset = offering.asset(&order.sold)?;
        let config = self.api.config();
        let method = ask.and_then(|ask| ask.method.as_deref());
        let way = method.map(|method| offering.way(order.pays.currency, Some(method))).transpose()?;
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
                payment_method: way.map(|way| way.code.as_str()),
                country_code: country(ask.and_then(|ask| ask.country.as_deref())),
            },
        };
        let session = self.api.session(&request).await?;
        Ok(RampSession { url: own_page(&session.widget_url, &self.origins)?, provider_order: None })
    }

    async fn look_up(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        let name = order.id.to_string();
        let orders = self.api.orders(&name, order.created_at).await?;
        if orders.iter().any(|order| order.partner_order_id.as_deref() != Some(name.as_str())) {
            return Err(RampError::Nonsense("it tells of an order that is not ours".to_owned()));
        }
        let offering = self.lists.offering();
        let told = orders.iter().map(|told| mapping::attempt(told, order, offering.as_deref())).collect();
        furthest(told, order)
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
        let nonsense = |error: serde_json::Error| WebhookError::Nonsense(error.to_string());
        let hook: HookJson = serde_json::from_slice(body).map_err(|_| WebhookError::Signature)?;
        let claims = jwt::open(&hook.data, &keys)?;
        let event: EventJson = serde_json::from_slice(&claims).map_err(nonsense)?;
        if event.iat.is_some_and(|signed| signed.abs_diff(now.as_second()) > WINDOW) {
            return Err(WebhookError::Stale);
        }
        let told = &event.webhook_data;
        let order = told.partner_order_id.as_deref().and_then(|id| id.parse().ok());
        let order = order.ok_or_else(|| WebhookError::Nonsense("it names no order of ours".to_owned()))?;
        let report = mapping::report(told, self.lists.offering().as_deref())
            .map_err(|error| WebhookError::Nonsense(error.to_string()))?;
        let at = [&told.updated_at, &event.created_at, &told.created_at].into_iter().flatten().next();
        let name = [event.event_id.as_str(), &told.id, &told.status, at.map_or("", String::as_str)].join(":");
        Ok(RampNotice { event: short(&name), order, report })
    }
}

impl fmt::Debug for Transak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transak")
    }
}

/// Transak knows countries only.
fn country(place: Option<&str>) -> Option<&str> {
    place.map(|place| place.split_once('-').map_or(place, |(country, _)| country))
}
