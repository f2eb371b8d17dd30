//! MoonPay, over its public API as documented in November 2026. See `fixtures/README.md` for the sources, and what is not yet
//! verified with an account.

mod config;
mod mapping;
pub(crate) mod sign;
#[cfg(test)]
mod tests;
mod transport;
mod wire;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::TokenId;
use causeway_domain::fiat::{FiatAsk, FiatOrder, QuoteFirmness, WantedAmount};
use causeway_domain::ports::{
    OnRamp, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport, RampSession,
    WebhookError,
};
use jiff::Timestamp;

use crate::attempts::most_advanced;
use crate::offering_cache::{Offering, OfferingCache, in_range};
use crate::signature::{Secret, verify};
use crate::transport::{RetryPolicy, sanitize};
use transport::MoonPayApi;
use wire::EventJson;

pub use config::MoonPayConfig;

/// The header that carries a webhook's signature.
pub(crate) const SIGNATURE_HEADER: &str = "moonpay-signature-v2";

/// MoonPay as a provider.
pub struct MoonPay {
    api: MoonPayApi,
    offering_cache: OfferingCache,
    webhook: Option<Secret>,
    widget: String,
}

impl MoonPay {
    /// Sends no request yet: `refresh` does.
    pub fn new(config: MoonPayConfig, retry_policy: RetryPolicy) -> Result<Self, String> {
        let widget = config.widget();
        let webhook = config.webhook_key.as_ref().filter(|key| !key.is_empty());
        let webhook = webhook.map(|key| Secret::new(key.reveal().as_bytes().to_vec()));
        let base_profile = RampProfile {
            id: "moonpay".to_owned(),
            name: "MoonPay".to_owned(),
            logo_url: None,
            chains: Vec::new(),
            currencies: Vec::new(),
            methods: Vec::new(),
            countries: Vec::new(),
            limits: Vec::new(),
            firmness: QuoteFirmness::Estimate,
            webhooks: webhook.is_some(),
            polling: true,
            origins: vec![widget.clone()],
            permissions: ["camera", "microphone", "payment"].map(str::to_owned).to_vec(),
            session_for: None,
        };
        Ok(Self {
            api: MoonPayApi::new(config, retry_policy)?,
            offering_cache: OfferingCache::new(base_profile),
            webhook,
            widget,
        })
    }

    async fn offering(&self) -> Result<Arc<Offering>, RampError> {
        match self.offering_cache.offering() {
            Some(offering) => Ok(offering),
            None => self.refresh_offering().await,
        }
    }

    async fn refresh_offering(&self) -> Result<Arc<Offering>, RampError> {
        let (currencies, countries) = tokio::try_join!(self.api.currencies(), self.api.countries())?;
        let offering = mapping::offering(currencies, &countries, self.api.config().is_sandbox())?;
        Ok(self.offering_cache.store(offering))
    }
}

#[async_trait]
impl OnRamp for MoonPay {
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
        let (asset, payment_option) = offering.find(ask, &self.offering_cache.profile())?;
        let amount = match ask.amount {
            WantedAmount::Pay(amount) if amount.currency != ask.currency => {
                return Err(RampRefusal::Currency(amount.currency).into());
            }
            WantedAmount::Pay(amount) => ("baseCurrencyAmount", amount.to_string()),
            WantedAmount::Receive(amount) => ("quoteCurrencyAmount", amount.to_decimal(ask.asset.decimals)),
        };
        let currency = ask.currency.code().to_ascii_lowercase();
        let common = [
            ("baseCurrencyCode", currency.as_str()),
            ("paymentMethod", payment_option.code.as_str()),
            ("areFeesIncluded", "true"),
        ];
        let priced = [common.as_slice(), &[(amount.0, amount.1.as_str())]].concat();
        let (limits, quote) =
            tokio::try_join!(self.api.limits(&asset.code, &common), self.api.quote(&asset.code, &priced))?;
        let limits = match limits {
            Ok(limits) => mapping::limits(&limits, ask.currency)?,
            Err(_) => payment_option.limits,
        };
        if let WantedAmount::Pay(amount) = ask.amount {
            in_range(amount, limits)?;
        }
        match quote {
            Ok(quote) => mapping::offer(&quote, ask, asset, payment_option, limits, Timestamp::now()),
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
        let currency = order.pays.currency.code().to_ascii_lowercase();
        let [amount, wallet, name] =
            [order.pays.to_string(), order.deliver_to().to_string(), order.id.to_string()];
        let mut params = vec![
            ("apiKey", config.publishable_key.as_str()),
            ("currencyCode", asset.code.as_str()),
            ("walletAddress", wallet.as_str()),
            ("baseCurrencyCode", currency.as_str()),
            ("baseCurrencyAmount", amount.as_str()),
            ("lockAmount", "true"),
            ("externalTransactionId", name.as_str()),
        ];
        params.extend(payment_option.map(|payment_option| ("paymentMethod", payment_option.code.as_str())));
        let query = sign::signed_query(&params, &config.secret_key);
        let query = query.ok_or_else(|| RampError::Unavailable("its secret key is missing".to_owned()))?;
        Ok(RampSession { url: format!("{}/?{query}", self.widget), provider_order: None })
    }

    async fn look_up(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        let name = order.id.to_string();
        let transactions = self.api.transactions(&name).await?;
        if transactions
            .iter()
            .any(|transaction| transaction.external_transaction_id.as_deref() != Some(name.as_str()))
        {
            return Err(RampError::Nonsense("it reports an order that is not ours".to_owned()));
        }
        let offering = self.offering_cache.offering();
        let attempts = transactions
            .iter()
            .map(|transaction| mapping::attempt(transaction, order, offering.as_deref()))
            .collect();
        most_advanced(attempts, order)
    }

    fn read_webhook(
        &self,
        header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
        now: Timestamp,
    ) -> Result<RampNotice, WebhookError> {
        verify(self.webhook.as_ref(), header(SIGNATURE_HEADER).as_deref(), body, now.as_second())?;
        let event: EventJson =
            serde_json::from_slice(body).map_err(|error| WebhookError::Nonsense(error.to_string()))?;
        let transaction = &event.data;
        let order = transaction.external_transaction_id.as_deref().and_then(|id| id.parse().ok());
        let order = order.ok_or_else(|| WebhookError::Nonsense("it names no known order id".to_owned()))?;
        let report = mapping::report(transaction, self.offering_cache.offering().as_deref())
            .map_err(|error| WebhookError::Nonsense(error.to_string()))?;
        let at = transaction.updated_at.as_deref().unwrap_or_default();
        let name = [event.kind.as_str(), &transaction.id, &transaction.status, at].join(":");
        Ok(RampNotice { event: sanitize(&name), order, report })
    }
}

impl fmt::Debug for MoonPay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MoonPay")
    }
}
