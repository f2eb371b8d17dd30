use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::App;
use crate::error::{ApiError, ApiResult};

const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Metrics of the service, for Prometheus.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "operations",
    responses((status = 200, description = "Counters and histograms", content_type = "application/openmetrics-text", body = String)),
)]
pub(crate) async fn get_metrics(State(app): State<Arc<App>>) -> ApiResult<impl IntoResponse> {
    let text = app.metrics.encode().map_err(|error| ApiError::internal(&error))?;
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text))
}
