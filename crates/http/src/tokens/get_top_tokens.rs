use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_wire::{ErrorBody, Token};

use crate::App;
use crate::error::ApiResult;
use crate::extract::QueryParams;
use crate::mapping::map_token;

/// Lists the well-known tokens, most important first.
#[utoipa::path(
    get,
    path = "/v1/tokens/top",
    tag = "tokens",
    params(("chainIds" = Option<String>, Query, description = "Only these chains, comma-joined", example = "8453")),
    responses(
        (status = 200, body = Vec<Token>),
        (status = 400, description = "ValidationException", body = ErrorBody),
    ),
)]
pub(crate) async fn get_top_tokens(
    State(app): State<Arc<App>>,
    mut params: QueryParams,
) -> ApiResult<Json<Vec<Token>>> {
    let chains = params.chain_ids();
    params.finish()?;
    let snapshot = app.catalog.snapshot();
    let top = snapshot.top(&chains);
    Ok(Json(top.into_iter().map(|listed| map_token(listed, &app)).collect()))
}
