//! What the explorer page reads: everybody's orders, and figures of those that ended lately.

mod figures;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use causeway_domain::OrderStatus;
use causeway_domain::ports::OrderQuery;
use causeway_wire::{Order, Page};
use jiff::Timestamp;
use serde_json::Value;

use crate::App;
use crate::error::ApiResult;
use crate::extract::QueryParams;
use crate::orders::map_orders;
use crate::page::{self, cursor_key, fetch_limit, next_cursor};

/// The figures of at most this many orders are computed, the newest ones.
pub(crate) const MOST_ORDERS: u32 = 5_000;
pub(crate) const DEFAULT_HOURS: u64 = 24;
const MAX_HOURS: u64 = 720;

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/explorer/orders", get(get_orders)).route("/explorer/figures", get(get_figures))
}

/// One page of all visible orders, newest first: by `status`, `fromChainId`, `toChainId`.
async fn get_orders(State(app): State<Arc<App>>, mut params: QueryParams) -> ApiResult<Json<Page<Order>>> {
    let query = read_query(&mut params);
    params.finish()?;
    let (query, limit) = query;
    let mut orders = app.orders.orders(&query).await?;
    let cursor = next_cursor(&mut orders, limit);
    Ok(Json(Page { data: map_orders(&app, &orders).await?, cursor }))
}

/// The query of a page of everybody's orders, and the page's size.
pub(crate) fn read_query(params: &mut QueryParams) -> (OrderQuery, usize) {
    let status = params.raw("status").filter(|text| !text.is_empty());
    let status = status.and_then(|text| params.issues.check("status", text.parse::<OrderStatus>()));
    let (from_chain, to_chain) = (params.chain_id("fromChainId"), params.chain_id("toChainId"));
    let limit = params.limit(page::DEFAULT, page::MAX);
    let before = cursor_key(params.cursor());
    let query = OrderQuery {
        author: None,
        ids: Vec::new(),
        status,
        from_chain,
        to_chain,
        before,
        limit: fetch_limit(limit),
    };
    (query, limit)
}

/// Volumes, success and times of the orders that ended in the last `hours`.
async fn get_figures(State(app): State<Arc<App>>, mut params: QueryParams) -> ApiResult<Json<Value>> {
    let hours = params.raw("hours");
    let hours =
        hours.and_then(|text| params.issues.check("hours", read_hours(&text))).unwrap_or(DEFAULT_HOURS);
    params.finish()?;
    let now = Timestamp::now();
    let span = Duration::from_secs(hours.saturating_mul(3_600));
    let since = now.checked_sub(span).unwrap_or(Timestamp::MIN);
    let orders = app.orders.ended(since, MOST_ORDERS).await?;
    let snapshot = app.catalog.snapshot();
    let figures = figures::Figures::of(&orders, since, now, |token, amount| {
        let decimals = snapshot.token(token)?.token.decimals;
        app.prices.usd_price(token)?.value(amount, decimals)
    });
    let symbol =
        |token: &causeway_domain::TokenId| snapshot.token(token).map(|listed| listed.token.symbol.clone());
    let is_cut = orders.len() >= usize::try_from(MOST_ORDERS).unwrap_or(usize::MAX);
    Ok(Json(figures.to_json(hours, is_cut, symbol)))
}

pub(crate) fn read_hours(text: &str) -> Result<u64, String> {
    let hours = text.parse().ok().filter(|hours| (1..=MAX_HOURS).contains(hours));
    hours.ok_or_else(|| format!("must be a whole number from 1 to {MAX_HOURS}"))
}
