use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use causeway_domain::ports::{ApiKey, ApiScope};
use causeway_domain::{Address, Family, Referral};
use causeway_engine::{IntegratorReport, IssuedKey, NewIntegrator};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Body, Fields};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/operator/integrators", get(list).post(add))
        .route("/operator/integrators/{name}", delete(revoke_all))
        .route("/operator/integrators/{name}/keys", post(rotate))
        .route("/operator/integrators/{name}/keys/{id}", delete(revoke))
}

/// All integrators with their keys, of which only the ids are known.
async fn list(State(app): State<Arc<App>>) -> ApiResult<Json<Value>> {
    let now = Timestamp::now();
    let reports = app.operator.integrators.list().await?;
    let all: Vec<Value> = reports.iter().map(|report| map_report(report, now)).collect();
    Ok(Json(json!({ "data": all })))
}

/// Adds an integrator: `{ name, scopes?, referrers?, feeBps?, quotesPerDay?, expiresInSeconds? }`. Only this answer has the key.
async fn add(State(app): State<Arc<App>>, body: Body) -> ApiResult<Json<Value>> {
    let mut fields = body.fields()?;
    let name = fields.required_string("name").map(Cow::into_owned);
    let scopes = fields.strings("scopes");
    let scopes: Vec<ApiScope> =
        scopes.iter().filter_map(|scope| fields.issues.check("scopes", scope.parse())).collect();
    let referrers = fields.strings("referrers");
    let referrers: Vec<Address> =
        referrers.iter().filter_map(|text| fields.issues.check("referrers", address(text))).collect();
    let fee = fields.integer("feeBps").unwrap_or(0);
    let limit = Referral::MAX_FEE_BPS;
    let fee = u16::try_from(fee).ok().filter(|fee| *fee <= limit);
    let fee = fields.issues.check("feeBps", fee.ok_or(format!("must be between 0 and {limit}")));
    let quotes_per_day = fields.integer("quotesPerDay");
    let expires_in = seconds(&mut fields, "expiresInSeconds");
    let (has_scopes, has_name) = (fields.has("scopes"), fields.has("name"));
    fields.finish()?;
    let (Some(name), Some(fee_bps), true) = (name, fee, has_name) else {
        return Err(ApiError::validation(&[]));
    };
    let scopes = if has_scopes { scopes } else { ApiScope::ALL.to_vec() };
    let new = NewIntegrator { name, scopes, referrers, fee_bps, quotes_per_day, expires_in };
    Ok(Json(map_issued(&app.operator.integrators.add(new).await?)))
}

/// Makes another key: `{ keepOldSeconds, expiresInSeconds? }`. Only this answer has it.
async fn rotate(State(app): State<Arc<App>>, Path(name): Path<String>, body: Body) -> ApiResult<Json<Value>> {
    let mut fields = body.fields()?;
    fields.required_integer("keepOldSeconds");
    let keep_old = seconds(&mut fields, "keepOldSeconds");
    let expires_in = seconds(&mut fields, "expiresInSeconds");
    fields.finish()?;
    let keep_old = keep_old.unwrap_or(SignedDuration::ZERO);
    Ok(Json(map_issued(&app.operator.integrators.rotate(&name, keep_old, expires_in).await?)))
}

/// Revokes one key.
async fn revoke(
    State(app): State<Arc<App>>,
    Path((name, id)): Path<(String, String)>,
) -> ApiResult<Json<Value>> {
    let revoked = app.operator.integrators.revoke(&name, Some(&id)).await?;
    Ok(Json(json!({ "integrator": name, "revoked": revoked })))
}

/// Revokes all keys of an integrator.
async fn revoke_all(State(app): State<Arc<App>>, Path(name): Path<String>) -> ApiResult<Json<Value>> {
    let revoked = app.operator.integrators.revoke(&name, None).await?;
    Ok(Json(json!({ "integrator": name, "revoked": revoked })))
}

/// An address of either family, with a right checksum where it has one.
pub(super) fn address(text: &str) -> Result<Address, String> {
    let parsed = [Family::Evm, Family::Solana].map(|family| Address::parse(family, text));
    match parsed {
        [Ok(address), _] | [Err(_), Ok(address)] => Ok(address),
        [Err(evm), Err(solana)] => Err(if text.starts_with("0x") { evm } else { solana }.to_string()),
    }
}

fn seconds(fields: &mut Fields<'_>, name: &str) -> Option<SignedDuration> {
    let seconds = fields.integer(name)?;
    let seconds = i64::try_from(seconds).map_err(|_| "is too large");
    fields.issues.check(name, seconds).map(SignedDuration::from_secs)
}

fn map_issued(issued: &IssuedKey) -> Value {
    let IssuedKey { key, text } = issued;
    json!({
        "integrator": key.integrator,
        "id": key.id,
        "key": text.reveal(),
        "expiresAt": key.expires_at.map(|at| at.to_string()),
    })
}

fn map_report(report: &IntegratorReport, now: Timestamp) -> Value {
    let IntegratorReport { integrator, keys, quotes_today } = report;
    let referrers = [integrator.evm_referrer, integrator.solana_referrer].into_iter().flatten();
    json!({
        "name": integrator.name,
        "scopes": integrator.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>(),
        "referrers": referrers.map(|address| address.to_string()).collect::<Vec<_>>(),
        "feeBps": integrator.fee_bps,
        "quotesPerDay": integrator.quotes_per_day,
        "quotesToday": quotes_today,
        "addedAt": integrator.added_at.to_string(),
        "keys": keys.iter().map(|key| map_key(key, now)).collect::<Vec<_>>(),
    })
}

fn map_key(key: &ApiKey, now: Timestamp) -> Value {
    let state = match key {
        ApiKey { revoked_at: Some(_), .. } => "revoked",
        key if key.is_valid(now) => "valid",
        _ => "expired",
    };
    json!({
        "id": key.id,
        "state": state,
        "madeAt": key.made_at.to_string(),
        "expiresAt": key.expires_at.map(|at| at.to_string()),
        "revokedAt": key.revoked_at.map(|at| at.to_string()),
    })
}
