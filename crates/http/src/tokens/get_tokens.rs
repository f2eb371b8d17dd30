use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_catalog::{Cursor, TokenFilter};
use causeway_wire::{ErrorBody, Page, Token};

use crate::App;
use crate::error::ApiResult;
use crate::extract::QueryParams;
use crate::mapping::map_token;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 1_000;

/// Lists the catalog, well-known tokens first.
///
/// Pagination is stable while token lists are refreshed: tokens that exist throughout appear exactly once.
#[utoipa::path(
    get,
    path = "/v1/tokens",
    tag = "tokens",
    params(
        ("q" = Option<String>, Query, description = "Part of a name or symbol, or an address", example = "usd"),
        ("chainIds" = Option<String>, Query, description = "Only these chains, comma-joined", example = "1,8453"),
        ("limit" = Option<u32>, Query, description = "1 to 1000, 20 by default; more is clamped", example = 20),
        ("cursor" = Option<u64>, Query, description = "The `cursor` of the page before"),
    ),
    responses(
        (status = 200, body = Page<Token>),
        (status = 400, description = "ValidationException", body = ErrorBody),
    ),
)]
pub(crate) async fn get_tokens(
    State(app): State<Arc<App>>,
    mut params: QueryParams,
) -> ApiResult<Json<Page<Token>>> {
    let q = params.filled_text("q");
    let chains = params.chain_ids();
    let limit = params.limit(DEFAULT_LIMIT, MAX_LIMIT);
    let cursor = params.cursor();
    params.finish()?;
    let snapshot = app.catalog.snapshot();
    let filter = TokenFilter { q: q.as_deref(), chains: &chains };
    let page = snapshot.tokens(filter, cursor.and_then(Cursor::new), limit);
    Ok(Json(Page {
        data: page.tokens.into_iter().map(|listed| map_token(listed, &app)).collect(),
        cursor: page.next.map(Cursor::get),
    }))
}
