use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
use serde_json::{Value, json as object};

use super::price::{Sale, WARES, Ware};
use super::purchase::Purchase;
use super::{
    Served, Ways, checkout_page, deliver_hook, json, listen, made_up_tx, param, serve, with_mischief,
};
use crate::banxa::{BanxaConfig, signature};
use crate::conformance::{Hook, Mischief, StandIn};
use crate::secret::SecretText;

const PARTNER: &str = "acme";
const API_KEY: &str = "a stand-in's key";
const WEBHOOK_SECRET: &str = "a stand-in's secret";
/// How many orders are told at once, whoever asks for more.
const PAGE: usize = 25;
const WEBHOOK_PATH: &str = "/v1/fiat/webhook/banxa";

/// A server in Banxa's place: interface and checkout at one origin.
#[derive(Debug)]
pub struct BanxaStandIn {
    served: Served,
    inner: Arc<Inner>,
}

/// An order with the customer that it belongs to.
#[derive(Clone, Debug)]
struct Kept {
    id: String,
    customer: String,
    purchase: Purchase,
}

#[derive(Debug)]
struct Inner {
    origin: String,
    ways: Arc<Ways>,
    /// By Banxa's own names for them: each checkout makes another order.
    orders: Mutex<HashMap<String, Kept>>,
}

impl BanxaStandIn {
    /// Starts on that port, or any when it is 0.
    pub async fn start(port: u16) -> io::Result<Self> {
        let (listener, origin) = listen(port).await?;
        let ways = Ways::new().await?;
        let inner =
            Arc::new(Inner { origin: origin.clone(), ways: Arc::clone(&ways), orders: Mutex::default() });
        let api = Router::new()
            .route("/acme/v2/countries", get(countries))
            .route("/acme/v2/fiats/buy", get(fiats))
            .route("/acme/v2/crypto/buy", get(coins))
            .route("/acme/v2/quotes/buy", get(quote))
            .route("/acme/v2/buy", post(buy))
            .route("/acme/v2/orders", get(orders))
            .route("/acme/v2/orders/{id}", get(order))
            .layer(from_fn(known))
            .with_state(Arc::clone(&inner));
        let pages = Router::new()
            .route("/order/{id}", get(page))
            .route("/standin/walk", post(walk))
            .with_state(Arc::clone(&inner));
        let served = serve(listener, origin, with_mischief(api, &ways).merge(pages));
        Ok(Self { served, inner })
    }

    /// What an operator would enter to speak to it.
    pub fn config(&self) -> BanxaConfig {
        let origin = self.served.origin.clone();
        BanxaConfig {
            webhook_secret: Some(SecretText::new(WEBHOOK_SECRET)),
            api_url: Some(origin.clone()),
            checkout_origins: Some(vec![origin.clone()]),
            ..BanxaConfig::new(PARTNER, SecretText::new(API_KEY), format!("{origin}/done"))
        }
    }

    /// The same as a piece of a configuration file.
    pub fn settings(&self) -> String {
        let origin = &self.served.origin;
        format!(
            "[onramps.banxa]\npartner = \"{PARTNER}\"\napi_key = \"{API_KEY}\"\nwebhook_secret = \"{WEBHOOK_SECRET}\"\n\
             redirect_url = \"{origin}/done\"\napi_url = \"{origin}\"\ncheckout_origins = [\"{origin}\"]\n"
        )
    }

    /// Every checkout that nobody has paid is over.
    pub fn end_sessions(&self) {
        for kept in self.inner.lock().values_mut().filter(|kept| kept.purchase.status == "pendingPayment") {
            "expired".clone_into(&mut kept.purchase.status);
        }
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hook(purchase: &Purchase, at: Timestamp, forged: bool) -> Hook {
        let Purchase { order, status, pays, ware, delivers, .. } = purchase;
        let (at, amount) = (at.as_millisecond(), delivers.to_decimal(ware.decimals));
        let told = object!({
            "order_id": purchase.id(),
            "status": status,
            "status_date": at.to_string(),
            "external_id": order,
            "order_type": "BUY",
            "crypto_coin": ware.symbol,
            "crypto_blockchain": chain(ware),
            "crypto_amount": amount,
            "fiat_currency": pays.currency.to_string(),
            "fiat_amount": pays.to_string(),
            "payment_method": "debit-credit-card",
            "transaction_hash": hash(purchase),
            "metadata": [],
        });
        let body = told.to_string().into_bytes();
        let secret = if forged { "somebody's secret" } else { WEBHOOK_SECRET };
        let signed = signature::sign(API_KEY, secret.as_bytes(), WEBHOOK_PATH, at, &body);
        let headers = [("content-type", "application/json".to_owned()), ("authorization", signed)];
        Hook { headers: headers.map(|(name, value)| (name.to_owned(), value)).to_vec(), body }
    }
}

/// What Banxa calls a chain.
fn chain(ware: &Ware) -> &'static str {
    match ware.network {
        "ethereum" => "ETH",
        "base" => "BASE",
        _ => "SOL",
    }
}

fn hash(purchase: &Purchase) -> String {
    let sent = matches!(purchase.status.as_str(), "complete" | "cryptoTransferred" | "coinTransferred");
    if sent { made_up_tx(&purchase.order) } else { "0".to_owned() }
}

fn order_json(kept: &Kept) -> Value {
    let Purchase { order, status, pays, ware, delivers, wallet } = &kept.purchase;
    object!({
        "id": kept.id,
        "externalId": order,
        "externalCustomerId": kept.customer,
        "orderType": "BUY",
        "status": status,
        "crypto": { "id": ware.symbol, "blockchain": chain(ware), "address": ware.contract, "network": ware.chain.map(|id| id.to_string()) },
        "fiat": pays.currency.to_string(),
        "fiatAmount": pays.to_string(),
        "cryptoAmount": delivers.to_decimal(ware.decimals),
        "partnerFee": "",
        "walletAddress": wallet,
        "transactionHash": hash(&kept.purchase),
    })
}

fn refusal(status: StatusCode, code: u32, title: &str) -> Response {
    (status, json(object!({ "errors": { "code": code, "title": title } }).to_string())).into_response()
}

fn invalid() -> Response {
    refusal(StatusCode::BAD_REQUEST, 4002, "Validation error")
}

async fn known(request: Request, next: Next) -> Response {
    if request.headers().get("x-api-key").is_some_and(|key| key == API_KEY) {
        return next.run(request).await;
    }
    refusal(StatusCode::UNAUTHORIZED, 4001, "Unauthorised")
}

async fn countries() -> Response {
    let states =
        object!([{ "id": "CA", "description": "California" }, { "id": "TX", "description": "Texas" }]);
    let told = object!([
        { "id": "AU", "description": "Australia" },
        { "id": "DE", "description": "Germany" },
        { "id": "US", "description": "United States of America", "states": states },
    ]);
    json(told.to_string())
}

async fn fiats() -> Response {
    let method = |id: &str, name: &str, least: &str, most: &str| object!({ "id": id, "name": name, "minimum": least, "maximum": most });
    let card = method("debit-credit-card", "Credit Debit Card", "20", "15000");
    let fiat = |code: &str, bank: Value| object!({ "id": code, "description": code, "symbol": code, "supportedPaymentMethods": [card, bank] });
    let told = [
        fiat("USD", method("ach-bank-transfer", "ACH", "50", "10000.00")),
        fiat("EUR", method("sepa-bank-transfer", "SEPA", "50", "14000.00")),
        fiat("GBP", method("gbp-bank-transfer", "Faster Payments", "50", "14000.00")),
    ];
    json(object!(told).to_string())
}

async fn coins() -> Response {
    let told = WARES.iter().map(|ware| {
        let closed = if ware.network == "base" { object!({ "CA": [], "US": ["TX"] }) } else { object!({}) };
        let network = ware.chain.map(|id| id.to_string());
        let chain = object!({ "id": chain(ware), "description": ware.network, "isDefaultBlockchain": ware.network == "ethereum",
            "address": ware.contract, "network": network, "minimum": "1", "unsupportedCountries": closed });
        object!({ "id": ware.symbol, "description": ware.symbol, "blockchains": [chain] })
    });
    json(object!(told.collect::<Vec<_>>()).to_string())
}

async fn quote(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let (Some((ware, sale)), Some(method)) = (sale(&query), param(&query, "paymentMethodId")) else {
        return invalid();
    };
    let mischief = inner.ways.mischief();
    let pays = match mischief {
        Mischief::LongFloat => sale.spoilt(),
        _ => format!("\"{}\"", sale.pays),
    };
    // A price does not name its currency unless it is another one.
    let fiat = match (&mischief, sale.pays.currency.code()) {
        (Mischief::OtherCurrency, "EUR") => ",\"fiat\":\"USD\"",
        (Mischief::OtherCurrency, _) => ",\"fiat\":\"EUR\"",
        _ => "",
    };
    let fee = if mischief == Mischief::NegativeFee { "-1.5".to_owned() } else { sale.number(sale.fee) };
    json(format!(
        r#"{{"paymentMethodId":"{method}","cryptoAmount":"{}","fiatAmount":{pays},"processingFee":"{fee}","networkFee":"{}"{fiat}}}"#,
        sale.delivers.to_decimal(ware.decimals),
        sale.number(sale.network_fee),
    ))
}

fn named(coin: &str, chain_id: &str) -> Option<&'static Ware> {
    WARES.iter().find(|ware| ware.symbol == coin && chain(ware) == chain_id)
}

fn sale(query: &str) -> Option<(&'static Ware, Sale)> {
    let ware = named(&param(query, "crypto")?, &param(query, "blockchain")?)?;
    let currency: FiatCurrency = param(query, "fiat")?.parse().ok()?;
    let sale = match (param(query, "fiatAmount"), param(query, "cryptoAmount")) {
        (Some(pays), None) => ware.sell(FiatAmount::parse(currency, &pays).ok()?)?,
        (None, Some(wanted)) => {
            ware.sell_exactly(currency, RawAmount::from_decimal(&wanted, ware.decimals).ok()?)?
        }
        _ => return None,
    };
    Some((ware, sale))
}

async fn buy(State(inner): State<Arc<Inner>>, body: String) -> Response {
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let Some((customer, purchase)) = begun(&asked) else { return invalid() };
    let mut orders = inner.lock();
    let id = format!("{:032x}", orders.len() + 1);
    let Purchase { order, pays, wallet, .. } = &purchase;
    let told = object!({
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
    orders.insert(id.clone(), Kept { id, customer, purchase });
    json(told.to_string())
}

/// What an order is to buy, and for whom.
fn begun(asked: &Value) -> Option<(String, Purchase)> {
    let text = |name: &str| asked.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let ware = named(&text("crypto")?, &text("blockchain")?)?;
    let pays = FiatAmount::parse(text("fiat")?.parse().ok()?, &text("fiatAmount")?).ok()?;
    text("redirectUrl")?;
    let purchase = Purchase {
        order: text("externalOrderId")?,
        status: "pendingPayment".to_owned(),
        pays,
        ware: *ware,
        delivers: ware.sell(pays)?.delivers,
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
    let kept = inner.lock();
    let found = kept.values().filter(|kept| customer.as_ref().is_none_or(|named| *named == kept.customer));
    let mut found: Vec<_> = found.collect();
    found.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    let total = found.len();
    let number = |name: &str| param(&query, name).and_then(|text| text.parse::<usize>().ok());
    let page = found.into_iter().skip(number("skip").unwrap_or(0));
    let told: Vec<_> = page
        .take(number("limit").unwrap_or(PAGE).min(PAGE))
        .map(|kept| {
            let mut told = order_json(kept);
            if inner.ways.mischief() == Mischief::OtherPartner {
                told["externalCustomerId"] = object!("somebody-else");
            }
            told
        })
        .collect();
    json(object!({ "orders": told, "pageTotal": total.div_ceil(PAGE), "total": total }).to_string())
}

async fn order(State(inner): State<Arc<Inner>>, Path(id): Path<String>) -> Response {
    match inner.lock().get(&id) {
        Some(kept) => json(order_json(kept).to_string()),
        None => refusal(StatusCode::NOT_FOUND, 4004, "Not found"),
    }
}

/// Banxa's checkout says nothing to the window around it.
async fn page(State(inner): State<Arc<Inner>>, Path(id): Path<String>) -> Response {
    match inner.lock().get(&id).filter(|kept| kept.purchase.status == "pendingPayment") {
        Some(kept) => checkout_page("Banxa", &kept.purchase.order, &[]),
        None => (StatusCode::GONE, "the checkout is over").into_response(),
    }
}

async fn walk(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let (named, status) = (param(&query, "order"), param(&query, "status"));
    let walked = status.and_then(|status| {
        let mut orders = inner.lock();
        let kept = orders.values_mut().filter(|kept| Some(&kept.purchase.order) == named.as_ref());
        let kept = kept.max_by(|one, other| one.id.cmp(&other.id))?;
        kept.purchase.status = status;
        Some(kept.purchase.clone())
    });
    match walked {
        Some(purchase) => {
            deliver_hook(param(&query, "to"), Inner::hook(&purchase, Timestamp::now(), false)).await
        }
        None => refusal(StatusCode::NOT_FOUND, 4004, "There is no such order"),
    }
}

#[async_trait]
impl StandIn for BanxaStandIn {
    fn behave(&self, mischief: Mischief) {
        self.inner.ways.behave(mischief);
    }

    fn heard(&self) -> u64 {
        self.inner.ways.heard()
    }

    fn led_away(&self) -> u64 {
        self.inner.ways.led_away()
    }

    async fn walk(&self, order: &FiatOrder, session: &RampSession, status: &str) -> Result<(), String> {
        let id = session.url.rsplit('/').next().unwrap_or_default();
        let agreed = Purchase::of(order, status).ok_or("the order is for something else")?;
        let mut orders = self.inner.lock();
        let Kept { purchase, .. } = orders.get_mut(id).ok_or("the checkout is unknown")?;
        if (&purchase.order, purchase.pays, &purchase.wallet) != (&agreed.order, agreed.pays, &agreed.wallet)
        {
            return Err(format!("the checkout is for something else: {purchase:?}"));
        }
        status.clone_into(&mut purchase.status);
        Ok(())
    }

    fn hook(&self, order: &FiatOrder, status: &str, at: Timestamp, forged: bool) -> Hook {
        let purchase = Purchase::of(order, status);
        purchase.map_or_else(
            || Hook { headers: Vec::new(), body: Vec::new() },
            |purchase| Inner::hook(&purchase, at, forged),
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
