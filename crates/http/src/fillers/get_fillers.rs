use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use causeway_engine::{FillerHealth, FillerReport, Fills, Reputation};
use causeway_wire::{Filler, FillerFills, FillerQuotes, FillerReputation};

use crate::App;
use crate::error::ApiResult;

/// Lists the fillers with their statistics.
///
/// `quotes` counts since the start of the replica that responds; `fills` counts all orders, with a delay of a few seconds.
#[utoipa::path(get, path = "/v1/fillers", tag = "quotes", responses((status = 200, body = Vec<Filler>)))]
pub(crate) async fn get_fillers(State(app): State<Arc<App>>) -> ApiResult<Json<Vec<Filler>>> {
    let fills = app.count_fills.count().await?;
    let fills_of = |name: &str| fills.get(name).copied().unwrap_or_default();
    let reports = app.request_quote.fillers().reports();
    Ok(Json(reports.into_iter().map(|report| map_filler(fills_of(&report.name), report)).collect()))
}

fn map_filler(fills: Fills, report: FillerReport) -> Filler {
    let health = match report.health {
        FillerHealth::Healthy => "healthy",
        FillerHealth::Degraded => "degraded",
        FillerHealth::Open => "open",
    };
    Filler {
        health: health.to_owned(),
        quotes: FillerQuotes {
            asked: report.asked,
            offered: report.offered,
            refused: report.refused,
            faulted: report.faulted,
            timed_out: report.timed_out,
            skipped: report.skipped,
            won: report.won,
            median_ms: report.median.map(millis),
        },
        fills: FillerFills {
            open: fills.open,
            filled: fills.filled,
            refunded: fills.refunded,
            failed: fills.failed,
        },
        reputation: report.reputation.as_ref().map(map_reputation),
        paused: report.paused,
        name: report.name,
        kind: report.kind,
    }
}

#[allow(clippy::float_arithmetic, reason = "a ratio for display, not an amount")]
fn map_reputation(reputation: &Reputation) -> FillerReputation {
    let rate = reputation.fill_percent().map(|percent| f64::from(percent) / 100.0);
    FillerReputation {
        orders: reputation.orders,
        fill_rate: rate,
        median_fill_seconds: reputation.median_seconds,
        price_bps: reputation.price_bps,
        unfilled_in_a_row: reputation.consecutive_unfilled,
    }
}

#[allow(clippy::float_arithmetic, reason = "a duration for display, not an amount")]
fn millis(time: Duration) -> f64 {
    f64::from(u32::try_from(time.as_micros()).unwrap_or(u32::MAX)) / 1_000.0
}
