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

use super::price::{Sale, WARES, Ware};
use super::purchase::{Purchase, Purchases};
use super::{
    Served, Ways, checkout_page, deliver_hook, json, listen, made_up_tx, param, serve, with_mischief,
};
use crate::conformance::{Hook, Mischief, StandIn};
use crate::moonpay::{MoonPayConfig, SIGNATURE_HEADER, sign::signature};
use crate::secret::SecretText;
use crate::signature::{Secret, sign};

const PUBLISHABLE_KEY: &str = "pk_test_standin";
const SECRET_KEY: &str = "sk_test_standin";
const WEBHOOK_KEY: &str = "wk_test_standin";

/// What may be paid, in the currency's whole units.
const LEAST: u32 = 20;
const MOST: u32 = 12_000;

/// A server in MoonPay's place: interface and checkout at one origin.
#[derive(Debug)]
pub struct MoonPayStandIn {
    served: Served,
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    ways: Arc<Ways>,
    purchases: Purchases,
}

impl MoonPayStandIn {
    /// Starts on that port, or any when it is 0.
    pub async fn start(port: u16) -> io::Result<Self> {
        let (listener, origin) = listen(port).await?;
        let ways = Ways::new().await?;
        let inner = Arc::new(Inner { ways: Arc::clone(&ways), purchases: Purchases::default() });
        let api = Router::new()
            .route("/v3/currencies", get(currencies))
            .route("/v3/countries", get(countries))
            .route("/v3/currencies/{code}/limits", get(limits))
            .route("/v3/currencies/{code}/buy_quote", get(quote))
            .route("/v1/transactions/ext/{order}", get(transactions))
            .with_state(Arc::clone(&inner));
        let pages = Router::new()
            .route("/", get(page))
            .route("/standin/walk", post(walk))
            .with_state(Arc::clone(&inner));
        let served = serve(listener, origin, with_mischief(api, &ways).merge(pages));
        Ok(Self { served, inner })
    }

    /// What an operator would enter to speak to it.
    pub fn config(&self) -> MoonPayConfig {
        MoonPayConfig {
            publishable_key: PUBLISHABLE_KEY.to_owned(),
            secret_key: SecretText::new(SECRET_KEY),
            webhook_key: Some(SecretText::new(WEBHOOK_KEY)),
            api_url: Some(self.served.origin.clone()),
            widget_url: Some(self.served.origin.clone()),
        }
    }

    /// The same as a piece of a configuration file.
    pub fn settings(&self) -> String {
        let origin = &self.served.origin;
        format!(
            "[onramps.moonpay]\npublishable_key = \"{PUBLISHABLE_KEY}\"\nsecret_key = \"{SECRET_KEY}\"\n\
             webhook_key = \"{WEBHOOK_KEY}\"\napi_url = \"{origin}\"\nwidget_url = \"{origin}\"\n"
        )
    }
}

/// MoonPay puts the network into the code of everything but a chain's best known coins.
fn code(ware: &Ware) -> String {
    match (ware.symbol, ware.network) {
        ("ETH" | "USDC", "ethereum") | ("SOL", _) => ware.symbol.to_ascii_lowercase(),
        (symbol, "solana") => format!("{}_sol", symbol.to_ascii_lowercase()),
        (symbol, network) => format!("{}_{network}", symbol.to_ascii_lowercase()),
    }
}

fn coded(text: &str) -> Option<&'static Ware> {
    WARES.iter().find(|ware| code(ware) == text)
}

fn refusal(status: StatusCode, words: &str) -> Response {
    let body = object!({ "message": words, "type": "BadRequestError", "moonPayErrorCode": "standin" });
    (status, json(body.to_string())).into_response()
}

fn is_partner(query: &str) -> bool {
    param(query, "apiKey").as_deref() == Some(PUBLISHABLE_KEY)
}

async fn currencies() -> Response {
    let coins = WARES.iter().map(|ware| {
        object!({
            "id": code(ware), "type": "crypto", "name": ware.symbol, "code": code(ware), "precision": 4,
            "decimals": ware.decimals, "minBuyAmount": 0.01, "maxBuyAmount": null, "isSuspended": false,
            "supportsTestMode": true, "isSupportedInUs": true, "notAllowedUSStates": [], "notAllowedCountries": [],
            "metadata": {
                "contractAddress": ware.contract, "coinType": "60",
                "chainId": ware.chain.map(|chain| chain.to_string()), "networkCode": ware.network,
            },
        })
    });
    let fiats = ["usd", "eur", "gbp"].map(|code| {
        object!({
            "id": code, "type": "fiat", "name": code, "code": code, "precision": 2, "minBuyAmount": LEAST,
            "maxBuyAmount": MOST, "isSuspended": false,
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
    if coded(&code).is_none() || !["usd", "eur", "gbp"].contains(&currency.as_str()) {
        return refusal(StatusCode::BAD_REQUEST, "This is not for sale");
    }
    let base = object!({ "code": currency, "minBuyAmount": LEAST, "maxBuyAmount": MOST });
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
    let Some((ware, sale)) = sale(&code, &query) else {
        return refusal(StatusCode::BAD_REQUEST, "This is not for sale");
    };
    let mischief = inner.ways.mischief();
    let currency = match (&mischief, sale.pays.currency.code()) {
        (Mischief::OtherCurrency, "EUR") => "usd".to_owned(),
        (Mischief::OtherCurrency, _) => "eur".to_owned(),
        (_, code) => code.to_ascii_lowercase(),
    };
    let total = if mischief == Mischief::LongFloat { sale.spoilt() } else { sale.pays.to_string() };
    let fee = if mischief == Mischief::NegativeFee { "-1.5".to_owned() } else { sale.number(sale.fee) };
    json(format!(
        r#"{{"baseCurrencyAmount":{},"quoteCurrencyAmount":{},"feeAmount":{fee},"extraFeeAmount":0,"networkFeeAmount":{},
"totalAmount":{total},"baseCurrencyCode":"{currency}","baseCurrency":{{"code":"{currency}"}},"currency":{{"code":"{code}"}},
"paymentMethod":"credit_debit_card"}}"#,
        sale.number(sale.pays.minor - sale.fee - sale.network_fee),
        sale.delivers.to_decimal(ware.decimals),
        sale.number(sale.network_fee),
    ))
}

fn sale(code: &str, query: &str) -> Option<(&'static Ware, Sale)> {
    let ware = coded(code)?;
    let currency: FiatCurrency = param(query, "baseCurrencyCode")?.to_ascii_uppercase().parse().ok()?;
    (param(query, "areFeesIncluded")? == "true").then_some(())?;
    let sale = match (param(query, "baseCurrencyAmount"), param(query, "quoteCurrencyAmount")) {
        (Some(pays), None) => ware.sell(FiatAmount::parse(currency, &pays).ok()?)?,
        (None, Some(wanted)) => {
            ware.sell_exactly(currency, RawAmount::from_decimal(&wanted, ware.decimals).ok()?)?
        }
        _ => return None,
    };
    Some((ware, sale))
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
    if inner.ways.mischief() == Mischief::OtherPartner {
        "ffffffffffffffffffffffffffffffff".clone_into(&mut purchase.order);
    }
    json(format!("[{}]", transaction_json(&purchase, Timestamp::now())))
}

fn transaction_json(purchase: &Purchase, at: Timestamp) -> String {
    let Purchase { order, status, pays, ware, delivers, wallet } = purchase;
    let (fee, network) = ware.sell(*pays).map_or((0, 0), |sale| (sale.fee, sale.network_fee));
    let number = |minor: u64| FiatAmount::new(pays.currency, minor).to_string();
    let tx = match status.as_str() {
        "completed" => format!("\"{}\"", made_up_tx(order)),
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
        delivers.to_decimal(ware.decimals),
        pays.currency.code().to_ascii_lowercase(),
        code(ware),
    )
}

/// A visit to a checkout's address: it counts if it is signed, as it is written.
fn visit(query: &str) -> Result<Purchase, String> {
    let (signed, _) = query.rsplit_once("&signature=").ok_or("the address is not signed")?;
    let expected = signature(&format!("?{signed}"), &SecretText::new(SECRET_KEY));
    if expected.is_none() || param(query, "signature") != expected {
        return Err("the signature of the address is wrong".to_owned());
    }
    begun(signed).ok_or_else(|| "the address is for nothing that is sold".to_owned())
}

fn begun(query: &str) -> Option<Purchase> {
    let ware = coded(&param(query, "currencyCode")?)?;
    let currency: FiatCurrency = param(query, "baseCurrencyCode")?.to_ascii_uppercase().parse().ok()?;
    let pays = FiatAmount::parse(currency, &param(query, "baseCurrencyAmount")?).ok()?;
    (is_partner(query) && param(query, "lockAmount")? == "true").then_some(())?;
    Some(Purchase {
        order: param(query, "externalTransactionId")?,
        status: "waitingPayment".to_owned(),
        pays,
        ware: *ware,
        delivers: ware.sell(pays)?.delivers,
        wallet: param(query, "walletAddress")?,
    })
}

fn hook_of(purchase: &Purchase, at: Timestamp, forged: bool) -> Hook {
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
    Hook { headers, body: body.into_bytes() }
}

async fn page(State(inner): State<Arc<Inner>>, RawQuery(query): RawQuery) -> Response {
    match visit(&query.unwrap_or_default()) {
        Ok(purchase) => {
            if inner.purchases.get(&purchase.order).is_none() {
                inner.purchases.put(purchase.clone());
            }
            let payload = object!({ "id": purchase.id(), "externalTransactionId": purchase.order, "status": "pending" });
            let message = |name: &str| object!({ "type": name, "payload": payload }).to_string();
            let names = ["onReady", "onTransactionCreated", "onTransactionCompleted", "onClose"];
            checkout_page("MoonPay", &purchase.order, &names.map(|name| (name, message(name))))
        }
        Err(words) => (StatusCode::BAD_REQUEST, words).into_response(),
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
    deliver_hook(param(&query, "to"), hook_of(&purchase, Timestamp::now(), false)).await
}

#[async_trait]
impl StandIn for MoonPayStandIn {
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
        let purchase = visit(query)?;
        let agreed = Purchase::of(order, status).ok_or("the order is for something else")?;
        if (&purchase.order, purchase.pays, &purchase.wallet) != (&agreed.order, agreed.pays, &agreed.wallet)
        {
            return Err(format!("the address is for something else: {purchase:?}"));
        }
        self.inner.purchases.walk(purchase, status);
        Ok(())
    }

    fn hook(&self, order: &FiatOrder, status: &str, at: Timestamp, forged: bool) -> Hook {
        let purchase = Purchase::of(order, status);
        purchase.map_or_else(
            || Hook { headers: Vec::new(), body: Vec::new() },
            |purchase| hook_of(&purchase, at, forged),
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
