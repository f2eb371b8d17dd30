use std::sync::Arc;

use axum::extract::{Path, State};
use axum::routing::{delete, get};
use axum::{Json, Router};
use causeway_domain::ports::{Pausable, Pause};
use causeway_engine::PauseError;
use serde_json::{Value, json};

use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Body, Issues};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/operator/pauses", get(list).post(pause))
        .route("/operator/pauses/{kind}/{name}", delete(resume))
}

/// Lists all pauses.
async fn list(State(app): State<Arc<App>>) -> Json<Value> {
    let pauses = app.operator.pauses.pauses().all();
    Json(json!({ "data": pauses.iter().map(map_pause).collect::<Vec<_>>() }))
}

/// Pauses `{ kind, name, reason? }`.
async fn pause(State(app): State<Arc<App>>, body: Body) -> ApiResult<Json<Value>> {
    let mut fields = body.fields()?;
    let (kind, name) = (fields.required_string("kind"), fields.required_string("name"));
    let reason = fields.string("reason").unwrap_or_default();
    let what = match (kind, name) {
        (Some(kind), Some(name)) => fields.issues.check("name", Pausable::parse(&kind, &name)),
        _ => None,
    };
    fields.finish()?;
    let what = what.ok_or_else(|| ApiError::validation(&[]))?;
    check_known(&app, &what)?;
    match app.operator.pauses.pause(what, &reason).await {
        Ok(pause) => Ok(Json(map_pause(&pause))),
        Err(PauseError::Store(error)) => Err(error.into()),
        Err(error @ PauseError::Reason) => Err(issue("reason", &error)),
    }
}

/// Ends a pause.
async fn resume(
    State(app): State<Arc<App>>,
    Path((kind, name)): Path<(String, String)>,
) -> ApiResult<Json<Value>> {
    let what = Pausable::parse(&kind, &name).map_err(|error| issue("name", &error))?;
    if !app.operator.pauses.resume(&what).await? {
        return Err(ApiError::not_found(format!("The {what} is not paused.")));
    }
    Ok(Json(json!({ "kind": what.kind(), "name": what.name(), "paused": false })))
}

/// Rejects unknown names, which would silently pause nothing.
fn check_known(app: &App, what: &Pausable) -> ApiResult<()> {
    let snapshot = app.catalog.snapshot();
    let known = match what {
        Pausable::Chain(chain) => snapshot.chain(*chain).is_some(),
        Pausable::Token(token) => snapshot.token(token).is_some(),
        Pausable::Filler(name) => app.request_quote.fillers().has(name),
        Pausable::OnRamp(id) => app.fiat.ramps.get(id).is_some(),
    };
    if known { Ok(()) } else { Err(ApiError::not_found(format!("There is no {what}."))) }
}

fn issue(path: &str, error: &dyn std::fmt::Display) -> ApiError {
    let mut issues = Issues::default();
    issues.add(path, error);
    issues.finish().err().unwrap_or_else(|| ApiError::validation(&[]))
}

fn map_pause(pause: &Pause) -> Value {
    json!({
        "kind": pause.what.kind(),
        "name": pause.what.name(),
        "reason": pause.reason,
        "since": pause.since.to_string(),
        "paused": true,
    })
}
