use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use causeway_domain::RawAmount;
use causeway_domain::fiat::{FiatAmount, FiatCurrency, FiatOrder};
use causeway_domain::ports::{RampSession, RampState};
use jiff::Timestamp;
use parking_lot::Mutex;
use serde_json::{Value, json as object};

use super::price::{LISTED_TOKENS, ListedToken, Sale};
use super::purchase::Purchase;
use super::{
    RunningServer, StandInState, checkout_page, deliver_webhook, fake_tx_hash, json, listen, param, serve,
    with_fault_injection,
};
use crate::banxa::{BanxaConfig, signature};
use crate::conformance::{FaultInjection, SignedWebhook, StandIn};
use crate::secret::SecretText;

const PARTNER: &str = "acme";
const API_KEY: &str = "a stand-in's key";
const WEBHOOK_SECRET: &str = "a stand-in's secret";
/// Maximum page size.
const PAGE: usize = 25;
const WEBHOOK_PATH: &str = "/v1/fiat/webhook/banxa";

/// A stand-in for Banxa: API and checkout at one origin.
#[derive(Debug)]
pub struct BanxaStandIn {
    server: RunningServer,
    inner: Arc<Inner>,
}

/// An order with its customer.
#[derive(Clone, Debug)]
struct StoredOrder {
    id: String,
    customer: String,
    purchase: Purchase,
}

#[derive(Debug)]
struct Inner {
    origin: String,
    state: Arc<StandInState>,
    /// By Banxa's id: each checkout creates another order.
    orders: Mutex<HashMap<String, StoredOrder>>,
}

impl BanxaStandIn {
    /// Starts on that port, or any when it is 0.
    pub async fn start(port: u16) -> io::Result<Self> {
        let (listener, origin) = listen(port).await?;
        let state = StandInState::new().await?;
        let inner =
            Arc::new(Inner { origin: origin.clone(), state: Arc::clone(&state), orders: Mutex::default() });
        let api = Router::new()
            .route("/acme/v2/countries", get(countries))
            .route("/acme/v2/fiats/buy", get(fiats))
            .route("/acme/v2/crypto/buy", get(coins))
            .route("/acme/v2/quotes/buy", get(quote))
            .route("/acme/v2/buy", post(buy))
            .route("/acme/v2/orders", get(orders))
            .route("/acme/v2/orders/{id}", get(order))
            .layer(from_fn(authenticate))
            .with_state(Arc::clone(&inner));
        let pages = Router::new()
            .route("/order/{id}", get(page))
            .route("/standin/walk", post(set_status))
            .with_state(Arc::clone(&inner));
        let server = serve(listener, origin, with_fault_injection(api, &state).merge(pages));
        Ok(Self { server, inner })
    }

    /// The configuration for this stand-in.
    pub fn config(&self) -> BanxaConfig {
        let origin = self.server.origin.clone();
        BanxaConfig {
            webhook_secret: Some(SecretText::new(WEBHOOK_SECRET)),
            api_url: Some(origin.clone()),
            checkout_origins: Some(vec![origin.clone()]),
            ..BanxaConfig::new(PARTNER, SecretText::new(API_KEY), format!("{origin}/done"))
        }
    }

    /// The same as TOML.
    pub fn settings(&self) -> String {
        let origin = &self.server.origin;
        format!(
            "[onramps.banxa]\npartner = \"{PARTNER}\"\napi_key = \"{API_KEY}\"\nwebhook_secret = \"{WEBHOOK_SECRET}\"\n\
             redirect_url = \"{origin}/done\"\napi_url = \"{origin}\"\ncheckout_origins = [\"{origin}\"]\n"
        )
    }

    /// Expires every unpaid checkout.
    pub fn end_sessions(&self) {
        for stored in
            self.inner.orders.lock().values_mut().filter(|stored| stored.purchase.status == "pendingPayment")
        {
            "expired".clone_into(&mut stored.purchase.status);
        }
    }
}

impl Inner {
    fn webhook(purchase: &Purchase, at: Timestamp, forged: bool) -> SignedWebhook {
        let Purchase { order, status, pays, token, delivers, .. } = purchase;
        let (at, amount) = (at.as_millisecond(), delivers.to_decimal(token.decimals));
        let reported = object!({
            "order_id": purchase.id(),
            "status": status,
            "status_date": at.to_string(),
            "external_id": order,
            "order_type": "BUY",
            "crypto_coin": token.symbol,
            "crypto_blockchain": chain(token),
            "crypto_amount": amount,
            "fiat_currency": pays.currency.to_string(),
            "fiat_amount": pays.to_string(),
            "payment_method": "debit-credit-card",
            "transaction_hash": hash(purchase),
            "metadata": [],
        });
        let body = reported.to_string().into_bytes();
        let secret = if forged { "somebody's secret" } else { WEBHOOK_SECRET };
        let signed = signature::sign(API_KEY, secret.as_bytes(), WEBHOOK_PATH, at, &body);
        let headers = [("content-type", "application/json".to_owned()), ("authorization", signed)];
        SignedWebhook { headers: headers.map(|(name, value)| (name.to_owned(), value)).to_vec(), body }
    }
}

/// Banxa's id of a chain.
fn chain(token: &ListedToken) -> &'static str {
    match token.network {
        "ethereum" => "ETH",
        "base" => "BASE",
        _ => "SOL",
    }
}

fn hash(purchase: &Purchase) -> String {
    let sent = matches!(purchase.status.as_str(), "complete" | "cryptoTransferred" | "coinTransferred");
    if sent { fake_tx_hash(&purchase.order) } else { "0".to_owned() }
}

fn order_json(stored: &StoredOrder) -> Value {
    let Purchase { order, status, pays, token, delivers, wallet } = &stored.purchase;
    object!({
        "id": stored.id,
        "externalId": order,
        "externalCustomerId": stored.customer,
        "orderType": "BUY",
        "status": status,
        "crypto": { "id": token.symbol, "blockchain": chain(token), "address": token.contract, "network": token.chain.map(|id| id.to_string()) },
        "fiat": pays.currency.to_string(),
        "fiatAmount": pays.to_string(),
        "cryptoAmount": delivers.to_decimal(token.decimals),
        "partnerFee": "",
        "walletAddress": wallet,
        "transactionHash": hash(&stored.purchase),
    })
}

fn refusal(status: StatusCode, code: u32, title: &str) -> Response {
    (status, json(object!({ "errors": { "code": code, "title": title } }).to_string())).into_response()
}

fn invalid() -> Response {
    refusal(StatusCode::BAD_REQUEST, 4002, "Validation error")
}

async fn authenticate(request: Request, next: Next) -> Response {
    if request.headers().get("x-api-key").is_some_and(|key| key == API_KEY) {
        return next.run(request).await;
    }
    refusal(StatusCode::UNAUTHORIZED, 4001, "Unauthorised")
}

async fn countries() -> Response {
    let states =
        object!([{ "id": "CA", "description": "California" }, { "id": "TX", "description": "Texas" }]);
    let reported = object!([
        { "id": "AU", "description": "Australia" },
        { "id": "DE", "description": "Germany" },
        { "id": "US", "description": "United States of America", "states": states },
    ]);
    json(reported.to_string())
}

async fn fiats() -> Response {
    let method = |id: &str, name: &str, least: &str, most: &str| object!({ "id": id, "name": name, "minimum": least, "maximum": most });
    let card = method("debit-credit-card", "Credit Debit Card", "20", "15000");
    let fiat = |code: &str, bank: Value| object!({ "id": code, "description": code, "symbol": code, "supportedPaymentMethods": [card, bank] });
    let reported = [
        fiat("USD", method("ach-bank-transfer", "ACH", "50", "10000.00")),
        fiat("EUR", method("sepa-bank-transfer", "SEPA", "50", "14000.00")),
        fiat("GBP", method("gbp-bank-transfer", "Faster Payments", "50", "14000.00")),
    ];
    json(object!(reported).to_string())
}

async fn coins() -> Response {
    let reported = LISTED_TOKENS.iter().map(|token| {
        let closed = if token.network == "base" { object!({ "CA": [], "US": ["TX"] }) } else { object!({}) };
        let network = token.chain.map(|id| id.to_string());
        let chain = object!({ "id": chain(token), "description": token.network, "isDefaultBlockchain": token.network == "ethereum",
            "address": token.contract, "network": network, "minimum": "1", "unsupportedCountries": closed });
        object!({ "id": token.symbol, "description": token.symbol, "blockchains": [chain] })
    });
    json(object!(reported.collect::<Vec<_>>()).to_string())
}

async fn quote(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let (Some((token, sale)), Some(method)) = (sale(&query), param(&query, "paymentMethodId")) else {
        return invalid();
    };
    let fault = inner.state.fault();
    let pays = match fault {
        FaultInjection::LongFloat => sale.with_float_error(),
        _ => format!("\"{}\"", sale.pays),
    };
    // A quote names its currency only if it is another one.
    let fiat = match (&fault, sale.pays.currency.code()) {
        (FaultInjection::OtherCurrency, "EUR") => ",\"fiat\":\"USD\"",
        (FaultInjection::OtherCurrency, _) => ",\"fiat\":\"EUR\"",
        _ => "",
    };
    let fee = if fault == FaultInjection::NegativeFee { "-1.5".to_owned() } else { sale.number(sale.fee) };
    json(format!(
        r#"{{"paymentMethodId":"{method}","cryptoAmount":"{}","fiatAmount":{pays},"processingFee":"{fee}","networkFee":"{}"{fiat}}}"#,
        sale.delivers.to_decimal(token.decimals),
        sale.number(sale.network_fee),
    ))
}

fn named(coin: &str, chain_id: &str) -> Option<&'static ListedToken> {
    LISTED_TOKENS.iter().find(|token| token.symbol == coin && chain(token) == chain_id)
}

fn sale(query: &str) -> Option<(&'static ListedToken, Sale)> {
    let token = named(&param(query, "crypto")?, &param(query, "blockchain")?)?;
    let currency: FiatCurrency = param(query, "fiat")?.parse().ok()?;
    let sale = match (param(query, "fiatAmount"), param(query, "cryptoAmount")) {
        (Some(pays), None) => token.sell(FiatAmount::parse(currency, &pays).ok()?)?,
        (None, Some(wanted)) => {
            token.sell_exactly(currency, RawAmount::from_decimal(&wanted, token.decimals).ok()?)?
        }
        _ => return None,
    };
    Some((token, sale))
}

async fn buy(State(inner): State<Arc<Inner>>, body: String) -> Response {
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let Some((customer, purchase)) = parse_purchase(&asked) else { return invalid() };
    let mut orders = inner.orders.lock();
    let id = format!("{:032x}", orders.len() + 1);
    let Purchase { order, pays, wallet, .. } = &purchase;
    let reported = object!({
        "id": id,
        "externalOrderId": order,
        "externalCustomerId": customer,
        "orderType": "BUY",
        "status": purchase.status,
        "fiat": pays.currency.to_string(),
        "fiatAmount": pays.to_string(),
        "walletAddress": wallet,
        "checkoutUrl": format!("{}/order/{id}", inner.origin),
    });
    orders.insert(id.clone(), StoredOrder { id, customer, purchase });
    json(reported.to_string())
}

/// The purchase and customer of a request.
fn parse_purchase(asked: &Value) -> Option<(String, Purchase)> {
    let text = |name: &str| asked.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let token = named(&text("crypto")?, &text("blockchain")?)?;
    let pays = FiatAmount::parse(text("fiat")?.parse().ok()?, &text("fiatAmount")?).ok()?;
    text("redirectUrl")?;
    let purchase = Purchase {
        order: text("externalOrderId")?,
        status: "pendingPayment".to_owned(),
        pays,
        token: *token,
        delivers: token.sell(pays)?.delivers,
        wallet: text("walletAddress")?,
    };
    Some((text("externalCustomerId")?, purchase))
}

async fn orders(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let customer = param(&query, "externalCustomerId");
    if param(&query, "start").is_none() || param(&query, "end").is_none() {
        return invalid();
    }
    let stored = inner.orders.lock();
    let found =
        stored.values().filter(|stored| customer.as_ref().is_none_or(|named| *named == stored.customer));
    let mut found: Vec<_> = found.collect();
    found.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    let total = found.len();
    let number = |name: &str| param(&query, name).and_then(|text| text.parse::<usize>().ok());
    let page = found.into_iter().skip(number("skip").unwrap_or(0));
    let reported: Vec<_> = page
        .take(number("limit").unwrap_or(PAGE).min(PAGE))
        .map(|stored| {
            let mut reported = order_json(stored);
            if inner.state.fault() == FaultInjection::OtherPartner {
                reported["externalCustomerId"] = object!("somebody-else");
            }
            reported
        })
        .collect();
    json(object!({ "orders": reported, "pageTotal": total.div_ceil(PAGE), "total": total }).to_string())
}

async fn order(State(inner): State<Arc<Inner>>, Path(id): Path<String>) -> Response {
    match inner.orders.lock().get(&id) {
        Some(stored) => json(order_json(stored).to_string()),
        None => refusal(StatusCode::NOT_FOUND, 4004, "Not found"),
    }
}

/// Banxa's checkout posts no messages.
async fn page(State(inner): State<Arc<Inner>>, Path(id): Path<String>) -> Response {
    match inner.orders.lock().get(&id).filter(|stored| stored.purchase.status == "pendingPayment") {
        Some(stored) => checkout_page("Banxa", &stored.purchase.order, &[]),
        None => (StatusCode::GONE, "the checkout has expired").into_response(),
    }
}

async fn set_status(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let (named, status) = (param(&query, "order"), param(&query, "status"));
    let walked = status.and_then(|status| {
        let mut orders = inner.orders.lock();
        let stored = orders.values_mut().filter(|stored| Some(&stored.purchase.order) == named.as_ref());
        let stored = stored.max_by(|one, other| one.id.cmp(&other.id))?;
        stored.purchase.status = status;
        Some(stored.purchase.clone())
    });
    match walked {
        Some(purchase) => {
            deliver_webhook(param(&query, "to"), Inner::webhook(&purchase, Timestamp::now(), false)).await
        }
        None => refusal(StatusCode::NOT_FOUND, 4004, "There is no such order"),
    }
}

#[async_trait]
impl StandIn for BanxaStandIn {
    fn inject_fault(&self, fault: FaultInjection) {
        self.inner.state.inject_fault(fault);
    }

    fn request_count(&self) -> u64 {
        self.inner.state.request_count()
    }

    fn redirects_followed(&self) -> u64 {
        self.inner.state.redirects_followed()
    }

    async fn set_status(&self, order: &FiatOrder, session: &RampSession, status: &str) -> Result<(), String> {
        let id = session.url.rsplit('/').next().unwrap_or_default();
        let agreed = Purchase::for_order(order, status).ok_or("the order is for something else")?;
        let mut orders = self.inner.orders.lock();
        let StoredOrder { purchase, .. } = orders.get_mut(id).ok_or("the checkout is unknown")?;
        if (&purchase.order, purchase.pays, &purchase.wallet) != (&agreed.order, agreed.pays, &agreed.wallet)
        {
            return Err(format!("the checkout is for something else: {purchase:?}"));
        }
        status.clone_into(&mut purchase.status);
        Ok(())
    }

    fn webhook(&self, order: &FiatOrder, status: &str, at: Timestamp, forged: bool) -> SignedWebhook {
        let purchase = Purchase::for_order(order, status);
        purchase.map_or_else(
            || SignedWebhook { headers: Vec::new(), body: Vec::new() },
            |purchase| Inner::webhook(&purchase, at, forged),
        )
    }

    fn statuses(&self) -> Vec<(&'static str, RampState)> {
        vec![
            ("pendingPayment", RampState::Waiting),
            ("waitingPayment", RampState::Started),
            ("paymentReceived", RampState::Paid),
            ("inProgress", RampState::Paid),
            ("extraVerification", RampState::Paid),
            ("cryptoTransferred", RampState::Paid),
            ("coinTransferred", RampState::Paid),
            ("complete", RampState::Delivered),
            ("cancelled", RampState::Failed),
            ("declined", RampState::Failed),
            ("refunded", RampState::Failed),
            ("expired", RampState::Expired),
        ]
    }
}
