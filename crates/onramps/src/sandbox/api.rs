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
use super::session::PurchaseTerms;
use super::switches::Switches;
use super::wire::{
    FeeJson, OpenedAnswer, PurchaseJson, PurchaseRequest, QuoteAnswer, QuoteRequest, RefusalJson,
};

/// Maximum percentage by which a quoted amount may exceed the current price.
const MAX_DRIFT_PERCENT: u64 = 3;

/// The providers' partner API, and their switches.
pub(super) fn routes() -> Router<SandboxRamps> {
    Router::new()
        .route("/{provider}/api/quotes", post(quote))
        .route("/{provider}/api/purchases", post(open))
        .route("/{provider}/api/purchases/{order}", get(look_up))
        .route("/sandbox/onramps/{provider}/switches", get(switches).post(switch))
}

/// An error response.
struct ApiError(StatusCode, RefusalJson);

impl ApiError {
    fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        Self(status, RefusalJson::new(code, message))
    }

    fn form(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "form", message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.0, Json(self.1)).into_response()
    }
}

impl From<RampRefusal> for ApiError {
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

impl From<JournalError> for ApiError {
    fn from(error: JournalError) -> Self {
        tracing::error!(%error, "sandbox provider cannot write its journal");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "down", "the provider cannot store the purchase now")
    }
}

async fn quote(
    State(ramps): State<SandboxRamps>,
    Path(provider): Path<String>,
    headers: HeaderMap,
    Json(request): Json<QuoteRequest>,
) -> Result<Json<QuoteAnswer>, ApiError> {
    let provider = authenticate(&ramps, &provider, &headers).await?;
    let currency = currency(&request.currency)?;
    let token = asset(provider, &request.asset)?;
    if request.method.as_ref().is_some_and(|method| *method != provider.plan.method().id) {
        return Err(RampRefusal::Method.into());
    }
    let wanted = match (&request.pay, &request.receive) {
        (Some(pay), None) => WantedAmount::Pay(fiat(currency, pay)?),
        (None, Some(receive)) => WantedAmount::Receive(raw(receive)?),
        _ => return Err(ApiError::form("exactly one of pay and receive is required")),
    };
    let priced = price(provider, currency, token, wanted)?;
    let (least, most) = provider.plan.limits(currency);
    let validity_ms = i64::try_from(provider.plan.offer_validity().as_millis()).unwrap_or_default();
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
        expires_at: now_ms() + validity_ms,
    }))
}

async fn open(
    State(ramps): State<SandboxRamps>,
    Path(provider): Path<String>,
    headers: HeaderMap,
    Json(request): Json<PurchaseRequest>,
) -> Result<Json<OpenedAnswer>, ApiError> {
    let provider = authenticate(&ramps, &provider, &headers).await?;
    let order: FiatOrderId = request.order.parse().map_err(|_| ApiError::form("order is not an id"))?;
    let existing = provider.purchases.lock().by_order(order.as_str()).map(|session| session.terms.clone());
    let terms = match existing {
        Some(terms) if !has_same_terms(&terms, &request) => {
            let message = "the order was opened with other terms";
            return Err(ApiError::new(StatusCode::CONFLICT, "conflict", message));
        }
        Some(terms) => terms,
        None => check_terms(provider, &request)?,
    };
    let session = provider.purchases.lock().open(terms)?.terms.session.clone();
    provider.delivery_wake.notify_one();
    let url = format!("{}/{}/checkout/{session}", provider.settings.origin, provider.plan.id());
    Ok(Json(OpenedAnswer { session, url }))
}

fn has_same_terms(terms: &PurchaseTerms, request: &PurchaseRequest) -> bool {
    terms.currency == request.currency
        && terms.pays == request.pays
        && terms.asset == request.asset
        && terms.amount == request.amount
        && terms.wallet == request.wallet
}

/// Checks a purchase request and fixes its terms.
fn check_terms(provider: &Provider, request: &PurchaseRequest) -> Result<PurchaseTerms, ApiError> {
    let currency = currency(&request.currency)?;
    let token = asset(provider, &request.asset)?;
    let pays = fiat(currency, &request.pays)?;
    if let Some(lowered) = provider.switches().most_pays {
        let (least, _) = provider.plan.limits(currency);
        let most = fiat(currency, &lowered)?;
        if pays.minor > most.minor {
            return Err(RampRefusal::Range { least, most }.into());
        }
    }
    let amount = raw(&request.amount)?;
    let wallet = Address::parse(token.id.chain().family(), &request.wallet)
        .map_err(|error| ApiError::form(error.to_string()))?;
    if wallet.is_native() {
        return Err(ApiError::form("the wallet is the zero address"));
    }
    let now = now_ms();
    if request.pay_by <= now {
        return Err(ApiError::form("payBy has passed"));
    }
    let priced = price(provider, currency, token, WantedAmount::Pay(pays))?;
    let most = priced.delivers.mul_div_floor(
        alloy_primitives::U256::from(100 + MAX_DRIFT_PERCENT),
        alloy_primitives::U256::from(100),
    );
    if amount.is_zero() || most.is_none_or(|most| amount > most) {
        return Err(RampRefusal::Other("the price has moved: ask for a new quote".to_owned()).into());
    }
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|_| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "down", "no randomness"))?;
    Ok(PurchaseTerms {
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
) -> Result<Json<PurchaseJson>, ApiError> {
    let provider = authenticate(&ramps, &provider, &headers).await?;
    let known = provider.purchases.lock().by_order(&order).map(PurchaseJson::from);
    known.map(Json).ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, "unknown", "the order is unknown"))
}

async fn switches(
    State(ramps): State<SandboxRamps>,
    Path(provider): Path<String>,
) -> Result<Json<Switches>, ApiError> {
    Ok(Json(find(&ramps, &provider)?.switches()))
}

async fn switch(
    State(ramps): State<SandboxRamps>,
    Path(provider): Path<String>,
    Json(switches): Json<Switches>,
) -> Result<Json<Switches>, ApiError> {
    let provider = find(&ramps, &provider)?;
    switches.check().map_err(ApiError::form)?;
    provider.purchases.lock().switch(switches.clone())?;
    provider.delivery_wake.notify_one();
    provider.webhook_wake.notify_one();
    Ok(Json(switches))
}

/// Authenticates a request, after the configured delay and if the provider is not down.
async fn authenticate<'a>(
    ramps: &'a SandboxRamps,
    id: &str,
    headers: &HeaderMap,
) -> Result<&'a Provider, ApiError> {
    let provider = find(ramps, id)?;
    let switches = provider.switches();
    tokio::time::sleep(Duration::from_millis(switches.slow_ms)).await;
    if switches.down {
        return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "down", "the provider is down"));
    }
    let key = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let key = key.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if constant_time_eq(key.as_bytes(), provider.secrets.api_key.as_bytes()) {
        Ok(provider)
    } else {
        Err(ApiError::new(StatusCode::UNAUTHORIZED, "key", "the key is missing or wrong"))
    }
}

fn find<'a>(ramps: &'a SandboxRamps, id: &str) -> Result<&'a Provider, ApiError> {
    let unknown = || ApiError::new(StatusCode::NOT_FOUND, "unknown", "there is no such provider");
    ramps.provider(id).map(AsRef::as_ref).ok_or_else(unknown)
}

/// Compares in constant time.
fn constant_time_eq(one: &[u8], two: &[u8]) -> bool {
    one.len() == two.len() && one.iter().zip(two).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

fn currency(code: &str) -> Result<FiatCurrency, ApiError> {
    code.parse().map_err(|error| ApiError::form(format!("{error}")))
}

fn fiat(currency: FiatCurrency, text: &str) -> Result<FiatAmount, ApiError> {
    FiatAmount::parse(currency, text).map_err(|error| ApiError::form(error.to_string()))
}

fn raw(text: &str) -> Result<RawAmount, ApiError> {
    text.parse().map_err(|error: causeway_domain::AmountError| ApiError::form(error.to_string()))
}

fn asset<'a>(provider: &'a Provider, id: &str) -> Result<&'a Token, ApiError> {
    let id: TokenId = id.parse().map_err(|_| ApiError::form("asset is not a token id"))?;
    provider.settings.asset(&id).ok_or_else(|| RampRefusal::Asset.into())
}

fn price(
    provider: &Provider,
    currency: FiatCurrency,
    token: &Token,
    wanted: WantedAmount,
) -> Result<Priced, ApiError> {
    let price = provider.settings.prices.usd_price(&token.id);
    let price = price.ok_or_else(|| {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "down", "the token has no price now")
    })?;
    Ok(PriceList::new(provider.plan, currency, token, price)?.offer(wanted)?)
}

fn fees(priced: &Priced) -> Vec<(&'static str, String)> {
    priced.fees().iter().map(|fee| (fee.kind.as_str(), fee.amount.to_string())).collect()
}
