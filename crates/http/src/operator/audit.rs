use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use causeway_domain::ports::AuditEvent;
use serde_json::{Value, json};

use crate::App;
use crate::error::ApiResult;
use crate::extract::QueryParams;
use crate::page::cursor_key;

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 500;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/operator/audit", get(get_audit))
}

/// The audit log, newest first. The key of an event is the cursor for older ones.
async fn get_audit(State(app): State<Arc<App>>, mut params: QueryParams) -> ApiResult<Json<Value>> {
    let limit = u32::try_from(params.limit(DEFAULT_LIMIT, MAX_LIMIT)).unwrap_or(u32::MAX);
    let before = cursor_key(params.cursor());
    params.finish()?;
    let events = app.operator.audit.audit(before, limit).await?;
    let map_event = |event: &AuditEvent| {
        json!({
            "key": event.key.get(),
            "at": event.at.to_string(),
            "kind": event.kind,
            "subject": event.subject,
            "detail": event.detail,
        })
    };
    Ok(Json(json!({ "events": events.iter().map(map_event).collect::<Vec<_>>() })))
}
