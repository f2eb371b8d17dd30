use std::sync::Arc;

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use causeway_domain::ports::{AuditEvent, Erasure};
use causeway_engine::erase_purchases;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::integrators::address;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::Body;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/operator/erasures", post(erase))
}

/// Erases the personal data of `{ purchase }`, or of all purchases of `{ address }`. The audit log names the purchases, which
/// stay, and not the address.
async fn erase(State(app): State<Arc<App>>, body: Body) -> ApiResult<Json<Value>> {
    let mut fields = body.fields()?;
    let (purchase, given) = (fields.string("purchase"), fields.string("address"));
    let purchase = purchase.and_then(|id| fields.issues.check("purchase", id.parse()));
    let address = given.and_then(|text| fields.issues.check("address", address(&text)));
    if fields.has("purchase") == fields.has("address") {
        fields.issues.add("purchase", "name either a purchase or an address");
    }
    fields.finish()?;
    let erasure = match (purchase, address) {
        (Some(id), None) => Erasure::Purchase(id),
        (None, Some(address)) => Erasure::Address(address),
        _ => return Err(ApiError::validation(&[])),
    };
    let now = Timestamp::now();
    let erased = erase_purchases(app.operator.fiat.as_ref(), &erasure, now).await?;
    let ids: Vec<String> = erased.purchases.iter().map(ToString::to_string).collect();
    for id in &ids {
        let event = AuditEvent {
            key: app.operator.row_keys.next(now),
            kind: "purchase.erased".to_owned(),
            subject: id.clone(),
            detail: "its personal data was erased".to_owned(),
            at: now,
        };
        app.operator.audit.record_audit(&event).await?;
    }
    Ok(Json(json!({ "erased": ids, "unfinished": erased.unfinished })))
}
