use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
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
use crate::conformance::{FaultInjection, SignedWebhook, StandIn};
use crate::secret::SecretText;
use crate::transak::{TransakConfig, TransakEnvironment, jwt};

/// Validity of a checkout URL.
const SESSION_FOR: Duration = Duration::from_mins(5);

const API_KEY: &str = "00000000-0000-4000-8000-000000000001";
const API_SECRET: &str = "a stand-in's secret";

/// A stand-in for Transak: API, gateway and checkout at one origin.
#[derive(Debug)]
pub struct TransakStandIn {
    server: RunningServer,
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    origin: String,
    state: Arc<StandInState>,
    /// The newest last; only that one is valid.
    tokens: Mutex<Vec<String>>,
    sessions: Mutex<HashMap<String, (Value, Instant)>>,
    counter: AtomicU64,
    purchases: Purchases,
}

impl TransakStandIn {
    /// Starts on that port, or any when it is 0.
    pub async fn start(port: u16) -> io::Result<Self> {
        let (listener, origin) = listen(port).await?;
        let state = StandInState::new().await?;
        let inner = Arc::new(Inner {
            origin: origin.clone(),
            state: Arc::clone(&state),
            tokens: Mutex::default(),
            sessions: Mutex::default(),
            counter: AtomicU64::new(0),
            purchases: Purchases::default(),
        });
        let api = Router::new()
            .route("/cryptocoverage/api/v1/public/crypto-currencies", get(coins))
            .route("/api/v2/lookup/currencies/fiat-currencies", get(fiats))
            .route("/api/v2/countries", get(countries))
            .route("/api/v1/pricing/public/quotes", get(quote))
            .route("/partners/api/v2/refresh-token", post(refresh_token))
            .route("/api/v2/auth/session", post(open_session))
            .route("/partners/api/v2/orders", get(orders))
            .with_state(Arc::clone(&inner));
        let pages = Router::new()
            .route("/", get(page))
            .route("/standin/walk", post(set_status))
            .with_state(Arc::clone(&inner));
        let server = serve(listener, origin, with_fault_injection(api, &state).merge(pages));
        Ok(Self { server, inner })
    }

    /// The configuration for this stand-in.
    pub fn config(&self) -> TransakConfig {
        let origin = Some(self.server.origin.clone());
        TransakConfig {
            api_key: API_KEY.to_owned(),
            api_secret: SecretText::new(API_SECRET),
            referrer_domain: "localhost".to_owned(),
            environment: TransakEnvironment::Staging,
            api_url: origin.clone(),
            gateway_url: origin.clone(),
            widget_url: origin,
        }
    }

    /// The same as TOML.
    pub fn settings(&self) -> String {
        let origin = &self.server.origin;
        format!(
            "[onramps.transak]\napi_key = \"{API_KEY}\"\napi_secret = \"{API_SECRET}\"\nreferrer_domain = \"localhost\"\n\
             api_url = \"{origin}\"\ngateway_url = \"{origin}\"\nwidget_url = \"{origin}\"\n"
        )
    }

    /// Simulates another client that fetches a token, which invalidates the current one.
    pub fn rotate(&self) -> String {
        self.inner.new_token()
    }

    /// How many tokens were fetched.
    pub fn tokens(&self) -> usize {
        self.inner.tokens.lock().len()
    }

    /// Expires every issued checkout URL.
    pub fn end_sessions(&self) {
        self.inner.sessions.lock().clear();
    }
}

impl Inner {
    fn new_token(&self) -> String {
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let token = format!("stand-in-token-{number}");
        self.tokens.lock().push(token.clone());
        token
    }

    fn token(&self) -> Option<String> {
        self.tokens.lock().last().cloned()
    }

    fn is_partner(&self, headers: &HeaderMap) -> bool {
        let reported = headers.get("access-token").and_then(|value| value.to_str().ok());
        reported.is_some() && reported == self.token().as_deref()
    }

    /// Opens a checkout URL, which is valid once within five minutes.
    fn open_checkout(&self, query: &str) -> Result<Purchase, String> {
        let id = param(query, "sessionId").ok_or("the URL names no session")?;
        let mut sessions = self.sessions.lock();
        let (params, counter) = sessions.remove(&id).ok_or("the session has expired")?;
        drop(sessions);
        if counter.elapsed() > SESSION_FOR {
            return Err("the session has expired".to_owned());
        }
        parse_purchase(&params).ok_or_else(|| format!("the session is for nothing that is sold: {params}"))
    }

    fn webhook(&self, purchase: &Purchase, at: Timestamp, forged: bool) -> SignedWebhook {
        let kind = match purchase.status.as_str() {
            "AWAITING_PAYMENT_FROM_USER" => "ORDER_CREATED",
            "PAYMENT_DONE_MARKED_BY_USER" => "ORDER_PAYMENT_VERIFYING",
            "COMPLETED" => "ORDER_COMPLETED",
            "FAILED" | "CANCELLED" | "EXPIRED" => "ORDER_FAILED",
            "REFUNDED" => "ORDER_REFUNDED",
            _ => "ORDER_PROCESSING",
        };
        let claims = format!(
            r#"{{"webhookData":{},"eventID":"{kind}","createdAt":"{at}","iat":{}}}"#,
            order_json(purchase),
            at.as_second()
        );
        let token = self.token().filter(|_| !forged).unwrap_or_else(|| "somebody's token".to_owned());
        let data = jwt::sign(claims.as_bytes(), &SecretText::new(token));
        let body = object!({ "data": data }).to_string().into_bytes();
        SignedWebhook { headers: vec![("content-type".to_owned(), "application/json".to_owned())], body }
    }
}

/// The purchase of a session request.
fn parse_purchase(params: &Value) -> Option<Purchase> {
    let text = |name: &str| params.get(name)?.as_str().map(str::to_owned);
    let token = ListedToken::find(&text("cryptoCurrencyCode")?, &text("network")?)?;
    let currency: FiatCurrency = text("fiatCurrency")?.parse().ok()?;
    let pays = FiatAmount::parse(currency, &text("fiatAmount")?).ok()?;
    (text("apiKey")? == API_KEY && params.get("disableWalletAddressForm")?.as_bool()?).then_some(())?;
    Some(Purchase {
        order: text("partnerOrderId")?,
        status: "AWAITING_PAYMENT_FROM_USER".to_owned(),
        pays,
        token: *token,
        delivers: token.sell(pays)?.delivers,
        wallet: text("walletAddress")?,
    })
}

fn order_json(purchase: &Purchase) -> String {
    let Purchase { order, status, pays, token, delivers, wallet } = purchase;
    let tx = match status.as_str() {
        "COMPLETED" => format!("\"{}\"", fake_tx_hash(order)),
        _ => "null".to_owned(),
    };
    format!(
        r#"{{"id":"{}","partnerOrderId":"{order}","status":"{status}","isBuyOrSell":"BUY","fiatCurrency":"{}","fiatAmount":{pays},
"cryptoCurrency":"{}","cryptoAmount":{},"network":"{}","walletAddress":"{wallet}","transactionHash":{tx},"statusReason":null}}"#,
        purchase.id(),
        pays.currency,
        token.symbol,
        delivers.to_decimal(token.decimals),
        token.network,
    )
}

fn refusal(status: StatusCode, message: &str) -> Response {
    let body = object!({ "error": { "statusCode": status.as_u16(), "name": "Error", "message": message } });
    (status, json(body.to_string())).into_response()
}

async fn coins() -> Response {
    let coins = LISTED_TOKENS.iter().map(|token| {
        object!({
            "coinId": token.symbol.to_lowercase(), "symbol": token.symbol, "name": token.symbol,
            "address": token.contract, "decimals": token.decimals, "isAllowed": true, "isPopular": true,
            "network": { "name": token.network, "chainId": token.chain.map(|chain| chain.to_string()) },
            "uniqueId": format!("{}{}", token.symbol, token.network),
        })
    });
    json(object!({ "response": coins.collect::<Vec<_>>() }).to_string())
}

async fn fiats() -> Response {
    let option = |id: &str, name: &str, least: u32, most: u32| object!({ "id": id, "name": name, "isActive": true, "minAmount": least, "maxAmount": most, "limitCurrency": "USD" });
    let fiat = |code: &str, bank: (&str, &str)| {
        let options =
            [option("credit_debit_card", "Card Payment", 5, 3_000), option(bank.0, bank.1, 20, 25_000)];
        object!({ "symbol": code, "name": code, "isAllowed": true, "supportingCountries": ["US"], "paymentOptions": options })
    };
    let fiats = [
        fiat("USD", ("pm_us_wire_bank_transfer", "Wire Transfer")),
        fiat("EUR", ("sepa_bank_transfer", "SEPA Bank Transfer")),
        fiat("GBP", ("gbp_bank_transfer", "Bank Transfer")),
    ];
    json(object!({ "response": fiats }).to_string())
}

async fn countries() -> Response {
    let country = |code: &str, allowed: bool| object!({ "alpha2": code, "name": code, "isAllowed": allowed });
    let all = [("DE", true), ("FR", true), ("GB", true), ("US", true), ("KP", false)];
    let countries: Vec<_> = all.into_iter().map(|(code, allowed)| country(code, allowed)).collect();
    json(object!({ "response": countries }).to_string())
}

async fn quote(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let Some((token, sale)) = sale(&query) else {
        return refusal(StatusCode::BAD_REQUEST, "This is not for sale");
    };
    let fault = inner.state.fault();
    let currency = match (&fault, sale.pays.currency.code()) {
        (FaultInjection::OtherCurrency, "EUR") => "USD",
        (FaultInjection::OtherCurrency, _) => "EUR",
        (_, code) => code,
    };
    let pays =
        if fault == FaultInjection::LongFloat { sale.with_float_error() } else { sale.pays.to_string() };
    let fee = if fault == FaultInjection::NegativeFee { "-1.5".to_owned() } else { sale.number(sale.fee) };
    json(format!(
        r#"{{"response":{{"quoteId":"q1","conversionPrice":1,"fiatCurrency":"{currency}","cryptoCurrency":"{}",
"paymentMethod":"credit_debit_card","fiatAmount":{pays},"cryptoAmount":{},"isBuyOrSell":"BUY","network":"{}","totalFee":{},
"feeBreakdown":[{{"name":"Transak fee","value":{fee},"id":"transak_fee"}},{{"name":"Network fee","value":{},"id":"network_fee"}}]}}}}"#,
        token.symbol,
        sale.delivers.to_decimal(token.decimals),
        token.network,
        sale.number(sale.fee + sale.network_fee),
        sale.number(sale.network_fee),
    ))
}

fn sale(query: &str) -> Option<(&'static ListedToken, Sale)> {
    let token = ListedToken::find(&param(query, "cryptoCurrency")?, &param(query, "network")?)?;
    let currency: FiatCurrency = param(query, "fiatCurrency")?.parse().ok()?;
    let sale = match (param(query, "fiatAmount"), param(query, "cryptoAmount")) {
        (Some(pays), None) => token.sell(FiatAmount::parse(currency, &pays).ok()?)?,
        (None, Some(wanted)) => token.sell_exactly(
            currency,
            causeway_domain::RawAmount::from_decimal(&wanted, token.decimals).ok()?,
        )?,
        _ => return None,
    };
    (param(query, "isBuyOrSell")? == "BUY").then_some((token, sale))
}

async fn refresh_token(State(inner): State<Arc<Inner>>, headers: HeaderMap, body: String) -> Response {
    let reported = headers.get("api-secret").and_then(|value| value.to_str().ok());
    if reported != Some(API_SECRET) || !body.contains(API_KEY) {
        return refusal(StatusCode::UNAUTHORIZED, "Invalid keys");
    }
    let expires = Timestamp::now().as_second() + 7 * 24 * 3_600;
    json(object!({ "data": { "accessToken": inner.new_token(), "expiresAt": expires } }).to_string())
}

async fn open_session(State(inner): State<Arc<Inner>>, headers: HeaderMap, body: String) -> Response {
    if !inner.is_partner(&headers) {
        return refusal(StatusCode::UNAUTHORIZED, "Invalid access token");
    }
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let params = asked.get("widgetParams").cloned().unwrap_or_default();
    if parse_purchase(&params).is_none() {
        return refusal(StatusCode::BAD_REQUEST, "widgetParams are not complete");
    }
    let id = format!("session-{}", inner.counter.fetch_add(1, Ordering::Relaxed));
    let mut sessions = inner.sessions.lock();
    sessions.insert(id.clone(), (params, Instant::now()));
    drop(sessions);
    let url = format!("{}?apiKey={API_KEY}&sessionId={id}", inner.origin);
    json(object!({ "data": { "widgetUrl": url } }).to_string())
}

async fn orders(State(inner): State<Arc<Inner>>, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    if !inner.is_partner(&headers) {
        return refusal(StatusCode::UNAUTHORIZED, "Invalid access token");
    }
    let name = param(&query.unwrap_or_default(), "filter[partnerOrderId]").unwrap_or_default();
    let found = inner.purchases.get(&name).map(|mut purchase| {
        if inner.state.fault() == FaultInjection::OtherPartner {
            "ffffffffffffffffffffffffffffffff".clone_into(&mut purchase.order);
        }
        order_json(&purchase)
    });
    json(format!(r#"{{"meta":{{"limit":20,"skip":0}},"data":[{}]}}"#, found.unwrap_or_default()))
}

async fn page(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    match inner.open_checkout(&query.unwrap_or_default()) {
        Ok(purchase) => {
            let data = object!({ "id": purchase.id(), "partnerOrderId": purchase.order });
            let message = |name: &str| object!({ "event_id": name, "data": data }).to_string();
            let names = [
                "TRANSAK_WIDGET_INITIALISED",
                "TRANSAK_ORDER_CREATED",
                "TRANSAK_ORDER_SUCCESSFUL",
                "TRANSAK_WIDGET_CLOSE",
            ];
            let messages = names.map(|name| (name, message(name)));
            inner.purchases.put(purchase.clone());
            checkout_page("Transak", &purchase.order, &messages)
        }
        Err(message) => (StatusCode::GONE, message).into_response(),
    }
}

async fn set_status(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let found = param(&query, "order").and_then(|order| inner.purchases.get(&order));
    let (Some(mut purchase), Some(status)) = (found, param(&query, "status")) else {
        return refusal(StatusCode::NOT_FOUND, "There is no such order; open its checkout first");
    };
    purchase.status = status;
    inner.purchases.put(purchase.clone());
    deliver_webhook(param(&query, "to"), inner.webhook(&purchase, Timestamp::now(), false)).await
}

#[async_trait]
impl StandIn for TransakStandIn {
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
            |purchase| self.inner.webhook(&purchase, at, forged),
        )
    }

    fn statuses(&self) -> Vec<(&'static str, RampState)> {
        vec![
            ("AWAITING_PAYMENT_FROM_USER", RampState::Started),
            ("PAYMENT_DONE_MARKED_BY_USER", RampState::Started),
            ("PROCESSING", RampState::Started),
            ("PENDING_DELIVERY_FROM_TRANSAK", RampState::Paid),
            ("ON_HOLD_PENDING_DELIVERY_FROM_TRANSAK", RampState::Paid),
            ("COMPLETED", RampState::Delivered),
            ("CANCELLED", RampState::Canceled),
            ("FAILED", RampState::Failed),
            ("REFUNDED", RampState::Failed),
            ("EXPIRED", RampState::Expired),
        ]
    }
}
