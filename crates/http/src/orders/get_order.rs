use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use causeway_wire::{ErrorBody, Order};

use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, PathParam};

/// One order by its id.
#[utoipa::path(
    get,
    path = "/v1/orders/by-id/{orderId}",
    tag = "orders",
    params(("orderId" = String, Path, description = "As a submit or a build answered it", example = "0f8fad5bd9cb469fa16570867728950e")),
    responses(
        (status = 200, body = Order),
        (status = 400, description = "ValidationException", body = ErrorBody),
        (status = 404, description = "OrderNotFoundException", body = ErrorBody, example = json!({
            "name": "OrderNotFoundException",
            "message": "There is no such order. An order is shown once its deposit was submitted or seen.",
        })),
    ),
)]
pub(crate) async fn get_order(State(app): State<Arc<App>>, param: PathParam) -> ApiResult<impl IntoResponse> {
    let mut issues = Issues::default();
    let text = param.text(&mut issues);
    issues.finish()?;
    let id = text.and_then(|text| text.parse().ok()).ok_or_else(ApiError::order_not_found)?;
    let known = app.known_orders.get(&id).await?;
    let known = known.filter(|known| known.order.announced).ok_or_else(ApiError::order_not_found)?;
    let body = known.answer(&app.catalog.snapshot_guard()).map_err(|error| ApiError::internal(&error))?;
    Ok(([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body))
}
