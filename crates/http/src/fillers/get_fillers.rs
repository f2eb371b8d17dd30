use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use causeway_engine::{FillerHealth, FillerReport};
use causeway_wire::{Filler, FillerQuotes};

use crate::App;

/// Lists the fillers that compete, and how they do.
///
/// Counts begin with the service and are those of the replica that answers.
#[utoipa::path(get, path = "/v1/fillers", tag = "quotes", responses((status = 200, body = Vec<Filler>)))]
pub(crate) async fn get_fillers(State(app): State<Arc<App>>) -> Json<Vec<Filler>> {
    Json(app.request_quote.fillers().reports().into_iter().map(map_filler).collect())
}

fn map_filler(report: FillerReport) -> Filler {
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
        name: report.name,
        kind: report.kind,
    }
}

#[allow(clippy::float_arithmetic, reason = "a time for people to read, no amount")]
fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
