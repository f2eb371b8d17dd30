use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::ports::OrderQuery;
use causeway_wire::{ErrorBody, IntentSummary, Page};

use super::map_intent::map_summary;
use crate::App;
use crate::error::ApiResult;
use crate::extract::{PathParam, QueryParams};
use crate::page::{self, cursor_key, fetch_limit, next_cursor};

/// An author's intents, newest first.
#[utoipa::path(
    get,
    path = "/v1/intents/{author}",
    tag = "intents",
    params(
        ("author" = String, Path, description = "Who deposits; in any case on EVM chains", example = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"),
        ("fromChainId" = Option<u64>, Query, description = "Only from this chain", example = 8453),
        ("toChainId" = Option<u64>, Query, description = "Only to this chain", example = 1),
        ("limit" = Option<u32>, Query, description = "1 to 100, 20 by default; more is clamped", example = 20),
        ("cursor" = Option<u64>, Query, description = "The `cursor` of the page before"),
    ),
    responses(
        (status = 200, body = Page<IntentSummary>),
        (status = 400, description = "ValidationException", body = ErrorBody),
    ),
)]
pub(crate) async fn get_intents(
    State(app): State<Arc<App>>,
    param: PathParam,
    mut params: QueryParams,
) -> ApiResult<Json<Page<IntentSummary>>> {
    let author = param.address(&mut params.issues);
    let (from_chain, to_chain) = (params.chain_id("fromChainId"), params.chain_id("toChainId"));
    let limit = params.limit(page::DEFAULT, page::MAX);
    let before = cursor_key(params.cursor());
    params.finish()?;
    let Some(author) = author else { return Ok(Json(Page { data: Vec::new(), cursor: None })) };
    let query = OrderQuery {
        author: Some(author),
        ids: Vec::new(),
        status: None,
        from_chain,
        to_chain,
        before,
        limit: fetch_limit(limit),
    };
    let mut orders = app.orders.orders(&query).await?;
    let cursor = next_cursor(&mut orders, limit);
    Ok(Json(Page {
        data: orders.iter().filter(|order| order.provider.is_none()).map(map_summary).collect(),
        cursor,
    }))
}
