use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use causeway_domain::ports::FinalityTier;
use causeway_domain::{RawAmount, TokenId};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::App;
use crate::error::ApiResult;
use crate::explorer::read_query;
use crate::extract::QueryParams;
use crate::mapping::chain_time;
use crate::orders::map_orders;
use crate::page::next_cursor;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/operator/orders", get(list)).route("/operator/overview", get(overview))
}

/// One page of all visible orders, newest first: by `status`, `fromChainId`, `toChainId`.
async fn list(State(app): State<Arc<App>>, mut params: QueryParams) -> ApiResult<Json<Value>> {
    let (query, limit) = read_query(&mut params);
    params.finish()?;
    let mut orders = app.orders.orders(&query).await?;
    let cursor = next_cursor(&mut orders, limit);
    Ok(Json(json!({ "data": map_orders(&app, &orders).await?, "cursor": cursor })))
}

/// Orders by filler and status, what fillers have not claimed yet, how far each chain was read, and prices.
async fn overview(State(app): State<Arc<App>>) -> ApiResult<Json<Value>> {
    let fills = app.orders.fill_counts().await?;
    let fills = fills.iter().map(
        |count| json!({ "filler": count.filler, "status": count.status.as_str(), "orders": count.orders }),
    );
    Ok(Json(json!({
        "at": Timestamp::now().to_string(),
        "orders": fills.collect::<Vec<_>>(),
        "unclaimed": unclaimed(&app).await?,
        "chains": chains(&app).await?,
        "prices": prices(&app),
    })))
}

/// What each filler is owed, by token; the sum of one token is capped where it would overflow.
async fn unclaimed(app: &App) -> ApiResult<Vec<Value>> {
    let mut sums: BTreeMap<(String, TokenId), (u64, RawAmount)> = BTreeMap::new();
    for owed in app.orders.owed().await? {
        let (orders, sum) = sums.entry((owed.filler, owed.token)).or_default();
        *orders = orders.saturating_add(1);
        *sum = sum.checked_add(owed.amount).unwrap_or(*sum);
    }
    let snapshot = app.catalog.snapshot();
    let map = |((filler, token), (orders, amount)): ((String, TokenId), (u64, RawAmount))| {
        let listed = snapshot.token(&token).map(|listed| listed.token);
        let usd = listed.and_then(|listed| app.prices.usd_price(&token)?.value(amount, listed.decimals));
        json!({
            "filler": filler,
            "chainId": token.chain().get(),
            "token": token.address().to_string(),
            "symbol": listed.map(|listed| &listed.symbol),
            "decimals": listed.map(|listed| listed.decimals),
            "orders": orders,
            "amount": amount.to_string(),
            "usd": usd.map(|usd| usd.to_string()),
        })
    };
    Ok(sums.into_iter().map(map).collect())
}

/// The last block of each chain that was read as final, and how long ago it was made.
async fn chains(app: &App) -> ApiResult<Vec<Value>> {
    let now = u64::try_from(Timestamp::now().as_second()).unwrap_or(0);
    let snapshot = app.catalog.snapshot();
    let mut chains = Vec::new();
    for chain in snapshot.chains() {
        let cursor = app.facts.cursor(chain.id, FinalityTier::Standard).await?;
        chains.push(json!({
            "chainId": chain.id.get(),
            "name": chain.name,
            "enabled": chain.enabled,
            "block": cursor.map(|cursor| cursor.number),
            "blockTime": cursor.map(|cursor| chain_time(cursor.time)),
            "lagSeconds": cursor.map(|cursor| now.saturating_sub(cursor.time)),
        }));
    }
    Ok(chains)
}

/// The prices of well-known tokens, one for each symbol, and why there is none.
fn prices(app: &App) -> Vec<Value> {
    let snapshot = app.catalog.snapshot();
    let mut seen = BTreeMap::new();
    for listed in snapshot.top(&[]) {
        let token = listed.token;
        seen.entry(token.symbol.clone()).or_insert_with(|| {
            json!({
                "symbol": token.symbol,
                "chainId": token.id.chain().get(),
                "token": token.id.address().to_string(),
                "usd": app.prices.usd_price(&token.id).map(|price| price.to_string()),
                "problem": app.prices.unpriced(&token.id),
            })
        });
    }
    seen.into_values().collect()
}
