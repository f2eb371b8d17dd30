use std::collections::BTreeMap;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{FinalityTier, StoreError};
use causeway_domain::{RawAmount, UsdAmount};
use causeway_engine::EndpointReport;
use jiff::Timestamp;
use tokio::time::Instant;

use crate::App;
use crate::metrics::GaugeSet;

/// How long a reading of the store is shown: everybody may scrape, and some of it reads an index of all orders.
const FRESH: Duration = Duration::from_secs(10);

/// The gauges of what the store holds, read again when they are older than `FRESH`.
pub(super) async fn state_gauges(app: &App) -> Vec<GaugeSet> {
    let mut last = app.metrics.state.lock().await;
    if let Some((_, gauges)) = last.as_ref().filter(|(at, _)| at.elapsed() < FRESH) {
        return gauges.clone();
    }
    let read = read(app).await;
    let up =
        GaugeSet::single("store_up", "Whether the store was read for these figures", read.is_ok().into());
    let mut gauges = read.unwrap_or_default();
    gauges.push(up);
    gauges.push(build_info(app));
    *last = Some((Instant::now(), gauges.clone()));
    gauges
}

async fn read(app: &App) -> Result<Vec<GaugeSet>, StoreError> {
    let mut gauges = orders(app).await?;
    gauges.extend(unclaimed(app).await?);
    gauges.push(chain_lag(app).await?);
    gauges.push(paused(app));
    gauges.extend(webhooks(app).await);
    Ok(gauges)
}

async fn orders(app: &App) -> Result<Vec<GaugeSet>, StoreError> {
    let counts = app.orders.fill_counts().await?;
    let all = counts
        .into_iter()
        .map(|count| (vec![count.filler, count.status.as_str().to_owned()], gauge(count.orders)));
    let mut stuck: BTreeMap<(&str, u64), i64> = BTreeMap::new();
    for order in app.operator.review.stuck(None, Timestamp::now()).await? {
        let order = order.order;
        let count = stuck.entry((order.status.as_str(), order.from.chain().get())).or_default();
        *count = count.saturating_add(1);
    }
    let stuck = stuck
        .into_iter()
        .map(|((status, chain), orders)| (vec![status.to_owned(), chain.to_string()], orders));
    Ok(vec![
        GaugeSet::new("orders", "Orders", &["filler", "status"], all.collect()),
        GaugeSet::new(
            "orders_stuck",
            "Orders that have not moved for longer than expected, at most 100",
            &["status", "chain"],
            stuck.collect(),
        ),
    ])
}

/// Deposits of orders that fillers fill or have filled, by the chain where they claim them.
async fn unclaimed(app: &App) -> Result<Vec<GaugeSet>, StoreError> {
    let snapshot = app.catalog.snapshot();
    let now = Timestamp::now().as_second();
    let mut sums: BTreeMap<(String, u64), (i64, RawAmount, i64)> = BTreeMap::new();
    for owed in app.orders.owed().await? {
        let decimals = snapshot.token(&owed.token).map(|listed| listed.token.decimals);
        let usd =
            decimals.and_then(|decimals| app.prices.usd_price(&owed.token)?.value(owed.amount, decimals));
        let cents = usd.map_or(RawAmount::ZERO, UsdAmount::cents);
        let place = (owed.filler, owed.token.chain().get());
        let (orders, sum, left) = sums.entry(place).or_insert((0, RawAmount::ZERO, i64::MAX));
        *orders = orders.saturating_add(1);
        *sum = sum.checked_add(cents).unwrap_or(*sum);
        *left = (*left).min(gauge(owed.refund_at).saturating_sub(now));
    }
    let labelled = |value: fn(&(i64, RawAmount, i64)) -> i64| {
        sums.iter()
            .map(|((filler, chain), sum)| (vec![filler.clone(), chain.to_string()], value(sum)))
            .collect()
    };
    let labels = &["filler", "chain"];
    Ok(vec![
        GaugeSet::new(
            "unclaimed_orders",
            "Orders that fillers have taken on and not claimed yet",
            labels,
            labelled(|sum| sum.0),
        ),
        GaugeSet::new(
            "unclaimed_usd",
            "The deposits of those orders, in dollars",
            labels,
            labelled(|sum| dollars(sum.1)),
        ),
        GaugeSet::new(
            "unclaimed_seconds_left",
            "Until the first of those orders may be refunded instead; negative after that",
            labels,
            labelled(|sum| sum.2),
        ),
    ])
}

/// How old the last block is that was read as final.
async fn chain_lag(app: &App) -> Result<GaugeSet, StoreError> {
    let now = u64::try_from(Timestamp::now().as_second()).unwrap_or(0);
    let snapshot = app.catalog.snapshot();
    let mut values = Vec::new();
    for chain in snapshot.chains().iter().filter(|chain| chain.enabled) {
        if let Some(cursor) = app.facts.cursor(chain.id, FinalityTier::Standard).await? {
            values.push((vec![chain.id.to_string()], gauge(now.saturating_sub(cursor.time))));
        }
    }
    let help = "The age of the last block that was read as final";
    Ok(GaugeSet::new("chain_lag_seconds", help, &["chain"], values))
}

fn paused(app: &App) -> GaugeSet {
    let pauses = app.operator.pauses.pauses().all();
    let values = pauses.iter().map(|pause| (vec![pause.what.kind().to_owned(), pause.what.name()], 1));
    GaugeSet::new("paused", "What the operator has paused", &["kind", "name"], values.collect())
}

async fn webhooks(app: &App) -> Vec<GaugeSet> {
    let Ok(reports) = app.operator.webhooks.list().await else { return Vec::new() };
    let name = |report: &EndpointReport| vec![report.endpoint.name.to_string()];
    let waiting = reports.iter().map(|report| (name(report), gauge(report.waiting))).collect();
    let given_up = reports.iter().map(|report| (name(report), gauge(report.given_up))).collect();
    vec![
        GaugeSet::new("webhooks_waiting", "Events that wait for delivery", &["endpoint"], waiting),
        GaugeSet::new("webhooks_given_up", "Events whose delivery was given up", &["endpoint"], given_up),
    ]
}

fn build_info(app: &App) -> GaugeSet {
    let values = [env!("CARGO_PKG_VERSION"), app.options.mode, app.options.store_engine];
    let values = vec![(values.map(str::to_owned).to_vec(), 1)];
    GaugeSet::new("build_info", "The running build", &["version", "mode", "store"], values)
}

fn gauge(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Whole dollars, rounded down.
fn dollars(cents: RawAmount) -> i64 {
    let dollars = cents.get().checked_div(U256::from(100)).unwrap_or_default();
    i64::try_from(dollars).unwrap_or(i64::MAX)
}
