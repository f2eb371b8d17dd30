use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::OrderId;
use causeway_domain::ports::OrderQuery;
use causeway_wire::{ErrorBody, Order, Page};

use super::map_orders;
use crate::App;
use crate::error::ApiResult;
use crate::extract::{PathParam, QueryParams};
use crate::page::{self, cursor_key, fetch_limit, next_cursor};

/// An author's orders, newest first.
#[utoipa::path(
    get,
    path = "/v1/orders/{address}",
    tag = "orders",
    params(
        ("address" = String, Path, description = "Who deposits; in any case on EVM chains", example = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"),
        ("orderIds" = Option<String>, Query, description = "Only these, comma-joined; at most 100", example = "0f8fad5bd9cb469fa16570867728950e"),
        ("limit" = Option<u32>, Query, description = "1 to 100, 20 by default; more is clamped", example = 20),
        ("cursor" = Option<u64>, Query, description = "The `cursor` of the page before"),
    ),
    responses(
        (status = 200, body = Page<Order>),
        (status = 400, description = "ValidationException", body = ErrorBody, example = json!({
            "name": "ValidationException",
            "message": "address: is neither an EVM address (0x and 40 hex digits) nor a Solana one (base58)",
            "details": { "issues": [{
                "path": "address",
                "message": "is neither an EVM address (0x and 40 hex digits) nor a Solana one (base58)",
            }] },
        })),
    ),
)]
pub(crate) async fn get_orders(
    State(app): State<Arc<App>>,
    param: PathParam,
    mut params: QueryParams,
) -> ApiResult<Json<Page<Order>>> {
    let author = param.address(&mut params.issues);
    let ids = read_ids(&mut params);
    let limit = params.limit(page::DEFAULT, page::MAX);
    let before = cursor_key(params.cursor());
    params.finish()?;
    let empty = Json(Page { data: Vec::new(), cursor: None });
    let Some(author) = author else { return Ok(empty) };
    // A filter whose ids are all unknown selects nothing, not everything.
    let ids = match ids {
        Some(ids) if ids.is_empty() => return Ok(empty),
        ids => ids.unwrap_or_default(),
    };
    let query = OrderQuery {
        author: Some(author),
        ids,
        status: None,
        from_chain: None,
        to_chain: None,
        before,
        limit: fetch_limit(limit),
    };
    let mut orders = app.orders.orders(&query).await?;
    let cursor = next_cursor(&mut orders, limit);
    Ok(Json(Page { data: map_orders(&app, &orders).await?, cursor }))
}

/// The requested ids; malformed ones are ignored because they match no order.
fn read_ids(params: &mut QueryParams) -> Option<Vec<OrderId>> {
    let texts = params.list("orderIds")?;
    if texts.len() > page::MAX {
        let message = format!("are {} ids; ask for at most {} at once", texts.len(), page::MAX);
        params.issues.add("orderIds", message);
        return None;
    }
    Some(texts.into_iter().filter_map(|text| text.parse().ok()).collect())
}
