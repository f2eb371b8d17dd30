use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::fiat::FiatStatus;
use causeway_domain::ports::FiatOrderQuery;
use causeway_wire::{FiatErrorBody, FiatOrder, Page};

use super::map_order::map_entry;
use crate::App;
use crate::error::ApiResult;
use crate::extract::{PathParam, QueryParams};
use crate::page::{self, cursor_key, fetch_limit};

/// A wallet's purchases, newest first: those that it made and those that it receives.
#[utoipa::path(
    get,
    path = "/v1/fiat/orders/by-address/{address}",
    tag = "fiat",
    params(
        ("address" = String, Path, description = "In any case on EVM chains", example = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"),
        ("status" = Option<String>, Query, description = "Only those with this status", example = "completed"),
        ("limit" = Option<u32>, Query, description = "1 to 100, 20 by default; more is clamped", example = 20),
        ("cursor" = Option<u64>, Query, description = "The `cursor` of the page before"),
    ),
    responses(
        (status = 200, body = Page<FiatOrder>),
        (status = 400, description = "VALIDATION_ERROR", body = FiatErrorBody),
    ),
)]
pub(crate) async fn get_fiat_orders(
    State(app): State<Arc<App>>,
    param: PathParam,
    mut params: QueryParams,
) -> ApiResult<Json<Page<FiatOrder>>> {
    let address = param.address(&mut params.issues);
    let status = params.raw("status");
    let status = status.and_then(|text| params.issues.check("status", text.parse::<FiatStatus>()));
    let limit = params.limit(page::DEFAULT, page::MAX);
    let before = cursor_key(params.cursor());
    params.finish()?;
    let Some(address) = address else { return Ok(Json(Page { data: Vec::new(), cursor: None })) };
    let query = FiatOrderQuery { address, status, before, limit: fetch_limit(limit) };
    let mut orders = app.fiat.store.fiat_orders(&query).await?;
    let is_last = orders.len() <= limit;
    orders.truncate(limit);
    let cursor = orders.last().filter(|_| !is_last).map(|order| order.key.get().unsigned_abs());
    Ok(Json(Page { data: orders.iter().map(|order| map_entry(&app.deployments, order)).collect(), cursor }))
}
