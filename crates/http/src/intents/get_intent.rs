use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::Order;
use causeway_wire::{ErrorBody, Intent};

use super::map_intent::map_intent;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{PathParam, parse_hash};

/// One intent by its on-chain id.
#[utoipa::path(
    get,
    path = "/v1/intent/{intentId}",
    tag = "intents",
    params((
        "intentId" = String, Path, description = "The intent id; anything else is no intent",
        example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad",
    )),
    responses(
        (status = 200, body = Intent),
        (status = 404, description = "IntentNotFoundException", body = ErrorBody, example = json!({
            "name": "IntentNotFoundException",
            "message": "There is no such intent. An intent is shown once its deposit was submitted or seen.",
        })),
    ),
)]
pub(crate) async fn get_intent(State(app): State<Arc<App>>, param: PathParam) -> ApiResult<Json<Intent>> {
    // What cannot be an id is not the id of an intent.
    let order = match parse_hash(&param.raw()) {
        Ok(id) => app.orders.order_of_intent(id).await?,
        Err(_) => None,
    };
    intent_response(&app, order).await
}

/// Maps the order to an intent, if it is announced.
pub(super) async fn intent_response(app: &App, order: Option<Order>) -> ApiResult<Json<Intent>> {
    let order = order
        .filter(|order| order.announced && order.provider.is_none())
        .ok_or_else(ApiError::intent_not_found)?;
    Ok(Json(map_intent(&order, &app.orders.order_events(&order.id).await?)))
}
