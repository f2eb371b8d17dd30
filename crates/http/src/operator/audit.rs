use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use causeway_domain::ports::AuditEvent;
use serde_json::{Value, json};

use crate::App;
use crate::error::ApiResult;
use crate::extract::Params;
use crate::page::cursor_key;

/// How many lines come at once when nobody says otherwise, and at most.
const USUAL: usize = 50;
const MOST: usize = 500;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/operator/audit", get(get_audit))
}

/// What the operator may have to account for, newest first; a line's key is the cursor for older ones.
async fn get_audit(State(app): State<Arc<App>>, mut params: Params) -> ApiResult<Json<Value>> {
    let limit = u32::try_from(params.limit(USUAL, MOST)).unwrap_or(u32::MAX);
    let before = cursor_key(params.cursor());
    params.finish()?;
    let events = app.operator.audit.audit(before, limit).await?;
    let event = |event: &AuditEvent| {
        json!({
            "key": event.key.get(),
            "at": event.at.to_string(),
            "kind": event.kind,
            "subject": event.subject,
            "detail": event.detail,
        })
    };
    Ok(Json(json!({ "events": events.iter().map(event).collect::<Vec<_>>() })))
}
