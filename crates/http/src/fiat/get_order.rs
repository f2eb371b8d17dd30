use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::fiat::FiatOrder;
use causeway_wire::{FiatErrorBody, FiatOrderView};

use super::map_order::map_view;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, Segment};

/// A purchase and everything that is known of it.
///
/// For a jump it carries every term that the deposit address commits to, so that anybody can free the money without us.
#[utoipa::path(
    get,
    path = "/v1/fiat/order/{orderId}",
    tag = "fiat",
    params(("orderId" = String, Path, description = "As the order was answered", example = "0f8fad5bd9cb469fa16570867728950e")),
    responses(
        (status = 200, body = FiatOrderView),
        (status = 400, description = "VALIDATION_ERROR", body = FiatErrorBody),
        (status = 404, description = "ORDER_NOT_FOUND", body = FiatErrorBody),
    ),
)]
pub(crate) async fn get_fiat_order(
    State(app): State<Arc<App>>,
    segment: Segment,
) -> ApiResult<Json<FiatOrderView>> {
    let mut issues = Issues::default();
    let text = segment.text(&mut issues);
    issues.finish()?;
    Ok(Json(map_view(&app, &find_order(&app, text.as_deref()).await?)))
}

/// The order of that id; an id of another form is none of ours.
pub(super) async fn find_order(app: &App, id: Option<&str>) -> ApiResult<FiatOrder> {
    let id = id.and_then(|text| text.parse().ok()).ok_or_else(ApiError::fiat_order_not_found)?;
    app.fiat.store.fiat_order(&id).await?.ok_or_else(ApiError::fiat_order_not_found)
}
