use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::routing::{delete, get};
use axum::{Json, Router};
use causeway_domain::ports::{FillerProtocol, FillerRecord};
use causeway_engine::{FillerReport, ListedFiller};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::Body;

/// Maximum quote deadline of a filler, in milliseconds.
const MAX_DEADLINE_MS: u64 = 60_000;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/operator/fillers", get(list).post(add))
        .route("/operator/fillers/{name}", delete(remove))
}

/// All fillers: the active ones, and removed ones that still have open orders.
async fn list(State(app): State<Arc<App>>) -> Json<Value> {
    let registered = app.operator.registry.list().await;
    let find = |name: &str| registered.iter().find(|filler| filler.record.name == name);
    let reports = app.request_quote.fillers().reports();
    let active = reports.iter().map(|report| map_filler(Some(report), find(&report.name)));
    let inactive =
        registered.iter().filter(|filler| !reports.iter().any(|report| report.name == filler.record.name));
    let all: Vec<Value> = active.chain(inactive.map(|filler| map_filler(None, Some(filler)))).collect();
    Json(json!({ "data": all }))
}

/// Adds or changes the filler `{ name, kind, url, secret?, deadlineMs? }`.
async fn add(State(app): State<Arc<App>>, body: Body) -> ApiResult<Json<Value>> {
    let mut fields = body.fields()?;
    let (name, url) = (fields.required_string("name"), fields.required_string("url"));
    let protocol = fields.required_string("kind");
    let protocol = protocol.and_then(|kind| fields.issues.check("kind", kind.parse::<FillerProtocol>()));
    let secret = fields.string("secret").map(Cow::into_owned);
    let deadline = fields.integer("deadlineMs");
    if deadline.is_some_and(|millis| millis == 0 || millis > MAX_DEADLINE_MS) {
        fields.issues.add("deadlineMs", format!("must be between 1 and {MAX_DEADLINE_MS}"));
    }
    fields.finish()?;
    let (name, url) = (name.map(Cow::into_owned), url.map(Cow::into_owned));
    let (Some(name), Some(url), Some(protocol)) = (name, url, protocol) else {
        return Err(ApiError::validation(&[]));
    };
    let record = FillerRecord {
        name: name.clone(),
        protocol,
        url,
        secret,
        deadline: deadline.map(Duration::from_millis),
        added_at: Timestamp::now(),
        removed_at: None,
    };
    app.operator.registry.add(record).await?;
    let registered = app.operator.registry.list().await;
    Ok(Json(map_filler(None, registered.iter().find(|filler| filler.record.name == name))))
}

/// Removes a filler; it gets no further quote requests.
async fn remove(State(app): State<Arc<App>>, Path(name): Path<String>) -> ApiResult<Json<Value>> {
    app.operator.registry.remove(&name, Timestamp::now()).await?;
    Ok(Json(json!({ "name": name, "removed": true })))
}

/// Maps a filler for operators, without its secret.
fn map_filler(report: Option<&FillerReport>, listed: Option<&ListedFiller>) -> Value {
    let record = listed.map(|listed| &listed.record);
    let name = report.map(|report| report.name.as_str()).or(record.map(|record| record.name.as_str()));
    let removed = record.is_some_and(|record| record.removed_at.is_some());
    json!({
        "name": name,
        "kind": report.map(|report| report.kind.as_str()),
        "protocol": record.map(|record| record.protocol.as_str()),
        "url": record.map(|record| record.url.as_str()),
        "signed": record.map(|record| record.secret.is_some()),
        "deadlineMs": record.and_then(|record| record.deadline).map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        "configured": listed.is_none_or(|listed| listed.configured),
        "state": match report {
            _ if removed => "leaving",
            Some(FillerReport { paused: Some(_), .. }) => "paused",
            _ if listed.is_some_and(|listed| listed.problem.is_some()) => "unusable",
            _ => "active",
        },
        "reason": report.and_then(|report| report.paused.clone()).or_else(|| listed.and_then(|listed| listed.problem.clone())),
    })
}
