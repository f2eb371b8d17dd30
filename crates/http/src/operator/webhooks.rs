use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use causeway_domain::RowKey;
use causeway_domain::ports::{DeliveryAttempt, EndpointName, Subscription, WebhookEndpoint, WebhookSecret};
use causeway_engine::{EndpointReport, NewEndpoint};
use serde_json::{Value, json};

use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Body, Issues, QueryParams};

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 500;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/operator/webhooks", get(list).post(add))
        .route("/operator/webhooks/{name}", delete(remove))
        .route("/operator/webhooks/{name}/rotate", post(rotate))
        .route("/operator/webhooks/{name}/replay", post(replay))
        .route("/operator/webhooks/{name}/log", get(log))
}

/// Lists the endpoints with their delivery counts, without secrets.
async fn list(State(app): State<Arc<App>>) -> ApiResult<Json<Value>> {
    let reports = app.operator.webhooks.list().await?;
    let report = |EndpointReport { endpoint, waiting, given_up }: &EndpointReport| {
        let mut mapped = map_endpoint(endpoint);
        mapped["waiting"] = json!(waiting);
        mapped["givenUp"] = json!(given_up);
        mapped
    };
    Ok(Json(json!({ "webhooks": reports.iter().map(report).collect::<Vec<_>>() })))
}

/// Adds an endpoint. Only this response contains its secret.
async fn add(State(app): State<Arc<App>>, body: Body) -> ApiResult<Json<Value>> {
    let mut fields = body.fields()?;
    let name = fields.required_string("name");
    let name = name.and_then(|text| fields.issues.check::<EndpointName, _>("name", text.parse()));
    let url = fields.required_string("url").map(Cow::into_owned);
    let secret = fields.string("secret");
    let secret = secret.and_then(|text| fields.issues.check::<WebhookSecret, _>("secret", text.parse()));
    let integrator = fields.string("integrator").filter(|text| !text.is_empty()).map(Cow::into_owned);
    let about = fields.string("about");
    let about = about.and_then(|text| fields.issues.check::<Subscription, _>("about", text.parse()));
    fields.issues.finish()?;
    let (Some(name), Some(url)) = (name, url) else { return Err(ApiError::validation(&[])) };
    let about = about.unwrap_or_default();
    let added = app.operator.webhooks.add(NewEndpoint { name, url, secret, integrator, about }).await?;
    Ok(Json(with_secret(&added)))
}

/// Removes an endpoint with its log and pending deliveries.
async fn remove(State(app): State<Arc<App>>, Path(name): Path<String>) -> ApiResult<Json<Value>> {
    let name = read_name(&name)?;
    app.operator.webhooks.remove(&name).await?;
    Ok(Json(json!({ "removed": name.as_str() })))
}

/// Rotates the secret of an endpoint and returns it once. The previous secret keeps signing as well.
async fn rotate(State(app): State<Arc<App>>, Path(name): Path<String>, body: Body) -> ApiResult<Json<Value>> {
    let name = read_name(&name)?;
    let mut fields = body.fields()?;
    let secret = fields.string("secret");
    let secret = secret.and_then(|text| fields.issues.check::<WebhookSecret, _>("secret", text.parse()));
    fields.issues.finish()?;
    Ok(Json(with_secret(&app.operator.webhooks.rotate(&name, secret).await?)))
}

/// Delivers all events after a given one again.
async fn replay(State(app): State<Arc<App>>, Path(name): Path<String>, body: Body) -> ApiResult<Json<Value>> {
    let name = read_name(&name)?;
    let mut fields = body.fields()?;
    let after = fields.required_string("after");
    let after = after.and_then(|text| {
        let key =
            text.parse().ok().and_then(RowKey::new).ok_or("is the id of an event, or 0 for all of them");
        fields.issues.check("after", key)
    });
    fields.issues.finish()?;
    let Some(after) = after else { return Err(ApiError::validation(&[])) };
    let events = app.operator.webhooks.replay(&name, after).await?;
    Ok(Json(json!({ "events": events })))
}

/// The delivery attempts of an endpoint, newest first.
async fn log(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    mut params: QueryParams,
) -> ApiResult<Json<Value>> {
    let name = read_name(&name)?;
    let limit = u32::try_from(params.limit(DEFAULT_LIMIT, MAX_LIMIT)).unwrap_or(u32::MAX);
    let before = params.cursor().and_then(|key| i64::try_from(key).ok()).and_then(RowKey::new);
    params.finish()?;
    let attempts = app.operator.webhooks.log(&name, before, limit).await?;
    let next = attempts.last().filter(|_| u32::try_from(attempts.len()).is_ok_and(|count| count == limit));
    Ok(Json(json!({
        "attempts": attempts.iter().map(map_attempt).collect::<Vec<_>>(),
        "nextCursor": next.map(|last| last.key.get()),
    })))
}

fn read_name(text: &str) -> ApiResult<EndpointName> {
    let mut issues = Issues::default();
    let name = issues.check("name", text.parse());
    issues.finish()?;
    name.ok_or_else(|| ApiError::validation(&[]))
}

fn map_endpoint(endpoint: &WebhookEndpoint) -> Value {
    json!({
        "name": endpoint.name.as_str(),
        "url": endpoint.url,
        "integrator": endpoint.integrator,
        "about": endpoint.about.as_str(),
        "source": endpoint.source.as_str(),
        "enabled": endpoint.enabled,
        "secrets": endpoint.secrets.len(),
        "createdAt": endpoint.created_at.to_string(),
    })
}

fn with_secret(endpoint: &WebhookEndpoint) -> Value {
    let mut mapped = map_endpoint(endpoint);
    mapped["secret"] = json!(endpoint.secrets.first().map(WebhookSecret::reveal));
    mapped
}

fn map_attempt(attempt: &DeliveryAttempt) -> Value {
    json!({
        "key": attempt.key.get(),
        "at": attempt.at.to_string(),
        "eventId": attempt.event.get().to_string(),
        "orderId": attempt.subject.as_str(),
        "attempt": attempt.number,
        "status": attempt.status,
        "outcome": attempt.outcome.as_str(),
        "words": attempt.message,
    })
}
