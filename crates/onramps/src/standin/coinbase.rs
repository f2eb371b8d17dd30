use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
use parking_lot::Mutex;
use serde_json::{Value, json as object};

use super::price::{LISTED_TOKENS, ListedToken, Sale};
use super::purchase::{Purchase, Purchases};
use super::{
    RunningServer, StandInState, checkout_page, deliver_webhook, fake_tx_hash, json, listen, param, serve,
    with_fault_injection,
};
use crate::coinbase::{CoinbaseConfig, webhook};
use crate::conformance::{FaultInjection, SignedWebhook, StandIn};
use crate::secret::SecretText;

const KEY_ID: &str = "00000000-0000-4000-8000-000000000003";
const WEBHOOK_SECRET: &str = "a stand-in's secret";

/// Prefix of sandbox purchases.
const SANDBOX_PREFIX: &str = "sandbox-";

/// A stand-in for Coinbase: both APIs and the checkout at one origin. It verifies the token of every request.
#[derive(Debug)]
pub struct CoinbaseStandIn {
    server: RunningServer,
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    origin: String,
    state: Arc<StandInState>,
    key: ed25519_dalek::SigningKey,
    /// By token; each is valid for one visit.
    sessions: Mutex<HashMap<String, Purchase>>,
    counter: AtomicU64,
    purchases: Purchases,
}

impl CoinbaseStandIn {
    /// Starts on that port, or any when it is 0.
    pub async fn start(port: u16) -> io::Result<Self> {
        let (listener, origin) = listen(port).await?;
        let state = StandInState::new().await?;
        let inner = Arc::new(Inner {
            origin: origin.clone(),
            state: Arc::clone(&state),
            key: ed25519_dalek::SigningKey::from_bytes(&[7; 32]),
            sessions: Mutex::default(),
            counter: AtomicU64::new(0),
            purchases: Purchases::default(),
        });
        let api = Router::new()
            .route("/onramp/v1/buy/config", get(places))
            .route("/onramp/v1/buy/options", get(options))
            .route("/onramp/v1/buy/quote", post(quote))
            .route("/platform/v2/onramp/sessions", post(open_session))
            .route("/onramp/v1/buy/user/{reference}/transactions", get(transactions))
            .layer(from_fn_with_state(Arc::clone(&inner), authenticate))
            .with_state(Arc::clone(&inner));
        let pages = Router::new()
            .route("/buy", get(page))
            .route("/standin/walk", post(set_status))
            .with_state(Arc::clone(&inner));
        let server = serve(listener, origin, with_fault_injection(api, &state).merge(pages));
        Ok(Self { server, inner })
    }

    /// The configuration for this stand-in.
    pub fn config(&self) -> CoinbaseConfig {
        let origin = self.server.origin.clone();
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

    /// The same as TOML.
    pub fn settings(&self) -> String {
        let (origin, secret) = (&self.server.origin, STANDARD.encode(self.inner.key.to_keypair_bytes()));
        format!(
            "[onramps.coinbase]\napi_key_id = \"{KEY_ID}\"\napi_key_secret = \"{secret}\"\nwebhook_secret = \"{WEBHOOK_SECRET}\"\n\
             sandbox = true\napi_url = \"{origin}\"\nonramp_url = \"{origin}\"\ncheckout_origin = \"{origin}\"\n"
        )
    }

    /// Expires every issued checkout URL.
    pub fn end_sessions(&self) {
        self.inner.sessions.lock().clear();
    }
}

impl Inner {
    /// Whether the token is signed, fresh, and for this request.
    fn verify_token(&self, headers: &HeaderMap, request: &str) -> bool {
        let reported =
            headers.get("authorization").and_then(|reported| reported.to_str().ok()?.strip_prefix("Bearer "));
        let parts: Vec<_> = reported.unwrap_or_default().split('.').collect();
        let [head, claims, signature] = parts.as_slice() else { return false };
        let read = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).ok()?).ok();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap_or_default();
        let (Some(header), Some(reported), Ok(signature)) =
            (read(head), read(claims), ed25519_dalek::Signature::from_slice(&signature))
        else {
            return false;
        };
        let now = Timestamp::now().as_second();
        let fresh = reported["nbf"].as_i64().is_some_and(|from| from <= now + 5)
            && reported["exp"].as_i64().is_some_and(|until| (now..=now + 125).contains(&until));
        let signed = format!("{head}.{claims}");
        self.key.verifying_key().verify_strict(signed.as_bytes(), &signature).is_ok()
            && (&header["kid"], &reported["sub"]) == (&object!(KEY_ID), &object!(KEY_ID))
            && reported["iss"] == "cdp"
            && reported["uris"][0] == request
            && fresh
    }

    /// Opens a checkout URL, which is valid once.
    fn open_checkout(&self, query: &str) -> Result<Purchase, String> {
        let token = param(query, "sessionToken").ok_or("the URL names no session")?;
        let mut sessions = self.sessions.lock();
        sessions.remove(&token).ok_or_else(|| "the session has expired".to_owned())
    }

    fn webhook(purchase: &Purchase, at: Timestamp, forged: bool) -> SignedWebhook {
        let kind = match purchase.status.as_str() {
            status if delivered(status) => "success",
            status if status.ends_with("_FAILED") => "failed",
            _ => "updated",
        };
        let mut reported = purchase_json(purchase, at);
        reported["eventType"] = object!(format!("onramp.transaction.{kind}"));
        let body = reported.to_string().into_bytes();
        let event = format!("event-{}", purchase.id());
        let headers = [("content-type", "application/json"), ("x-event-id", event.as_str())];
        let secret = if forged { "somebody's secret" } else { WEBHOOK_SECRET };
        let signature = webhook::sign(secret.as_bytes(), at.as_second(), &headers, &body);
        let signed = (webhook::SIGNATURE_HEADER.to_owned(), signature);
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        SignedWebhook { headers: headers.into_iter().chain([signed]).collect(), body }
    }
}

fn delivered(status: &str) -> bool {
    status.ends_with("_SUCCESS") || status.ends_with("_COMPLETED")
}

/// A purchase in camel case, as in the reference.
fn purchase_json(purchase: &Purchase, at: Timestamp) -> Value {
    let Purchase { order, status, pays, token, delivers, wallet } = purchase;
    object!({
        "status": status,
        "transactionId": purchase.id(),
        "partnerUserRef": format!("{SANDBOX_PREFIX}{order}"),
        "purchaseCurrency": token.symbol,
        "purchaseNetwork": token.network,
        "purchaseAmount": { "value": delivers.to_decimal(token.decimals), "currency": token.symbol },
        "paymentTotal": { "value": pays.to_string(), "currency": pays.currency.to_string() },
        "paymentMethod": "CARD",
        "walletAddress": wallet,
        "contractAddress": token.contract.unwrap_or_default(),
        "txHash": if delivered(status) { fake_tx_hash(order) } else { "0x".to_owned() },
        "createdAt": at.to_string(),
    })
}

/// The same in snake case, as in the guides.
fn underscored(reported: &Value) -> Value {
    let name = |name: &String| {
        let mut text = String::new();
        for letter in name.chars() {
            text.extend(letter.is_ascii_uppercase().then_some('_'));
            text.push(letter.to_ascii_lowercase());
        }
        text
    };
    reported.as_object().into_iter().flatten().map(|(field, value)| (name(field), value.clone())).collect()
}

fn refusal(status: StatusCode, message: &str) -> Response {
    (status, json(object!({ "code": 3, "message": message, "details": [] }).to_string())).into_response()
}

async fn authenticate(State(inner): State<Arc<Inner>>, request: Request, next: Next) -> Response {
    let host = request.headers().get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
    let asked = format!("{} {host}{}", request.method(), request.uri().path());
    if inner.verify_token(request.headers(), &asked) {
        return next.run(request).await;
    }
    refusal(StatusCode::UNAUTHORIZED, "invalid token")
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
    let coins = LISTED_TOKENS.iter().map(|token| {
        let chain = token.chain.unwrap_or(0).to_string();
        let contract = token.contract.unwrap_or_default();
        let network = object!({ "name": token.network, "display_name": token.network, "chain_id": chain, "contract_address": contract });
        object!({ "id": token.symbol, "name": token.symbol, "symbol": token.symbol, "networks": [network] })
    });
    let limits = object!([{ "id": "CARD", "min": "5", "max": "7500" }, { "id": "ACH_BANK_ACCOUNT", "min": "10", "max": "25000.00" }]);
    let fiats = ["USD", "EUR", "GBP"].map(|id| object!({ "id": id, "limits": limits }));
    let reported = object!({ "payment_currencies": fiats, "purchase_currencies": coins.collect::<Vec<_>>() });
    json(reported.to_string())
}

async fn quote(State(inner): State<Arc<Inner>>, body: String) -> Response {
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let Some((token, sale)) = sale(&asked) else {
        return refusal(StatusCode::BAD_REQUEST, "this is not for sale");
    };
    let fault = inner.state.fault();
    let currency = match (&fault, sale.pays.currency.code()) {
        (FaultInjection::OtherCurrency, "EUR") => "USD",
        (FaultInjection::OtherCurrency, _) => "EUR",
        (_, code) => code,
    };
    let pays = match fault {
        FaultInjection::LongFloat => sale.with_float_error(),
        _ => format!("\"{}\"", sale.pays),
    };
    let fee = if fault == FaultInjection::NegativeFee { "-1.5".to_owned() } else { sale.number(sale.fee) };
    json(format!(
        r#"{{"quote_id":"q1","payment_total":{{"value":{pays},"currency":"{currency}"}},"payment_subtotal":{{"value":"{}","currency":"{currency}"}},
"purchase_amount":{{"value":"{}","currency":"{}"}},"coinbase_fee":{{"value":"{fee}","currency":"{currency}"}},
"network_fee":{{"value":"{}","currency":"{currency}"}},"onramp_url":""}}"#,
        sale.number(sale.pays.minor - sale.fee - sale.network_fee),
        sale.delivers.to_decimal(token.decimals),
        token.symbol,
        sale.number(sale.network_fee),
    ))
}

fn sale(asked: &Value) -> Option<(&'static ListedToken, Sale)> {
    let text = |name: &str| asked.get(name)?.as_str().filter(|text| !text.is_empty());
    let token = ListedToken::find(text("purchaseCurrency")?, text("purchaseNetwork")?)?;
    let currency: FiatCurrency = text("paymentCurrency")?.parse().ok()?;
    text("country").and(text("paymentMethod"))?;
    let sale = token.sell(FiatAmount::parse(currency, text("paymentAmount")?).ok()?)?;
    Some((token, sale))
}

async fn open_session(State(inner): State<Arc<Inner>>, body: String) -> Response {
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let Some(purchase) = parse_purchase(&asked) else {
        return refusal(StatusCode::BAD_REQUEST, "the session is not complete");
    };
    let number = inner.counter.fetch_add(1, Ordering::Relaxed);
    let token = format!("token-{number}");
    inner.sessions.lock().insert(token.clone(), purchase);
    let url = format!("{}/buy?sessionToken={token}", inner.origin);
    json(object!({ "session": { "onrampUrl": url } }).to_string())
}

/// The purchase of a session request.
fn parse_purchase(asked: &Value) -> Option<Purchase> {
    let text = |name: &str| asked.get(name)?.as_str().map(str::to_owned);
    let token = ListedToken::find(&text("purchaseCurrency")?, &text("destinationNetwork")?)?;
    let pays = FiatAmount::parse(text("paymentCurrency")?.parse().ok()?, &text("paymentAmount")?).ok()?;
    Some(Purchase {
        order: text("partnerUserRef")?.strip_prefix(SANDBOX_PREFIX)?.to_owned(),
        status: "ONRAMP_TRANSACTION_STATUS_CREATED".to_owned(),
        pays,
        token: *token,
        delivers: token.sell(pays)?.delivers,
        wallet: text("destinationAddress")?,
    })
}

async fn transactions(State(inner): State<Arc<Inner>>, Path(reference): Path<String>) -> Response {
    let authenticate = reference.strip_prefix(SANDBOX_PREFIX).and_then(|order| inner.purchases.get(order));
    let reported = authenticate.map(|mut purchase| {
        if inner.state.fault() == FaultInjection::OtherPartner {
            "ffffffffffffffffffffffffffffffff".clone_into(&mut purchase.order);
        }
        underscored(&purchase_json(&purchase, Timestamp::now()))
    });
    let reported: Vec<_> = reported.into_iter().collect();
    json(
        object!({ "transactions": reported, "next_page_key": "", "total_count": reported.len().to_string() })
            .to_string(),
    )
}

async fn page(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    match inner.open_checkout(&query.unwrap_or_default()) {
        Ok(purchase) => {
            inner.purchases.put(purchase.clone());
            let message =
                |name: &str| object!(object!({ "eventName": name, "data": {} }).to_string()).to_string();
            let names = ["load_success", "commit_success", "polling_success", "commit_error", "cancel"];
            let messages = names.map(|name| (name, message(&format!("onramp_api.{name}"))));
            checkout_page("Coinbase", &purchase.order, &messages)
        }
        Err(message) => (StatusCode::GONE, message).into_response(),
    }
}

async fn set_status(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let found = param(&query, "order").and_then(|order| inner.purchases.get(&order));
    let (Some(mut purchase), Some(status)) = (found, param(&query, "status")) else {
        return refusal(StatusCode::NOT_FOUND, "there is no such order; open its checkout first");
    };
    purchase.status = status;
    inner.purchases.put(purchase.clone());
    deliver_webhook(param(&query, "to"), Inner::webhook(&purchase, Timestamp::now(), false)).await
}

#[async_trait]
impl StandIn for CoinbaseStandIn {
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
        let (_, query) = session.url.split_once('?').ok_or("the URL has no query")?;
        let purchase = self.inner.open_checkout(query)?;
        let agreed = Purchase::for_order(order, status).ok_or("the order is for something else")?;
        if (&purchase.order, purchase.pays, &purchase.wallet) != (&agreed.order, agreed.pays, &agreed.wallet)
        {
            return Err(format!("the session is for something else: {purchase:?}"));
        }
        self.inner.purchases.set_status(purchase, status);
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
