use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_wire::{FiatErrorBody, FiatStatus};

use super::get_order::find_order;
use super::map_order::map_status;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Params, Segment};

/// How far a purchase has come, and when to ask again.
///
/// The answer comes from our record; with `force=true` the provider is asked first, a few times per order.
#[utoipa::path(
    get,
    path = "/v1/fiat/orders/{orderId}/status",
    tag = "fiat",
    params(
        ("orderId" = String, Path, description = "As the order was answered", example = "0f8fad5bd9cb469fa16570867728950e"),
        ("force" = Option<bool>, Query, description = "Ask the provider first; for debugging", example = false),
    ),
    responses(
        (status = 200, body = FiatStatus),
        (status = 400, description = "VALIDATION_ERROR", body = FiatErrorBody),
        (status = 404, description = "ORDER_NOT_FOUND", body = FiatErrorBody, example = json!({
            "name": "OrderNotFoundException", "message": "There is no such order.",
            "error": { "code": "ORDER_NOT_FOUND", "message": "There is no such order.", "retryable": false },
        })),
        (status = 429, description = "RATE_LIMITED", body = FiatErrorBody),
    ),
)]
pub(crate) async fn get_fiat_status(
    State(app): State<Arc<App>>,
    segment: Segment,
    mut params: Params,
) -> ApiResult<Json<FiatStatus>> {
    let force = params.raw("force");
    let force = match force.as_deref() {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => {
            params.issues.add("force", "is `true` or `false`");
            false
        }
    };
    let text = segment.text(&mut params.issues);
    params.finish()?;
    let order = find_order(&app, text.as_deref()).await?;
    if !force || order.status.is_terminal() {
        return Ok(Json(map_status(order)));
    }
    app.force_limit.take(&order.id).map_err(ApiError::asked_too_often)?;
    Ok(Json(map_status(app.fiat.refresh.refresh(&order.id).await?)))
}
