use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::fiat::FiatOrder;
use causeway_wire::{FiatErrorBody, FiatOrderView};

use super::map_order::{is_proved, map_public_view, map_view};
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{PathParam, QueryParams};

/// A purchase with all its details.
///
/// The checkout page and the provider's own words are there only with the `token` of `wrapperUrl`: ids of orders are public.
/// For a jump it has every term that the deposit address commits to, so that the funds can be recovered without this service.
#[utoipa::path(
    get,
    path = "/v1/fiat/order/{orderId}",
    tag = "fiat",
    params(
        ("orderId" = String, Path, description = "As the order was answered", example = "0f8fad5bd9cb469fa16570867728950e"),
        ("token" = Option<String>, Query, description = "The token of the order's `wrapperUrl`"),
    ),
    responses(
        (status = 200, body = FiatOrderView),
        (status = 400, description = "VALIDATION_ERROR", body = FiatErrorBody),
        (status = 404, description = "ORDER_NOT_FOUND", body = FiatErrorBody),
    ),
)]
pub(crate) async fn get_fiat_order(
    State(app): State<Arc<App>>,
    param: PathParam,
    mut query: QueryParams,
) -> ApiResult<Json<FiatOrderView>> {
    let text = param.text(&mut query.issues);
    let token = query.raw("token");
    query.issues.finish()?;
    let order = find_order(&app, text.as_deref()).await?;
    let is_proved = is_proved(&app, &order, token.as_deref());
    Ok(Json(if is_proved { map_view(&app, &order) } else { map_public_view(&app.deployments, &order) }))
}

/// The order with that id; a malformed id is reported as not found.
pub(super) async fn find_order(app: &App, id: Option<&str>) -> ApiResult<FiatOrder> {
    let id = id.and_then(|text| text.parse().ok()).ok_or_else(ApiError::fiat_order_not_found)?;
    app.fiat.store.fiat_order(&id).await?.ok_or_else(ApiError::fiat_order_not_found)
}
