use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use causeway_domain::fiat::{FiatAmount, FiatCurrency, WantedAmount};
use causeway_domain::ports::RampRefusal;
use causeway_domain::{Address, FiatOrderId, RawAmount, Token, TokenId};

use super::journal::JournalError;
use super::price::{PriceList, Priced};
use super::provider::{Provider, SandboxRamps, now_ms};
use super::session::Agreement;
use super::switches::Switches;
use super::wire::{
    FeeJson, OpenedAnswer, PurchaseJson, PurchaseRequest, QuoteAnswer, QuoteRequest, RefusalJson,
};

/// How much better than today's price a purchase may be that was quoted before, in percent.
const DRIFT: u64 = 3;

/// The providers' interface for their partner, and their switches.
pub(super) fn routes() -> Router<SandboxRamps> {
    Router::new()
        .route("/{provider}/api/quotes", post(quote))
        .route("/{provider}/api/purchases", post(open))
        .route("/{provider}/api/purchases/{order}", get(look_up))
        .route("/sandbox/onramps/{provider}/switches", get(switches).post(switch))
}

/// An answer that is a refusal.
struct No(StatusCode, RefusalJson);

impl No {
    fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        Self(status, RefusalJson::new(code, message))
    }

    fn form(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "form", message)
    }
}

impl IntoResponse for No {
    fn into_response(self) -> Response {
        (self.0, Json(self.1)).into_response()
    }
}

impl From<RampRefusal> for No {
    fn from(refusal: RampRefusal) -> Self {
        let (code, range) = match &refusal {
            RampRefusal::Asset => ("asset", None),
            RampRefusal::Currency(_) => ("currency", None),
            RampRefusal::Range { least, most } => ("range", Some((least.to_string(), most.to_string()))),
            RampRefusal::Method => ("method", None),
            RampRefusal::Country | RampRefusal::Other(_) => ("price", None),
        };
        let (least, most) = range.unzip();
        Self(
            StatusCode::UNPROCESSABLE_ENTITY,
            RefusalJson { code: code.to_owned(), message: refusal.to_string(), least, most },
        )
    }
}

impl From<JournalError> for No {
    fn from(error: JournalError) -> Self {
        tracing::error!(%error, "the play provider cannot write");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "down", "the provider cannot write now")
    }
}

async fn quote(
    State(ramps): State<SandboxRamps>,
    Path(provider): Path<String>,
    headers: HeaderMap,
    Json(request): Json<QuoteRequest>,
) -> Result<Json<QuoteAnswer>, No> {
    let provider = enter(&ramps, &provider, &headers).await?;
    let currency = currency(&request.currency)?;
    let token = asset(provider, &request.asset)?;
    if request.method.as_ref().is_some_and(|method| *method != provider.plan.method().id) {
        return Err(RampRefusal::Method.into());
    }
    let wanted = match (&request.pay, &request.receive) {
        (Some(pay), None) => WantedAmount::Pay(fiat(currency, pay)?),
        (None, Some(receive)) => WantedAmount::Receive(raw(receive)?),
        _ => return Err(No::form("one of pay and receive is needed, and not both")),
    };
    let priced = price(provider, currency, token, wanted)?;
    let (least, most) = provider.plan.limits(currency);
    let stands = i64::try_from(provider.plan.offer_stands().as_millis()).unwrap_or_default();
    Ok(Json(QuoteAnswer {
        currency: currency.to_string(),
        pays: priced.pays.to_string(),
        fees: fees(&priced)
            .into_iter()
            .map(|(kind, amount)| FeeJson { kind: kind.to_owned(), amount })
            .collect(),
        delivers: priced.delivers.to_string(),
        least: least.to_string(),
        most: most.to_string(),
        expires_at: now_ms() + stands,
    }))
}

async fn open(
    State(ramps): State<SandboxRamps>,
    Path(provider): Path<String>,
    headers: HeaderMap,
    Json(request): Json<PurchaseRequest>,
) -> Result<Json<OpenedAnswer>, No> {
    let provider = enter(&ramps, &provider, &headers).await?;
    let order: FiatOrderId = request.order.parse().map_err(|_| No::form("order is not an id"))?;
    let existing = provider.book().of_order(order.as_str()).map(|session| session.agreed.clone());
    let agreed = match existing {
        Some(agreed) if !is_for(&agreed, &request) => {
            let words = "the order was opened with other terms before";
            return Err(No::new(StatusCode::CONFLICT, "conflict", words));
        }
        Some(agreed) => agreed,
        None => agreement(provider, &request)?,
    };
    let session = provider.book().open(agreed)?.agreed.session.clone();
    provider.wake.notify_one();
    let url = format!("{}/{}/checkout/{session}", provider.settings.origin, provider.plan.id());
    Ok(Json(OpenedAnswer { session, url }))
}

fn is_for(agreed: &Agreement, request: &PurchaseRequest) -> bool {
    agreed.currency == request.currency
        && agreed.pays == request.pays
        && agreed.asset == request.asset
        && agreed.amount == request.amount
        && agreed.wallet == request.wallet
}

/// Checks a purchase against what the provider sells, and lays it down.
fn agreement(provider: &Provider, request: &PurchaseRequest) -> Result<Agreement, No> {
    let currency = currency(&request.currency)?;
    let token = asset(provider, &request.asset)?;
    let pays = fiat(currency, &request.pays)?;
    let amount = raw(&request.amount)?;
    let wallet = Address::parse(token.id.chain().family(), &request.wallet)
        .map_err(|error| No::form(error.to_string()))?;
    if wallet.is_native() {
        return Err(No::form("nothing is delivered to the zero address"));
    }
    let now = now_ms();
    if request.pay_by <= now {
        return Err(No::form("payBy has passed"));
    }
    let priced = price(provider, currency, token, WantedAmount::Pay(pays))?;
    let most = priced
        .delivers
        .mul_div_floor(alloy_primitives::U256::from(100 + DRIFT), alloy_primitives::U256::from(100));
    if amount.is_zero() || most.is_none_or(|most| amount > most) {
        return Err(RampRefusal::Other("the price has moved: ask for a new quote".to_owned()).into());
    }
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|_| No::new(StatusCode::INTERNAL_SERVER_ERROR, "down", "no randomness"))?;
    Ok(Agreement {
        session: alloy_primitives::hex::encode(bytes),
        order: request.order.clone(),
        currency: currency.to_string(),
        pays: pays.to_string(),
        fees: fees(&priced).into_iter().map(|(kind, amount)| (kind.to_owned(), amount)).collect(),
        asset: token.id.to_string(),
        amount: amount.to_string(),
        wallet: wallet.to_string(),
        opened_at: now,
        expires_at: request.pay_by,
    })
}

async fn look_up(
    State(ramps): State<SandboxRamps>,
    Path((provider, order)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Json<PurchaseJson>, No> {
    let provider = enter(&ramps, &provider, &headers).await?;
    let known = provider.book().of_order(&order).map(PurchaseJson::from);
    known
        .map(Json)
        .ok_or_else(|| No::new(StatusCode::NOT_FOUND, "unknown", "nobody has opened this order here"))
}

async fn switches(
    State(ramps): State<SandboxRamps>,
    Path(provider): Path<String>,
) -> Result<Json<Switches>, No> {
    Ok(Json(find(&ramps, &provider)?.switches()))
}

async fn switch(
    State(ramps): State<SandboxRamps>,
    Path(provider): Path<String>,
    Json(switches): Json<Switches>,
) -> Result<Json<Switches>, No> {
    let provider = find(&ramps, &provider)?;
    switches.check().map_err(No::form)?;
    provider.book().switch(switches.clone())?;
    provider.wake.notify_one();
    provider.tell.notify_one();
    Ok(Json(switches))
}

/// The provider, after as long as it takes, if it is up and the caller shows its key.
async fn enter<'a>(ramps: &'a SandboxRamps, id: &str, headers: &HeaderMap) -> Result<&'a Provider, No> {
    let provider = find(ramps, id)?;
    let switches = provider.switches();
    tokio::time::sleep(Duration::from_millis(switches.slow_ms)).await;
    if switches.down {
        return Err(No::new(StatusCode::SERVICE_UNAVAILABLE, "down", "the provider is down"));
    }
    let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let shown = shown.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if is_same(shown.as_bytes(), provider.secrets.api_key.as_bytes()) {
        Ok(provider)
    } else {
        Err(No::new(StatusCode::UNAUTHORIZED, "key", "the key is missing or wrong"))
    }
}

fn find<'a>(ramps: &'a SandboxRamps, id: &str) -> Result<&'a Provider, No> {
    let unknown = || No::new(StatusCode::NOT_FOUND, "unknown", "there is no such provider");
    ramps.provider(id).map(AsRef::as_ref).ok_or_else(unknown)
}

/// Compares in a time that tells nothing of where they differ.
fn is_same(one: &[u8], two: &[u8]) -> bool {
    one.len() == two.len() && one.iter().zip(two).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

fn currency(code: &str) -> Result<FiatCurrency, No> {
    code.parse().map_err(|error| No::form(format!("{error}")))
}

fn fiat(currency: FiatCurrency, text: &str) -> Result<FiatAmount, No> {
    FiatAmount::parse(currency, text).map_err(|error| No::form(error.to_string()))
}

fn raw(text: &str) -> Result<RawAmount, No> {
    text.parse().map_err(|error: causeway_domain::AmountError| No::form(error.to_string()))
}

fn asset<'a>(provider: &'a Provider, id: &str) -> Result<&'a Token, No> {
    let id: TokenId = id.parse().map_err(|_| No::form("asset is not a token's identifier"))?;
    provider.settings.asset(&id).ok_or_else(|| RampRefusal::Asset.into())
}

fn price(
    provider: &Provider,
    currency: FiatCurrency,
    token: &Token,
    wanted: WantedAmount,
) -> Result<Priced, No> {
    let price = provider.settings.prices.usd_price(&token.id);
    let price = price
        .ok_or_else(|| No::new(StatusCode::SERVICE_UNAVAILABLE, "down", "the token has no price now"))?;
    Ok(PriceList::new(provider.plan, currency, token, price)?.offer(wanted)?)
}

fn fees(priced: &Priced) -> Vec<(&'static str, String)> {
    priced.fees().iter().map(|fee| (fee.kind.as_str(), fee.amount.to_string())).collect()
}
