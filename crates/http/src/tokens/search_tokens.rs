use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_catalog::MAX_SEARCH_RESULTS;
use causeway_wire::{Data, ErrorBody, Token};

use crate::App;
use crate::error::ApiResult;
use crate::extract::QueryParams;
use crate::mapping::map_token;

/// Finds tokens by name, symbol, address or identifier, typos forgiven, best first, at most 50.
///
/// Without `q`, the well-known tokens.
#[utoipa::path(
    get,
    path = "/v1/tokens/search",
    tag = "tokens",
    params(
        ("q" = Option<String>, Query, description = "What to look for", example = "usdcoin"),
        ("chainIds" = Option<String>, Query, description = "Only these chains, comma-joined", example = "1,8453"),
    ),
    responses(
        (status = 200, body = Data<Token>),
        (status = 400, description = "ValidationException", body = ErrorBody),
    ),
)]
pub(crate) async fn search_tokens(
    State(app): State<Arc<App>>,
    mut params: QueryParams,
) -> ApiResult<Json<Data<Token>>> {
    let q = params.filled_text("q");
    let chains = params.chain_ids();
    params.finish()?;
    let snapshot = app.catalog.snapshot();
    let found = match q {
        Some(q) => snapshot.search(&q, &chains, MAX_SEARCH_RESULTS),
        None => snapshot.top(&chains).into_iter().take(MAX_SEARCH_RESULTS).collect(),
    };
    Ok(Json(Data { data: found.into_iter().map(|listed| map_token(listed, &app)).collect() }))
}
