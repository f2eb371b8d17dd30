use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_wire::Status;

use super::readyz::not_ready;
use crate::App;

/// Version, mode and readiness of the running service.
#[utoipa::path(get, path = "/status.json", tag = "operations", responses((status = 200, body = Status)))]
pub(crate) async fn get_status(State(app): State<Arc<App>>) -> Json<Status> {
    let snapshot = app.catalog.snapshot();
    Json(Status {
        name: "Causeway".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        mode: app.options.mode.to_owned(),
        started_at: app.options.started_at.to_string(),
        chains: snapshot.chains().iter().filter(|chain| chain.enabled).count(),
        tokens: snapshot.token_count(),
        store: app.options.store_engine.to_owned(),
        ready: not_ready(&app).await.is_none(),
    })
}
