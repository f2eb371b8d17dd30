use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::routing::{delete, get};
use axum::{Json, Router};
use causeway_domain::ports::{FillerProtocol, FillerRecord};
use causeway_engine::{FillerReport, ListedFiller, RegistryError};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::Body;

/// What an operator may let a filler take to answer at most.
const LONGEST_DEADLINE: u64 = 60_000;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/operator/fillers", get(list).post(add))
        .route("/operator/fillers/{name}", delete(remove))
}

/// All fillers: those at work, and those that were removed and have open orders.
async fn list(State(app): State<Arc<App>>) -> Json<Value> {
    let told = app.operator.registry.list().await;
    let of = |name: &str| told.iter().find(|filler| filler.record.name == name);
    let reports = app.request_quote.fillers().reports();
    let at_work = reports.iter().map(|report| shown(Some(report), of(&report.name)));
    let away = told.iter().filter(|filler| !reports.iter().any(|report| report.name == filler.record.name));
    let all: Vec<Value> = at_work.chain(away.map(|filler| shown(None, Some(filler)))).collect();
    Json(json!({ "data": all }))
}

/// Lets `{ name, kind, url, secret?, deadlineMs? }` join, or changes it.
async fn add(State(app): State<Arc<App>>, body: Body) -> ApiResult<Json<Value>> {
    let mut fields = body.fields()?;
    let (name, url) = (fields.required_string("name"), fields.required_string("url"));
    let protocol = fields.required_string("kind");
    let protocol = protocol.and_then(|kind| fields.issues.keep("kind", kind.parse::<FillerProtocol>()));
    let secret = fields.string("secret").map(Cow::into_owned);
    let deadline = fields.integer("deadlineMs");
    if deadline.is_some_and(|millis| millis == 0 || millis > LONGEST_DEADLINE) {
        fields.issues.add("deadlineMs", format!("must be between 1 and {LONGEST_DEADLINE}"));
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
    let told = app.operator.registry.list().await;
    Ok(Json(shown(None, told.iter().find(|filler| filler.record.name == name))))
}

/// Asks a filler no more.
async fn remove(State(app): State<Arc<App>>, Path(name): Path<String>) -> ApiResult<Json<Value>> {
    app.operator.registry.remove(&name, Timestamp::now()).await?;
    Ok(Json(json!({ "name": name, "removed": true })))
}

impl From<RegistryError> for ApiError {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Store(error) => error.into(),
            RegistryError::Unknown(_) => Self::not_found(sentence(&error)),
            _ => Self::bad_request(sentence(&error)),
        }
    }
}

fn sentence(error: &RegistryError) -> String {
    let words = error.to_string();
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

/// A filler for an operator, never with its secret.
fn shown(report: Option<&FillerReport>, told: Option<&ListedFiller>) -> Value {
    let record = told.map(|told| &told.record);
    let name = report.map(|report| report.name.as_str()).or(record.map(|record| record.name.as_str()));
    let removed = record.is_some_and(|record| record.removed_at.is_some());
    json!({
        "name": name,
        "kind": report.map(|report| report.kind.as_str()),
        "protocol": record.map(|record| record.protocol.as_str()),
        "url": record.map(|record| record.url.as_str()),
        "signed": record.map(|record| record.secret.is_some()),
        "deadlineMs": record.and_then(|record| record.deadline).map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        "configured": told.is_none_or(|told| told.configured),
        "state": match report {
            _ if removed => "leaving",
            Some(FillerReport { paused: Some(_), .. }) => "paused",
            _ if told.is_some_and(|told| told.problem.is_some()) => "unusable",
            _ => "active",
        },
        "reason": report.and_then(|report| report.paused.clone()).or_else(|| told.and_then(|told| told.problem.clone())),
    })
}
