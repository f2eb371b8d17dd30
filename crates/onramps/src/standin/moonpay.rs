use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use causeway_domain::RawAmount;
use causeway_domain::fiat::{FiatAmount, FiatCurrency, FiatOrder};
use causeway_domain::ports::{RampSession, RampState};
use jiff::Timestamp;
use serde_json::json as object;

use super::price::{LISTED_TOKENS, ListedToken, Sale};
use super::purchase::{Purchase, Purchases};
use super::{
    RunningServer, StandInState, checkout_page, deliver_webhook, fake_tx_hash, json, listen, param, serve,
    with_fault_injection,
};
use crate::conformance::{FaultInjection, SignedWebhook, StandIn};
use crate::moonpay::{MoonPayConfig, SIGNATURE_HEADER, sign::signature};
use crate::secret::SecretText;
use crate::signature::{Secret, sign};

const PUBLISHABLE_KEY: &str = "pk_test_standin";
const SECRET_KEY: &str = "sk_test_standin";
const WEBHOOK_KEY: &str = "wk_test_standin";

/// Limits in whole currency units.
const MIN_PAYMENT: u32 = 20;
const MAX_PAYMENT: u32 = 12_000;

/// A stand-in for MoonPay: API and checkout at one origin.
#[derive(Debug)]
pub struct MoonPayStandIn {
    server: RunningServer,
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: Arc<StandInState>,
    purchases: Purchases,
}

impl MoonPayStandIn {
    /// Starts on that port, or any when it is 0.
    pub async fn start(port: u16) -> io::Result<Self> {
        let (listener, origin) = listen(port).await?;
        let state = StandInState::new().await?;
        let inner = Arc::new(Inner { state: Arc::clone(&state), purchases: Purchases::default() });
        let api = Router::new()
            .route("/v3/currencies", get(currencies))
            .route("/v3/countries", get(countries))
            .route("/v3/currencies/{code}/limits", get(limits))
            .route("/v3/currencies/{code}/buy_quote", get(quote))
            .route("/v1/transactions/ext/{order}", get(transactions))
            .with_state(Arc::clone(&inner));
        let pages = Router::new()
            .route("/", get(page))
            .route("/standin/walk", post(set_status))
            .with_state(Arc::clone(&inner));
        let server = serve(listener, origin, with_fault_injection(api, &state).merge(pages));
        Ok(Self { server, inner })
    }

    /// The configuration for this stand-in.
    pub fn config(&self) -> MoonPayConfig {
        MoonPayConfig {
            publishable_key: PUBLISHABLE_KEY.to_owned(),
            secret_key: SecretText::new(SECRET_KEY),
            webhook_key: Some(SecretText::new(WEBHOOK_KEY)),
            api_url: Some(self.server.origin.clone()),
            widget_url: Some(self.server.origin.clone()),
        }
    }

    /// The same as TOML.
    pub fn settings(&self) -> String {
        let origin = &self.server.origin;
        format!(
            "[onramps.moonpay]\npublishable_key = \"{PUBLISHABLE_KEY}\"\nsecret_key = \"{SECRET_KEY}\"\n\
             webhook_key = \"{WEBHOOK_KEY}\"\napi_url = \"{origin}\"\nwidget_url = \"{origin}\"\n"
        )
    }
}

/// MoonPay's code of a token: with a network suffix except for the best-known coins.
fn code(token: &ListedToken) -> String {
    match (token.symbol, token.network) {
        ("ETH" | "USDC", "ethereum") | ("SOL", _) => token.symbol.to_ascii_lowercase(),
        (symbol, "solana") => format!("{}_sol", symbol.to_ascii_lowercase()),
        (symbol, network) => format!("{}_{network}", symbol.to_ascii_lowercase()),
    }
}

fn find_by_code(text: &str) -> Option<&'static ListedToken> {
    LISTED_TOKENS.iter().find(|token| code(token) == text)
}

fn refusal(status: StatusCode, message: &str) -> Response {
    let body = object!({ "message": message, "type": "BadRequestError", "moonPayErrorCode": "standin" });
    (status, json(body.to_string())).into_response()
}

fn is_partner(query: &str) -> bool {
    param(query, "apiKey").as_deref() == Some(PUBLISHABLE_KEY)
}

async fn currencies() -> Response {
    let coins = LISTED_TOKENS.iter().map(|token| {
        object!({
            "id": code(token), "type": "crypto", "name": token.symbol, "code": code(token), "precision": 4,
            "decimals": token.decimals, "minBuyAmount": 0.01, "maxBuyAmount": null, "isSuspended": false,
            "supportsTestMode": true, "isSupportedInUs": true, "notAllowedUSStates": [], "notAllowedCountries": [],
            "metadata": {
                "contractAddress": token.contract, "coinType": "60",
                "chainId": token.chain.map(|chain| chain.to_string()), "networkCode": token.network,
            },
        })
    });
    let fiats = ["usd", "eur", "gbp"].map(|code| {
        object!({
            "id": code, "type": "fiat", "name": code, "code": code, "precision": 2, "minBuyAmount": MIN_PAYMENT,
            "maxBuyAmount": MAX_PAYMENT, "isSuspended": false,
        })
    });
    json(object!(coins.chain(fiats).collect::<Vec<_>>()).to_string())
}

async fn countries() -> Response {
    let country =
        |code: &str| object!({ "alpha2": code, "isAllowed": true, "isBuyAllowed": true, "states": [] });
    let mut all = ["DE", "FR", "GB"].map(country).to_vec();
    let states = [("CA", true), ("NY", false), ("TX", true)]
        .map(|(code, allowed)| object!({ "code": code, "isAllowed": allowed, "isBuyAllowed": allowed }));
    all.push(object!({ "alpha2": "US", "isAllowed": true, "isBuyAllowed": true, "states": states }));
    all.push(object!({ "alpha2": "KP", "isAllowed": false, "isBuyAllowed": false, "states": [] }));
    json(object!(all).to_string())
}

async fn limits(Path(code): Path<String>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let currency = param(&query, "baseCurrencyCode").unwrap_or_default();
    if find_by_code(&code).is_none() || !["usd", "eur", "gbp"].contains(&currency.as_str()) {
        return refusal(StatusCode::BAD_REQUEST, "This is not for sale");
    }
    let base = object!({ "code": currency, "minBuyAmount": MIN_PAYMENT, "maxBuyAmount": MAX_PAYMENT });
    json(
        object!({ "areFeesIncluded": true, "baseCurrency": base, "quoteCurrency": { "code": code } })
            .to_string(),
    )
}

async fn quote(
    State(inner): State<Arc<Inner>>,
    Path(code): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    if !is_partner(&query) {
        return refusal(StatusCode::UNAUTHORIZED, "Unknown key");
    }
    let Some((token, sale)) = sale(&code, &query) else {
        return refusal(StatusCode::BAD_REQUEST, "This is not for sale");
    };
    let fault = inner.state.fault();
    let currency = match (&fault, sale.pays.currency.code()) {
        (FaultInjection::OtherCurrency, "EUR") => "usd".to_owned(),
        (FaultInjection::OtherCurrency, _) => "eur".to_owned(),
        (_, code) => code.to_ascii_lowercase(),
    };
    let total =
        if fault == FaultInjection::LongFloat { sale.with_float_error() } else { sale.pays.to_string() };
    let fee = if fault == FaultInjection::NegativeFee { "-1.5".to_owned() } else { sale.number(sale.fee) };
    json(format!(
        r#"{{"baseCurrencyAmount":{},"quoteCurrencyAmount":{},"feeAmount":{fee},"extraFeeAmount":0,"networkFeeAmount":{},
"totalAmount":{total},"baseCurrencyCode":"{currency}","baseCurrency":{{"code":"{currency}"}},"currency":{{"code":"{code}"}},
"paymentMethod":"credit_debit_card"}}"#,
        sale.number(sale.pays.minor - sale.fee - sale.network_fee),
        sale.delivers.to_decimal(token.decimals),
        sale.number(sale.network_fee),
    ))
}

fn sale(code: &str, query: &str) -> Option<(&'static ListedToken, Sale)> {
    let token = find_by_code(code)?;
    let currency: FiatCurrency = param(query, "baseCurrencyCode")?.to_ascii_uppercase().parse().ok()?;
    (param(query, "areFeesIncluded")? == "true").then_some(())?;
    let sale = match (param(query, "baseCurrencyAmount"), param(query, "quoteCurrencyAmount")) {
        (Some(pays), None) => token.sell(FiatAmount::parse(currency, &pays).ok()?)?,
        (None, Some(wanted)) => {
            token.sell_exactly(currency, RawAmount::from_decimal(&wanted, token.decimals).ok()?)?
        }
        _ => return None,
    };
    Some((token, sale))
}

async fn transactions(
    State(inner): State<Arc<Inner>>,
    Path(order): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    if !is_partner(&query.unwrap_or_default()) {
        return refusal(StatusCode::UNAUTHORIZED, "Unknown key");
    }
    let Some(mut purchase) = inner.purchases.get(&order) else {
        return refusal(StatusCode::NOT_FOUND, "Not found");
    };
    if inner.state.fault() == FaultInjection::OtherPartner {
        "ffffffffffffffffffffffffffffffff".clone_into(&mut purchase.order);
    }
    json(format!("[{}]", transaction_json(&purchase, Timestamp::now())))
}

fn transaction_json(purchase: &Purchase, at: Timestamp) -> String {
    let Purchase { order, status, pays, token, delivers, wallet } = purchase;
    let (fee, network) = token.sell(*pays).map_or((0, 0), |sale| (sale.fee, sale.network_fee));
    let number = |minor: u64| FiatAmount::new(pays.currency, minor).to_string();
    let tx = match status.as_str() {
        "completed" => format!("\"{}\"", fake_tx_hash(order)),
        _ => "null".to_owned(),
    };
    let failure = if status == "failed" { "\"payment_authorization_declined\"" } else { "null" };
    format!(
        r#"{{"id":"{}","externalTransactionId":"{order}","status":"{status}","baseCurrencyAmount":{},"feeAmount":{},
"extraFeeAmount":0,"networkFeeAmount":{},"quoteCurrencyAmount":{},"areFeesIncluded":true,"baseCurrency":{{"code":"{}"}},
"currency":{{"code":"{}"}},"walletAddress":"{wallet}","cryptoTransactionId":{tx},"failureReason":{failure},"updatedAt":"{at}"}}"#,
        purchase.id(),
        number(pays.minor.saturating_sub(fee + network)),
        number(fee),
        number(network),
        delivers.to_decimal(token.decimals),
        pays.currency.code().to_ascii_lowercase(),
        code(token),
    )
}

/// Opens a checkout URL, which must be signed.
fn open_checkout(query: &str) -> Result<Purchase, String> {
    let (signed, _) = query.rsplit_once("&signature=").ok_or("the URL is not signed")?;
    let expected = signature(&format!("?{signed}"), &SecretText::new(SECRET_KEY));
    if expected.is_none() || param(query, "signature") != expected {
        return Err("the signature of the URL is invalid".to_owned());
    }
    parse_purchase(signed).ok_or_else(|| "the URL is for nothing that is sold".to_owned())
}

fn parse_purchase(query: &str) -> Option<Purchase> {
    let token = find_by_code(&param(query, "currencyCode")?)?;
    let currency: FiatCurrency = param(query, "baseCurrencyCode")?.to_ascii_uppercase().parse().ok()?;
    let pays = FiatAmount::parse(currency, &param(query, "baseCurrencyAmount")?).ok()?;
    (is_partner(query) && param(query, "lockAmount")? == "true").then_some(())?;
    Some(Purchase {
        order: param(query, "externalTransactionId")?,
        status: "waitingPayment".to_owned(),
        pays,
        token: *token,
        delivers: token.sell(pays)?.delivers,
        wallet: param(query, "walletAddress")?,
    })
}

fn webhook_for(purchase: &Purchase, at: Timestamp, forged: bool) -> SignedWebhook {
    let kind = match purchase.status.as_str() {
        "waitingPayment" => "transaction_created",
        "failed" => "transaction_failed",
        _ => "transaction_updated",
    };
    let body =
        format!(r#"{{"type":"{kind}","data":{},"externalCustomerId":null}}"#, transaction_json(purchase, at));
    let key = if forged { "somebody's key" } else { WEBHOOK_KEY };
    let header = sign(&Secret::new(key.as_bytes().to_vec()), at.as_second(), body.as_bytes());
    let headers = [("content-type", "application/json"), (SIGNATURE_HEADER, &header)];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    SignedWebhook { headers, body: body.into_bytes() }
}

async fn page(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    match open_checkout(&query.unwrap_or_default()) {
        Ok(purchase) => {
            if inner.purchases.get(&purchase.order).is_none() {
                inner.purchases.put(purchase.clone());
            }
            let payload = object!({ "id": purchase.id(), "externalTransactionId": purchase.order, "status": "pending" });
            let message = |name: &str| object!({ "type": name, "payload": payload }).to_string();
            let names = ["onReady", "onTransactionCreated", "onTransactionCompleted", "onClose"];
            checkout_page("MoonPay", &purchase.order, &names.map(|name| (name, message(name))))
        }
        Err(message) => (StatusCode::BAD_REQUEST, message).into_response(),
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
    deliver_webhook(param(&query, "to"), webhook_for(&purchase, Timestamp::now(), false)).await
}

#[async_trait]
impl StandIn for MoonPayStandIn {
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
        let purchase = open_checkout(query)?;
        let agreed = Purchase::for_order(order, status).ok_or("the order is for something else")?;
        if (&purchase.order, purchase.pays, &purchase.wallet) != (&agreed.order, agreed.pays, &agreed.wallet)
        {
            return Err(format!("the URL is for something else: {purchase:?}"));
        }
        self.inner.purchases.set_status(purchase, status);
        Ok(())
    }

    fn webhook(&self, order: &FiatOrder, status: &str, at: Timestamp, forged: bool) -> SignedWebhook {
        let purchase = Purchase::for_order(order, status);
        purchase.map_or_else(
            || SignedWebhook { headers: Vec::new(), body: Vec::new() },
            |purchase| webhook_for(&purchase, at, forged),
        )
    }

    fn statuses(&self) -> Vec<(&'static str, RampState)> {
        vec![
            ("waitingPayment", RampState::Started),
            ("waitingAuthorization", RampState::Started),
            ("pending", RampState::Paid),
            ("completed", RampState::Delivered),
            ("failed", RampState::Failed),
        ]
    }
}
