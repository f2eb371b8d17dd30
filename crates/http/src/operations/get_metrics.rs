use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use super::process::process_gauges;
use super::state_gauges::state_gauges;
use crate::App;
use crate::error::{ApiError, ApiResult};

const ELSEWHERE: &str = "The metrics of this service are at an address of their own: server.metrics_listen.";

const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Metrics of the service, for Prometheus.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "operations",
    responses((status = 200, description = "Counters, gauges and histograms", content_type = "application/openmetrics-text", body = String)),
)]
pub(crate) async fn get_metrics(State(app): State<Arc<App>>) -> ApiResult<impl IntoResponse> {
    if app.options.has_metrics_listener {
        return Err(ApiError::not_found(ELSEWHERE.to_owned()));
    }
    encoded(app).await
}

/// The same, for a listener that has nothing else.
pub(crate) async fn get_metrics_apart(State(app): State<Arc<App>>) -> ApiResult<impl IntoResponse> {
    encoded(app).await
}

async fn encoded(app: Arc<App>) -> ApiResult<impl IntoResponse> {
    let state = state_gauges(&app).await;
    let text = app.metrics.encode(state, process_gauges()).map_err(|error| ApiError::internal(&error))?;
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text))
}
