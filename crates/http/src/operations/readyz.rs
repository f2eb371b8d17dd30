use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;

use crate::App;

/// Whether this process could ever serve a swap or a purchase. After that only the store and the catalog decide: while prices are
/// stale or fillers are away, orders are still followed and shown.
#[derive(Debug, Default)]
pub struct Readiness(AtomicBool);

/// One thing that the service needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    /// What is there, or what to do.
    detail: String,
}

impl Check {
    fn new(name: &'static str, problem: Option<&str>, fine: impl Into<String>) -> Self {
        Self { name, ok: problem.is_none(), detail: problem.map_or_else(|| fine.into(), str::to_owned) }
    }
}

/// Reports whether the service can handle requests: the store answers, the catalog is loaded, and at least one pair can be
/// quoted and settled, or bought. With `?verbose` it says so of each part, as JSON.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "operations",
    responses(
        (status = 200, description = "Ready", body = String, example = "ready"),
        (status = 503, description = "Not ready, with the reason", body = String, example = "the store does not answer"),
    ),
)]
pub(crate) async fn readyz(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Response {
    let problem = not_ready(&app).await;
    let status = if problem.is_none() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let is_verbose = query.is_some_and(|query| query.split('&').any(|name| name.starts_with("verbose")));
    if is_verbose {
        return (status, Json(checks(&app).await)).into_response();
    }
    (status, problem.unwrap_or_else(|| "ready".to_owned())).into_response()
}

/// Why the service is not ready, if it is not.
pub(super) async fn not_ready(app: &App) -> Option<String> {
    let (needed, serving) = (needed(app).await, serving(app));
    if let Some(check) = needed.into_iter().find(|check| !check.ok) {
        return Some(check.detail);
    }
    if app.readiness.0.load(Ordering::Relaxed) || !app.fiat.ramps.is_empty() {
        return None;
    }
    let missing = serving.into_iter().find(|check| !check.ok);
    app.readiness.0.store(missing.is_none(), Ordering::Relaxed);
    missing.map(|check| check.detail)
}

async fn checks(app: &App) -> Vec<Check> {
    let mut all = needed(app).await;
    all.extend(serving(app));
    all.push(on_ramps(app));
    all
}

/// What every request needs.
async fn needed(app: &App) -> Vec<Check> {
    let tokens = app.catalog.snapshot().token_count();
    let unloaded = (tokens == 0).then_some("the catalog is not loaded");
    let no_store = app.store.check().await.is_err().then_some("the store does not answer");
    vec![
        Check::new("catalog", unloaded, format!("{tokens} tokens")),
        Check::new("store", no_store, app.options.store_engine),
    ]
}

/// What a swap needs.
fn serving(app: &App) -> Vec<Check> {
    let deployments = app.deployments.len();
    let fillers = app.request_quote.fillers().reports().len();
    let snapshot = app.catalog.snapshot();
    let top = snapshot.top(&[]);
    let priced = top.iter().filter(|listed| app.prices.usd_price(&listed.token.id).is_some()).count();
    let top = top.len();
    // A provider settles through contracts of its own, and prices its routes itself.
    let is_settled = app.build_deposit.has_providers();
    let no_contracts = (deployments == 0 && !is_settled)
        .then_some("no contracts are recorded: see `causeway deploy` and docs/running.md");
    let no_fillers = (fillers == 0)
        .then_some("there are no fillers: configure a market maker, or add one with `causeway filler add`");
    let no_prices =
        (priced == 0 && !is_settled).then_some("no token has a price: configure sources of prices");
    vec![
        Check::new("contracts", no_contracts, format!("{deployments} chains")),
        Check::new("fillers", no_fillers, format!("{fillers} fillers")),
        Check::new("prices", no_prices, format!("{priced} of {top} well-known tokens")),
    ]
}

/// Purchases are optional.
fn on_ramps(app: &App) -> Check {
    let count = app.fiat.ramps.iter().count();
    Check {
        name: "onramps",
        ok: true,
        detail: if count == 0 { "none".to_owned() } else { format!("{count}") },
    }
}
