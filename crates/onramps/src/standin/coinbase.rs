use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use axum::Router;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use causeway_domain::fiat::{FiatAmount, FiatCurrency, FiatOrder};
use causeway_domain::ports::{RampSession, RampState};
use jiff::Timestamp;
use serde_json::{Value, json as object};

use super::price::{Sale, WARES, Ware};
use super::purchase::{Purchase, Purchases};
use super::{
    Served, Ways, checkout_page, deliver_hook, json, listen, made_up_tx, param, serve, with_mischief,
};
use crate::coinbase::{CoinbaseConfig, webhook};
use crate::conformance::{Hook, Mischief, StandIn};
use crate::secret::SecretText;

const KEY_ID: &str = "00000000-0000-4000-8000-000000000003";
const WEBHOOK_SECRET: &str = "a stand-in's secret";

/// What play purchases are called by.
const PLAY: &str = "sandbox-";

/// A server in Coinbase's place: both interfaces and the checkout at one origin. It looks at the token of every request.
#[derive(Debug)]
pub struct CoinbaseStandIn {
    served: Served,
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    origin: String,
    ways: Arc<Ways>,
    key: ed25519_dalek::SigningKey,
    /// By their tokens; each is good for one visit.
    sessions: Mutex<HashMap<String, Purchase>>,
    made: AtomicU64,
    purchases: Purchases,
}

impl CoinbaseStandIn {
    /// Starts on that port, or any when it is 0.
    pub async fn start(port: u16) -> io::Result<Self> {
        let (listener, origin) = listen(port).await?;
        let ways = Ways::new().await?;
        let inner = Arc::new(Inner {
            origin: origin.clone(),
            ways: Arc::clone(&ways),
            key: ed25519_dalek::SigningKey::from_bytes(&[7; 32]),
            sessions: Mutex::default(),
            made: AtomicU64::new(0),
            purchases: Purchases::default(),
        });
        let api = Router::new()
            .route("/onramp/v1/buy/config", get(places))
            .route("/onramp/v1/buy/options", get(options))
            .route("/onramp/v1/buy/quote", post(quote))
            .route("/platform/v2/onramp/sessions", post(open_session))
            .route("/onramp/v1/buy/user/{reference}/transactions", get(transactions))
            .layer(from_fn_with_state(Arc::clone(&inner), known))
            .with_state(Arc::clone(&inner));
        let pages = Router::new()
            .route("/buy", get(page))
            .route("/standin/walk", post(walk))
            .with_state(Arc::clone(&inner));
        let served = serve(listener, origin, with_mischief(api, &ways).merge(pages));
        Ok(Self { served, inner })
    }

    /// What an operator would enter to speak to it.
    pub fn config(&self) -> CoinbaseConfig {
        let origin = self.served.origin.clone();
        let secret = STANDARD.encode(self.inner.key.to_keypair_bytes());
        CoinbaseConfig {
            webhook_secret: Some(SecretText::new(WEBHOOK_SECRET)),
            sandbox: true,
            api_url: origin.clone(),
            onramp_url: origin.clone(),
            checkout_origin: origin,
            ..CoinbaseConfig::new(KEY_ID, SecretText::new(secret))
        }
    }

    /// The same as a piece of a configuration file.
    pub fn settings(&self) -> String {
        let (origin, secret) = (&self.served.origin, STANDARD.encode(self.inner.key.to_keypair_bytes()));
        format!(
            "[onramps.coinbase]\napi_key_id = \"{KEY_ID}\"\napi_key_secret = \"{secret}\"\nwebhook_secret = \"{WEBHOOK_SECRET}\"\n\
             sandbox = true\napi_url = \"{origin}\"\nonramp_url = \"{origin}\"\ncheckout_origin = \"{origin}\"\n"
        )
    }

    /// Every checkout's address that was handed out is over.
    pub fn end_sessions(&self) {
        self.inner.sessions.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Inner {
    /// Whether the token is signed, fresh, and for exactly this request.
    fn knows(&self, headers: &HeaderMap, request: &str) -> bool {
        let told = headers.get("authorization").and_then(|told| told.to_str().ok()?.strip_prefix("Bearer "));
        let parts: Vec<_> = told.unwrap_or_default().split('.').collect();
        let [head, claims, signature] = parts.as_slice() else { return false };
        let read = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).ok()?).ok();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap_or_default();
        let (Some(header), Some(told), Ok(signature)) =
            (read(head), read(claims), ed25519_dalek::Signature::from_slice(&signature))
        else {
            return false;
        };
        let now = Timestamp::now().as_second();
        let fresh = told["nbf"].as_i64().is_some_and(|from| from <= now + 5)
            && told["exp"].as_i64().is_some_and(|until| (now..=now + 125).contains(&until));
        let signed = format!("{head}.{claims}");
        self.key.verifying_key().verify_strict(signed.as_bytes(), &signature).is_ok()
            && (&header["kid"], &told["sub"]) == (&object!(KEY_ID), &object!(KEY_ID))
            && told["iss"] == "cdp"
            && told["uris"][0] == request
            && fresh
    }

    /// A visit to a checkout's address: the first counts.
    fn visit(&self, query: &str) -> Result<Purchase, String> {
        let token = param(query, "sessionToken").ok_or("the address names no session")?;
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.remove(&token).ok_or_else(|| "the session is over".to_owned())
    }

    fn hook(purchase: &Purchase, at: Timestamp, forged: bool) -> Hook {
        let kind = match purchase.status.as_str() {
            status if delivered(status) => "success",
            status if status.ends_with("_FAILED") => "failed",
            _ => "updated",
        };
        let mut told = purchase_json(purchase, at);
        told["eventType"] = object!(format!("onramp.transaction.{kind}"));
        let body = told.to_string().into_bytes();
        let event = format!("event-{}", purchase.id());
        let headers = [("content-type", "application/json"), ("x-event-id", event.as_str())];
        let secret = if forged { "somebody's secret" } else { WEBHOOK_SECRET };
        let signature = webhook::sign(secret.as_bytes(), at.as_second(), &headers, &body);
        let signed = (webhook::SIGNATURE_HEADER.to_owned(), signature);
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Hook { headers: headers.into_iter().chain([signed]).collect(), body }
    }
}

fn delivered(status: &str) -> bool {
    status.ends_with("_SUCCESS") || status.ends_with("_COMPLETED")
}

/// A purchase as the reference writes it, in camel case.
fn purchase_json(purchase: &Purchase, at: Timestamp) -> Value {
    let Purchase { order, status, pays, ware, delivers, wallet } = purchase;
    object!({
        "status": status,
        "transactionId": purchase.id(),
        "partnerUserRef": format!("{PLAY}{order}"),
        "purchaseCurrency": ware.symbol,
        "purchaseNetwork": ware.network,
        "purchaseAmount": { "value": delivers.to_decimal(ware.decimals), "currency": ware.symbol },
        "paymentTotal": { "value": pays.to_string(), "currency": pays.currency.to_string() },
        "paymentMethod": "CARD",
        "walletAddress": wallet,
        "contractAddress": ware.contract.unwrap_or_default(),
        "txHash": if delivered(status) { made_up_tx(order) } else { "0x".to_owned() },
        "createdAt": at.to_string(),
    })
}

/// The same as the guides write it, with underscores.
fn underscored(told: &Value) -> Value {
    let name = |name: &String| {
        let mut text = String::new();
        for letter in name.chars() {
            text.extend(letter.is_ascii_uppercase().then_some('_'));
            text.push(letter.to_ascii_lowercase());
        }
        text
    };
    told.as_object().into_iter().flatten().map(|(field, value)| (name(field), value.clone())).collect()
}

fn refusal(status: StatusCode, words: &str) -> Response {
    (status, json(object!({ "code": 3, "message": words, "details": [] }).to_string())).into_response()
}

async fn known(State(inner): State<Arc<Inner>>, request: Request, next: Next) -> Response {
    let host = request.headers().get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
    let asked = format!("{} {host}{}", request.method(), request.uri().path());
    if inner.knows(request.headers(), &asked) {
        return next.run(request).await;
    }
    refusal(StatusCode::UNAUTHORIZED, "no good token")
}

async fn places() -> Response {
    let methods = object!([{ "id": "CARD" }, { "id": "ACH_BANK_ACCOUNT" }]);
    let country =
        |id: &str, parts: Value| object!({ "id": id, "subdivisions": parts, "payment_methods": methods });
    let countries =
        [country("US", object!(["CA", "TX", "WA"])), country("DE", object!([])), country("GB", object!([]))];
    json(object!({ "countries": countries }).to_string())
}

async fn options(RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    if matches!(
        (param(&query, "country").as_deref(), param(&query, "subdivision")),
        (None, _) | (Some("US"), None)
    ) {
        return refusal(StatusCode::BAD_REQUEST, "country is required, and subdivision for US");
    }
    let coins = WARES.iter().map(|ware| {
        let chain = ware.chain.unwrap_or(0).to_string();
        let contract = ware.contract.unwrap_or_default();
        let network = object!({ "name": ware.network, "display_name": ware.network, "chain_id": chain, "contract_address": contract });
        object!({ "id": ware.symbol, "name": ware.symbol, "symbol": ware.symbol, "networks": [network] })
    });
    let limits = object!([{ "id": "CARD", "min": "5", "max": "7500" }, { "id": "ACH_BANK_ACCOUNT", "min": "10", "max": "25000.00" }]);
    let fiats = ["USD", "EUR", "GBP"].map(|id| object!({ "id": id, "limits": limits }));
    let told = object!({ "payment_currencies": fiats, "purchase_currencies": coins.collect::<Vec<_>>() });
    json(told.to_string())
}

async fn quote(State(inner): State<Arc<Inner>>, body: String) -> Response {
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let Some((ware, sale)) = sale(&asked) else {
        return refusal(StatusCode::BAD_REQUEST, "this is not for sale");
    };
    let mischief = inner.ways.mischief();
    let currency = match (&mischief, sale.pays.currency.code()) {
        (Mischief::OtherCurrency, "EUR") => "USD",
        (Mischief::OtherCurrency, _) => "EUR",
        (_, code) => code,
    };
    let pays = match mischief {
        Mischief::LongFloat => sale.spoilt(),
        _ => format!("\"{}\"", sale.pays),
    };
    let fee = if mischief == Mischief::NegativeFee { "-1.5".to_owned() } else { sale.number(sale.fee) };
    json(format!(
        r#"{{"quote_id":"q1","payment_total":{{"value":{pays},"currency":"{currency}"}},"payment_subtotal":{{"value":"{}","currency":"{currency}"}},
"purchase_amount":{{"value":"{}","currency":"{}"}},"coinbase_fee":{{"value":"{fee}","currency":"{currency}"}},
"network_fee":{{"value":"{}","currency":"{currency}"}},"onramp_url":""}}"#,
        sale.number(sale.pays.minor - sale.fee - sale.network_fee),
        sale.delivers.to_decimal(ware.decimals),
        ware.symbol,
        sale.number(sale.network_fee),
    ))
}

fn sale(asked: &Value) -> Option<(&'static Ware, Sale)> {
    let text = |name: &str| asked.get(name)?.as_str().filter(|text| !text.is_empty());
    let ware = Ware::named(text("purchaseCurrency")?, text("purchaseNetwork")?)?;
    let currency: FiatCurrency = text("paymentCurrency")?.parse().ok()?;
    text("country").and(text("paymentMethod"))?;
    let sale = ware.sell(FiatAmount::parse(currency, text("paymentAmount")?).ok()?)?;
    Some((ware, sale))
}

async fn open_session(State(inner): State<Arc<Inner>>, body: String) -> Response {
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let Some(purchase) = begun(&asked) else {
        return refusal(StatusCode::BAD_REQUEST, "the session is not complete");
    };
    let number = inner.made.fetch_add(1, Ordering::Relaxed);
    let token = format!("token-{number}");
    inner.sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(token.clone(), purchase);
    let url = format!("{}/buy?sessionToken={token}", inner.origin);
    json(object!({ "session": { "onrampUrl": url } }).to_string())
}

/// What a session is to buy.
fn begun(asked: &Value) -> Option<Purchase> {
    let text = |name: &str| asked.get(name)?.as_str().map(str::to_owned);
    let ware = Ware::named(&text("purchaseCurrency")?, &text("destinationNetwork")?)?;
    let pays = FiatAmount::parse(text("paymentCurrency")?.parse().ok()?, &text("paymentAmount")?).ok()?;
    Some(Purchase {
        order: text("partnerUserRef")?.strip_prefix(PLAY)?.to_owned(),
        status: "ONRAMP_TRANSACTION_STATUS_CREATED".to_owned(),
        pays,
        ware: *ware,
        delivers: ware.sell(pays)?.delivers,
        wallet: text("destinationAddress")?,
    })
}

async fn transactions(State(inner): State<Arc<Inner>>, Path(reference): Path<String>) -> Response {
    let known = reference.strip_prefix(PLAY).and_then(|order| inner.purchases.get(order));
    let told = known.map(|mut purchase| {
        if inner.ways.mischief() == Mischief::OtherPartner {
            "ffffffffffffffffffffffffffffffff".clone_into(&mut purchase.order);
        }
        underscored(&purchase_json(&purchase, Timestamp::now()))
    });
    let told: Vec<_> = told.into_iter().collect();
    json(
        object!({ "transactions": told, "next_page_key": "", "total_count": told.len().to_string() })
            .to_string(),
    )
}

async fn page(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    match inner.visit(&query.unwrap_or_default()) {
        Ok(purchase) => {
            inner.purchases.put(purchase.clone());
            let message =
                |name: &str| object!(object!({ "eventName": name, "data": {} }).to_string()).to_string();
            let names = ["load_success", "commit_success", "polling_success", "commit_error", "cancel"];
            let messages = names.map(|name| (name, message(&format!("onramp_api.{name}"))));
            checkout_page("Coinbase", &purchase.order, &messages)
        }
        Err(words) => (StatusCode::GONE, words).into_response(),
    }
}

async fn walk(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let found = param(&query, "order").and_then(|order| inner.purchases.get(&order));
    let (Some(mut purchase), Some(status)) = (found, param(&query, "status")) else {
        return refusal(StatusCode::NOT_FOUND, "there is no such order; open its checkout first");
    };
    purchase.status = status;
    inner.purchases.put(purchase.clone());
    deliver_hook(param(&query, "to"), Inner::hook(&purchase, Timestamp::now(), false)).await
}

#[async_trait]
impl StandIn for CoinbaseStandIn {
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
        let (_, query) = session.url.split_once('?').ok_or("the address has no query")?;
        let purchase = self.inner.visit(query)?;
        let agreed = Purchase::of(order, status).ok_or("the order is for something else")?;
        if (&purchase.order, purchase.pays, &purchase.wallet) != (&agreed.order, agreed.pays, &agreed.wallet)
        {
            return Err(format!("the session is for something else: {purchase:?}"));
        }
        self.inner.purchases.walk(purchase, status);
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
            ("ONRAMP_TRANSACTION_STATUS_CREATED", RampState::Started),
            ("ONRAMP_TRANSACTION_STATUS_IN_PROGRESS", RampState::Paid),
            ("ONRAMP_TRANSACTION_STATUS_SUCCESS", RampState::Delivered),
            ("ONRAMP_TRANSACTION_STATUS_FAILED", RampState::Failed),
            ("ONRAMP_ORDER_STATUS_PENDING_AUTH", RampState::Waiting),
            ("ONRAMP_ORDER_STATUS_PENDING_VERIFICATION", RampState::Waiting),
            ("ONRAMP_ORDER_STATUS_PENDING_PAYMENT", RampState::Waiting),
            ("ONRAMP_ORDER_STATUS_PROCESSING", RampState::Paid),
            ("ONRAMP_ORDER_STATUS_COMPLETED", RampState::Delivered),
            ("ONRAMP_ORDER_STATUS_FAILED", RampState::Failed),
        ]
    }
}
