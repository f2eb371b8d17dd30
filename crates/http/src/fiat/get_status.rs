use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_wire::{FiatErrorBody, FiatStatus};

use super::get_order::find_order;
use super::map_order::map_status;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{PathParam, QueryParams};

/// The status of a purchase, and when to poll again.
///
/// The status comes from the store; with `force=true` the provider is queried first, a few times per order.
#[utoipa::path(
    get,
    path = "/v1/fiat/orders/{orderId}/status",
    tag = "fiat",
    params(
        ("orderId" = String, Path, description = "As the order was answered", example = "0f8fad5bd9cb469fa16570867728950e"),
        ("force" = Option<bool>, Query, description = "Query the provider first; for debugging", example = false),
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
    param: PathParam,
    mut params: QueryParams,
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
    let text = param.text(&mut params.issues);
    params.finish()?;
    let order = find_order(&app, text.as_deref()).await?;
    if !force || order.status.is_terminal() {
        return Ok(Json(map_status(order)));
    }
    app.force_refresh_limit.check(&order.id).map_err(ApiError::refresh_rate_limited)?;
    Ok(Json(map_status(app.fiat.refresh.refresh(&order.id).await?)))
}
