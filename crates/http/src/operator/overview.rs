use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use causeway_domain::ports::FinalityTier;
use causeway_domain::{RawAmount, TokenId};
use causeway_engine::fiat::RampHealth;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::inventory::inventory;
use crate::App;
use crate::error::ApiResult;
use crate::explorer::read_query;
use crate::extract::QueryParams;
use crate::mapping::chain_time;
use crate::metrics::{self, Metrics};
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

/// Orders by filler and status, what fillers have not claimed yet, how far each chain was read, prices, endpoints, attesters, what
/// is halted, on-ramps, and what the fillers hold.
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
        "endpoints": endpoints(&app.metrics),
        "attesters": values(&app.metrics, "attester_chains", "readableChains"),
        "breakers": open(values(&app.metrics, "breaker_open", "open")),
        "haltedChains": open(values(&app.metrics, "chain_halted", "halted")),
        "priceSources": price_sources(&app.metrics),
        "onRamps": on_ramps(&app),
        "inventory": inventory(&app),
    })))
}

/// What each filler is owed, by token; the sum of one token is capped where it would overflow.
async fn unclaimed(app: &App) -> ApiResult<Vec<Value>> {
    let mut sums: BTreeMap<(String, TokenId), (u64, RawAmount, u64)> = BTreeMap::new();
    for owed in app.orders.owed().await? {
        let entry = sums.entry((owed.filler, owed.token)).or_insert((0, RawAmount::ZERO, u64::MAX));
        let (orders, sum, earliest) = entry;
        *orders = orders.saturating_add(1);
        *sum = sum.checked_add(owed.amount).unwrap_or(*sum);
        *earliest = (*earliest).min(owed.refund_at);
    }
    let now = u64::try_from(Timestamp::now().as_second()).unwrap_or(0);
    let snapshot = app.catalog.snapshot();
    let map = |((filler, token), (orders, amount, refund_at)): ((String, TokenId), (u64, RawAmount, u64))| {
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
            "refundAt": chain_time(refund_at),
            "secondsLeft": refund_at.saturating_sub(now),
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

/// The registered values of a name, each with its labels and its value as `field`.
fn values(metrics: &Metrics, name: &str, field: &str) -> Vec<Value> {
    let map = |one: metrics::Value| {
        let mut row: Map<String, Value> = one
            .labels
            .into_iter()
            .map(|(label, text)| (label.to_owned(), label_value(label, text)))
            .collect();
        row.insert(field.to_owned(), one.value.into());
        Value::Object(row)
    };
    metrics.values(name).into_iter().map(map).collect()
}

/// Chains are numbers, as everywhere else in the API.
fn label_value(label: &str, text: String) -> Value {
    let number = if label == "chain" { text.parse::<u64>().ok() } else { None };
    number.map_or_else(|| text.into(), Value::from)
}

/// Those whose switch is on, which is their only field that is no label.
fn open(rows: Vec<Value>) -> Vec<Value> {
    let is_on = |row: &Value| ["open", "halted"].iter().any(|field| row[*field] == 1);
    let without = |mut row: Value| {
        if let Some(fields) = row.as_object_mut() {
            fields.retain(|name, _| name != "open" && name != "halted");
        }
        row
    };
    rows.into_iter().filter(is_on).map(without).collect()
}

/// Two names that share their labels, side by side.
fn joined(metrics: &Metrics, [one, other]: [(&str, &str); 2]) -> Vec<Value> {
    let mut rows = values(metrics, one.0, one.1);
    let others = metrics.values(other.0);
    for row in &mut rows {
        let same = |value: &&metrics::Value| {
            value.labels.iter().all(|(label, text)| row[*label] == label_value(label, text.clone()))
        };
        row[other.1] = others.iter().find(same).map_or(Value::Null, |found| found.value.into());
    }
    rows
}

/// The JSON-RPC endpoints of each chain: whether they serve, and their heads.
fn endpoints(metrics: &Metrics) -> Vec<Value> {
    joined(metrics, [("rpc_endpoint_up", "up"), ("rpc_endpoint_head", "head")])
}

/// The providers of purchases: how they have answered since the start, and what keeps one from selling.
fn on_ramps(app: &App) -> Vec<Value> {
    let map = |(provider, health): (String, RampHealth)| {
        json!({
            "provider": provider,
            "answers": health.answers,
            "faults": health.faults,
            "lastFault": health.last_fault.as_ref().map(|fault| &fault.words),
            "lastFaultAt": health.last_fault.as_ref().map(|fault| fault.at.to_string()),
            "paused": app.fiat.ramps.paused(&provider),
        })
    };
    app.fiat.ramps.health().into_iter().map(map).collect()
}

fn price_sources(metrics: &Metrics) -> Vec<Value> {
    joined(metrics, [("price_reads", "reads"), ("price_faults", "faults")])
}

/// The prices of well-known tokens, one for each symbol, and why there is none.
fn prices(app: &App) -> Vec<Value> {
    let snapshot = app.catalog.snapshot();
    let mut seen = BTreeMap::new();
    for listed in snapshot.top(&[]) {
        let token = listed.token;
        seen.entry(token.symbol.clone()).or_insert_with(|| {
            let basis = app.prices.price_basis(&token.id);
            json!({
                "symbol": token.symbol,
                "chainId": token.id.chain().get(),
                "token": token.id.address().to_string(),
                "sources": basis.map(|basis| basis.sources),
                "ageSeconds": basis.map(|basis| basis.age_seconds),
                "spreadMillionths": basis.map(|basis| basis.spread_millionths),
                "usd": app.prices.usd_price(&token.id).map(|price| price.to_string()),
                "problem": app.prices.unpriced(&token.id),
            })
        });
    }
    seen.into_values().collect()
}
