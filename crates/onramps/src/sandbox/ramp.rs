use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::fiat::{
    FiatAmount, FiatAsk, FiatCurrency, FiatOrder, PaymentMethod, QuoteFirmness, RampFee, RampFeeKind,
    WantedAmount,
};
use causeway_domain::ports::{
    OnRamp, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport, RampSession,
    RampState, WebhookError,
};
use causeway_domain::{Address, TokenId};
use jiff::Timestamp;
use reqwest::{Client, Method, StatusCode, header};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::notify::SIGNATURE_HEADER;
use super::plan::{SandboxPlan, currencies};
use super::provider::SandboxSettings;
use super::secrets::Secrets;
use super::wire::{
    EventJson, OpenedAnswer, PurchaseJson, PurchaseRequest, QuoteAnswer, QuoteRequest, RefusalJson,
};
use crate::http;
use crate::signature::{Secret, verify};

/// The service's adapter of a sandbox provider.
pub struct SandboxRamp {
    profile: Arc<RampProfile>,
    methods: Vec<PaymentMethod>,
    assets: Vec<TokenId>,
    /// Base URL of the provider's API.
    base: String,
    api_key: String,
    webhook: Option<Secret>,
    client: Client,
}

impl SandboxRamp {
    pub(super) fn new(
        plan: SandboxPlan,
        settings: &SandboxSettings,
        secrets: Secrets,
        client: Client,
    ) -> Self {
        let assets: Vec<TokenId> = settings.assets.iter().map(|token| token.id).collect();
        let mut chains: Vec<_> = assets.iter().map(TokenId::chain).collect();
        chains.sort_unstable();
        chains.dedup();
        let methods = vec![plan.method()];
        let profile = RampProfile {
            id: plan.id().to_owned(),
            name: plan.name().to_owned(),
            logo_url: Some(format!("{}/assets/{}.svg", settings.origin, plan.id())),
            chains,
            currencies: currencies(),
            methods: methods.clone(),
            countries: Vec::new(),
            limits: currencies().into_iter().map(|currency| plan.limits(currency)).collect(),
            firmness: QuoteFirmness::Firm,
            webhooks: true,
            polling: true,
            origins: vec![settings.origin.clone()],
            permissions: plan.permissions(),
            session_for: None,
        };
        let base = format!("{}/{}/api", settings.origin, plan.id());
        let Secrets { api_key, webhook } = secrets;
        Self { profile: Arc::new(profile), methods, assets, base, api_key, webhook: Some(webhook), client }
    }

    /// Without a webhook secret, so that all webhooks are rejected.
    #[must_use]
    pub fn without_webhook_secret(self) -> Self {
        Self { webhook: None, ..self }
    }

    /// Sends a request to the provider; `None` on 404.
    async fn ask<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&(impl Serialize + Sync)>,
        currency: FiatCurrency,
    ) -> Result<Option<T>, RampError> {
        let unavailable = |error: reqwest::Error| RampError::Unavailable(error.without_url().to_string());
        let invalid = |error: serde_json::Error| RampError::Nonsense(error.to_string());
        let mut request = self.client.request(method, format!("{}/{path}", self.base));
        request = request.header(header::AUTHORIZATION, format!("Bearer {}", self.api_key));
        if let Some(body) = body {
            let body = serde_json::to_vec(body).map_err(invalid)?;
            request = request.header(header::CONTENT_TYPE, "application/json").body(body);
        }
        let response = request.send().await.map_err(unavailable)?;
        let status = response.status();
        let bytes = http::body(response).await.map_err(RampError::Unavailable)?;
        if status.is_success() {
            return serde_json::from_slice(&bytes).map(Some).map_err(invalid);
        }
        if status.is_server_error() {
            return Err(RampError::Unavailable(format!("it returned {status}")));
        }
        let refusal: RefusalJson = serde_json::from_slice(&bytes).map_err(invalid)?;
        if status == StatusCode::NOT_FOUND { Ok(None) } else { Err(refused(refusal, currency)) }
    }
}

#[async_trait]
impl OnRamp for SandboxRamp {
    fn profile(&self) -> Arc<RampProfile> {
        Arc::clone(&self.profile)
    }

    fn sells(&self, asset: &TokenId) -> bool {
        self.assets.contains(asset)
    }

    async fn quote(&self, ask: &RampAsk) -> Result<RampOffer, RampError> {
        let (pay, receive) = match ask.amount {
            WantedAmount::Pay(amount) if amount.currency != ask.currency => {
                return Err(RampRefusal::Currency(amount.currency).into());
            }
            WantedAmount::Pay(amount) => (Some(amount.to_string()), None),
            WantedAmount::Receive(amount) => (None, Some(amount.to_string())),
        };
        let request = QuoteRequest {
            currency: ask.currency.to_string(),
            pay,
            receive,
            asset: ask.asset.id.to_string(),
            method: ask.method.clone(),
        };
        let answer: Option<QuoteAnswer> =
            self.ask(Method::POST, "quotes", Some(&request), ask.currency).await?;
        let answer = answer.ok_or_else(|| RampError::Nonsense("the endpoint does not exist".to_owned()))?;
        offer(&answer, ask, &self.methods)
    }

    async fn checkout(&self, order: &FiatOrder, _ask: Option<&FiatAsk>) -> Result<RampSession, RampError> {
        let request = PurchaseRequest {
            order: order.id.to_string(),
            currency: order.pays.currency.to_string(),
            pays: order.pays.to_string(),
            asset: order.sold.to_string(),
            amount: order.sold_amount.to_string(),
            wallet: order.deliver_to().to_string(),
            pay_by: order.pay_by.as_millisecond(),
        };
        let answer: Option<OpenedAnswer> =
            self.ask(Method::POST, "purchases", Some(&request), order.pays.currency).await?;
        let OpenedAnswer { session, url } =
            answer.ok_or_else(|| RampError::Nonsense("the endpoint does not exist".to_owned()))?;
        // A page at another origin would be framed and trusted as the provider's.
        let is_own_origin = self.profile.origins.iter().any(|origin| url.starts_with(&format!("{origin}/")));
        if !is_own_origin {
            return Err(RampError::Nonsense("its checkout is at another origin".to_owned()));
        }
        Ok(RampSession { url, provider_order: Some(session) })
    }

    async fn look_up(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        let path = format!("purchases/{}", order.id);
        let known: Option<PurchaseJson> =
            self.ask(Method::GET, &path, None::<&()>, order.pays.currency).await?;
        known.map(|known| report(known).map_err(RampError::Nonsense)).transpose()
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
        let order = event
            .data
            .order
            .parse()
            .map_err(|_| WebhookError::Nonsense("its order is not an id".to_owned()))?;
        Ok(RampNotice { event: event.id, order, report: report(event.data).map_err(WebhookError::Nonsense)? })
    }
}

/// The report in the body of a webhook whose signature is right.
#[cfg(any(test, fuzzing))]
pub(crate) fn read_event(body: &[u8]) -> Option<RampReport> {
    let event: EventJson = serde_json::from_slice(body).ok()?;
    report(event.data).ok()
}

impl fmt::Debug for SandboxRamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SandboxRamp({})", self.profile.id)
    }
}

fn refused(refusal: RefusalJson, currency: FiatCurrency) -> RampError {
    let amount = |text: &Option<String>| FiatAmount::parse(currency, text.as_deref()?).ok();
    let refusal = match refusal.code.as_str() {
        "asset" => RampRefusal::Asset,
        "currency" => RampRefusal::Currency(currency),
        "range" => match (amount(&refusal.least), amount(&refusal.most)) {
            (Some(least), Some(most)) => RampRefusal::Range { least, most },
            _ => return RampError::Nonsense("a range without limits".to_owned()),
        },
        "method" => RampRefusal::Method,
        _ => RampRefusal::Other(refusal.message),
    };
    RampError::Refused(refusal)
}

fn offer(answer: &QuoteAnswer, ask: &RampAsk, methods: &[PaymentMethod]) -> Result<RampOffer, RampError> {
    let invalid = |message: &str| RampError::Nonsense(message.to_owned());
    let amount = |text: &str| {
        FiatAmount::parse(ask.currency, text).map_err(|error| RampError::Nonsense(error.to_string()))
    };
    // Zero fees are skipped: the domain's amounts are positive.
    let nonzero =
        answer.fees.iter().filter(|fee| fee.amount.bytes().any(|byte| (b'1'..=b'9').contains(&byte)));
    let fees = nonzero.map(|fee| {
        let kind = RampFeeKind::parse(&fee.kind).ok_or_else(|| invalid("unknown fee kind"))?;
        Ok(RampFee { kind, amount: amount(&fee.amount)? })
    });
    let pays = amount(&answer.pays)?;
    let delivers = answer.delivers.parse().map_err(|_| invalid("its delivered amount is invalid"))?;
    let matches_ask = match ask.amount {
        WantedAmount::Pay(asked) => asked == pays,
        WantedAmount::Receive(asked) => asked == delivers,
    };
    if !matches_ask || answer.currency != ask.currency.code() {
        return Err(invalid("the quote does not match the ask"));
    }
    Ok(RampOffer {
        pays,
        fees: fees.collect::<Result<_, RampError>>()?,
        delivers,
        methods: methods.to_vec(),
        limits: Some((amount(&answer.least)?, amount(&answer.most)?)),
        expires_at: Timestamp::from_millisecond(answer.expires_at)
            .map_err(|_| invalid("its offer has no valid expiry"))?,
    })
}

fn report(known: PurchaseJson) -> Result<RampReport, String> {
    let state = match known.state.as_str() {
        "awaiting_payment" => RampState::Waiting,
        "challenge" | "payment_pending" => RampState::Started,
        "paid" | "delivering" => RampState::Paid,
        "completed" => RampState::Delivered,
        "failed" => RampState::Failed,
        "canceled" => RampState::Canceled,
        "expired" => RampState::Expired,
        other => RampState::Unknown(other.chars().take(64).collect()),
    };
    let currency: FiatCurrency = known.currency.parse().map_err(|_| "its currency is unknown".to_owned())?;
    let paid = FiatAmount::parse(currency, &known.pays).map_err(|error| error.to_string())?;
    let asset: TokenId = known.asset.parse().map_err(|_| "its asset is not a token".to_owned())?;
    let amount = known.amount.parse().map_err(|_| "its amount is invalid".to_owned())?;
    let wallet = Address::parse(asset.chain().family(), &known.wallet).map_err(|error| error.to_string())?;
    Ok(RampReport {
        state,
        provider_order: Some(known.session),
        paid: Some(paid),
        asset: Some(asset),
        amount: Some(amount),
        wallet: Some(wallet),
        payouts: known.payouts,
        reason: known.reason.map(|reason| (reason.code, reason.message)),
        // An order has one session, so a failed one cannot be retried.
        may_retry: false,
    })
}
