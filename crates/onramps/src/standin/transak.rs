use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
use serde_json::{Value, json as object};

use super::price::{Sale, WARES, Ware};
use super::purchase::{Purchase, Purchases};
use super::{
    Served, Ways, checkout_page, deliver_hook, json, listen, made_up_tx, param, serve, with_mischief,
};
use crate::conformance::{Hook, Mischief, StandIn};
use crate::secret::SecretText;
use crate::transak::{TransakConfig, TransakWorld, jwt};

/// How long a checkout's address is good for.
const SESSION_FOR: Duration = Duration::from_mins(5);

const API_KEY: &str = "00000000-0000-4000-8000-000000000001";
const API_SECRET: &str = "a stand-in's secret";

/// A server in Transak's place: interface, gateway and checkout at one origin.
#[derive(Debug)]
pub struct TransakStandIn {
    served: Served,
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    origin: String,
    ways: Arc<Ways>,
    /// The newest last; only that one counts.
    tokens: Mutex<Vec<String>>,
    sessions: Mutex<HashMap<String, (Value, Instant)>>,
    made: AtomicU64,
    purchases: Purchases,
}

impl TransakStandIn {
    /// Starts on that port, or any when it is 0.
    pub async fn start(port: u16) -> io::Result<Self> {
        let (listener, origin) = listen(port).await?;
        let ways = Ways::new().await?;
        let inner = Arc::new(Inner {
            origin: origin.clone(),
            ways: Arc::clone(&ways),
            tokens: Mutex::default(),
            sessions: Mutex::default(),
            made: AtomicU64::new(0),
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
            .route("/standin/walk", post(walk))
            .with_state(Arc::clone(&inner));
        let served = serve(listener, origin, with_mischief(api, &ways).merge(pages));
        Ok(Self { served, inner })
    }

    /// What an operator would enter to speak to it.
    pub fn config(&self) -> TransakConfig {
        let origin = Some(self.served.origin.clone());
        TransakConfig {
            api_key: API_KEY.to_owned(),
            api_secret: SecretText::new(API_SECRET),
            referrer_domain: "localhost".to_owned(),
            world: TransakWorld::Staging,
            api_url: origin.clone(),
            gateway_url: origin.clone(),
            widget_url: origin,
        }
    }

    /// The same as a piece of a configuration file.
    pub fn settings(&self) -> String {
        let origin = &self.served.origin;
        format!(
            "[onramps.transak]\napi_key = \"{API_KEY}\"\napi_secret = \"{API_SECRET}\"\nreferrer_domain = \"localhost\"\n\
             api_url = \"{origin}\"\ngateway_url = \"{origin}\"\nwidget_url = \"{origin}\"\n"
        )
    }

    /// Somebody else fetches a token with the same keys: the one in use is over.
    pub fn rotate(&self) -> String {
        self.inner.new_token()
    }

    /// So many tokens were fetched.
    pub fn tokens(&self) -> usize {
        self.inner.tokens.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Every checkout's address that was handed out is over.
    pub fn end_sessions(&self) {
        self.inner.sessions.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Inner {
    fn new_token(&self) -> String {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let token = format!("stand-in-token-{number}");
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).push(token.clone());
        token
    }

    fn token(&self) -> Option<String> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    fn is_partner(&self, headers: &HeaderMap) -> bool {
        let told = headers.get("access-token").and_then(|value| value.to_str().ok());
        told.is_some() && told == self.token().as_deref()
    }

    /// A visit to a checkout's address: the first within five minutes counts.
    fn visit(&self, query: &str) -> Result<Purchase, String> {
        let id = param(query, "sessionId").ok_or("the address names no session")?;
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let (params, made) = sessions.remove(&id).ok_or("the session is over")?;
        drop(sessions);
        if made.elapsed() > SESSION_FOR {
            return Err("the session is over".to_owned());
        }
        begun(&params).ok_or_else(|| format!("the session is for nothing that is sold: {params}"))
    }

    fn hook(&self, purchase: &Purchase, at: Timestamp, forged: bool) -> Hook {
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
        let data = jwt::seal(claims.as_bytes(), &SecretText::new(token));
        let body = object!({ "data": data }).to_string().into_bytes();
        Hook { headers: vec![("content-type".to_owned(), "application/json".to_owned())], body }
    }
}

/// What a session is to buy.
fn begun(params: &Value) -> Option<Purchase> {
    let text = |name: &str| params.get(name)?.as_str().map(str::to_owned);
    let ware = Ware::named(&text("cryptoCurrencyCode")?, &text("network")?)?;
    let currency: FiatCurrency = text("fiatCurrency")?.parse().ok()?;
    let pays = FiatAmount::parse(currency, &text("fiatAmount")?).ok()?;
    (text("apiKey")? == API_KEY && params.get("disableWalletAddressForm")?.as_bool()?).then_some(())?;
    Some(Purchase {
        order: text("partnerOrderId")?,
        status: "AWAITING_PAYMENT_FROM_USER".to_owned(),
        pays,
        ware: *ware,
        delivers: ware.sell(pays)?.delivers,
        wallet: text("walletAddress")?,
    })
}

fn order_json(purchase: &Purchase) -> String {
    let Purchase { order, status, pays, ware, delivers, wallet } = purchase;
    let tx = match status.as_str() {
        "COMPLETED" => format!("\"{}\"", made_up_tx(order)),
        _ => "null".to_owned(),
    };
    format!(
        r#"{{"id":"{}","partnerOrderId":"{order}","status":"{status}","isBuyOrSell":"BUY","fiatCurrency":"{}","fiatAmount":{pays},
"cryptoCurrency":"{}","cryptoAmount":{},"network":"{}","walletAddress":"{wallet}","transactionHash":{tx},"statusReason":null}}"#,
        purchase.id(),
        pays.currency,
        ware.symbol,
        delivers.to_decimal(ware.decimals),
        ware.network,
    )
}

fn refusal(status: StatusCode, words: &str) -> Response {
    let body = object!({ "error": { "statusCode": status.as_u16(), "name": "Error", "message": words } });
    (status, json(body.to_string())).into_response()
}

async fn coins() -> Response {
    let coins = WARES.iter().map(|ware| {
        object!({
            "coinId": ware.symbol.to_lowercase(), "symbol": ware.symbol, "name": ware.symbol,
            "address": ware.contract, "decimals": ware.decimals, "isAllowed": true, "isPopular": true,
            "network": { "name": ware.network, "chainId": ware.chain.map(|chain| chain.to_string()) },
            "uniqueId": format!("{}{}", ware.symbol, ware.network),
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
    let Some((ware, sale)) = sale(&query) else {
        return refusal(StatusCode::BAD_REQUEST, "This is not for sale");
    };
    let mischief = inner.ways.mischief();
    let currency = match (&mischief, sale.pays.currency.code()) {
        (Mischief::OtherCurrency, "EUR") => "USD",
        (Mischief::OtherCurrency, _) => "EUR",
        (_, code) => code,
    };
    let pays = if mischief == Mischief::LongFloat { sale.spoilt() } else { sale.pays.to_string() };
    let fee = if mischief == Mischief::NegativeFee { "-1.5".to_owned() } else { sale.number(sale.fee) };
    json(format!(
        r#"{{"response":{{"quoteId":"q1","conversionPrice":1,"fiatCurrency":"{currency}","cryptoCurrency":"{}",
"paymentMethod":"credit_debit_card","fiatAmount":{pays},"cryptoAmount":{},"isBuyOrSell":"BUY","network":"{}","totalFee":{},
"feeBreakdown":[{{"name":"Transak fee","value":{fee},"id":"transak_fee"}},{{"name":"Network fee","value":{},"id":"network_fee"}}]}}}}"#,
        ware.symbol,
        sale.delivers.to_decimal(ware.decimals),
        ware.network,
        sale.number(sale.fee + sale.network_fee),
        sale.number(sale.network_fee),
    ))
}

fn sale(query: &str) -> Option<(&'static Ware, Sale)> {
    let ware = Ware::named(&param(query, "cryptoCurrency")?, &param(query, "network")?)?;
    let currency: FiatCurrency = param(query, "fiatCurrency")?.parse().ok()?;
    let sale = match (param(query, "fiatAmount"), param(query, "cryptoAmount")) {
        (Some(pays), None) => ware.sell(FiatAmount::parse(currency, &pays).ok()?)?,
        (None, Some(wanted)) => ware
            .sell_exactly(currency, causeway_domain::RawAmount::from_decimal(&wanted, ware.decimals).ok()?)?,
        _ => return None,
    };
    (param(query, "isBuyOrSell")? == "BUY").then_some((ware, sale))
}

async fn refresh_token(State(inner): State<Arc<Inner>>, headers: HeaderMap, body: String) -> Response {
    let told = headers.get("api-secret").and_then(|value| value.to_str().ok());
    if told != Some(API_SECRET) || !body.contains(API_KEY) {
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
    if begun(&params).is_none() {
        return refusal(StatusCode::BAD_REQUEST, "widgetParams are not complete");
    }
    let id = format!("session-{}", inner.made.fetch_add(1, Ordering::Relaxed));
    let mut sessions = inner.sessions.lock().unwrap_or_else(PoisonError::into_inner);
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
        if inner.ways.mischief() == Mischief::OtherPartner {
            "ffffffffffffffffffffffffffffffff".clone_into(&mut purchase.order);
        }
        order_json(&purchase)
    });
    json(format!(r#"{{"meta":{{"limit":20,"skip":0}},"data":[{}]}}"#, found.unwrap_or_default()))
}

async fn page(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    match inner.visit(&query.unwrap_or_default()) {
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
        Err(words) => (StatusCode::GONE, words).into_response(),
    }
}

async fn walk(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let found = param(&query, "order").and_then(|order| inner.purchases.get(&order));
    let (Some(mut purchase), Some(status)) = (found, param(&query, "status")) else {
        return refusal(StatusCode::NOT_FOUND, "There is no such order; open its checkout first");
    };
    purchase.status = status;
    inner.purchases.put(purchase.clone());
    deliver_hook(param(&query, "to"), inner.hook(&purchase, Timestamp::now(), false)).await
}

#[async_trait]
impl StandIn for TransakStandIn {
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
            |purchase| self.inner.hook(&purchase, at, forged),
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
