use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use crate::App;

/// Reports whether the service can handle requests: the store answers and the catalog is loaded.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "operations",
    responses(
        (status = 200, description = "Ready", body = String, example = "ready"),
        (status = 503, description = "Not ready, with the reason", body = String, example = "the store does not answer"),
    ),
)]
pub(crate) async fn readyz(State(app): State<Arc<App>>) -> (StatusCode, &'static str) {
    match not_ready(&app).await {
        None => (StatusCode::OK, "ready"),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason),
    }
}

/// Why the service is not ready, if it is not.
pub(super) async fn not_ready(app: &App) -> Option<&'static str> {
    if app.catalog.snapshot().token_count() == 0 {
        return Some("the catalog is not loaded");
    }
    app.store.check().await.is_err().then_some("the store does not answer")
}
