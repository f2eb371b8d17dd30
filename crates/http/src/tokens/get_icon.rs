use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use causeway_domain::TokenId;
use causeway_wire::ErrorBody;

use crate::App;
use crate::caching::icon_response;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, parse_address, parse_chain_id};

/// A token's icon as SVG: the mark of a well-known coin, or one drawn from symbol and address.
#[utoipa::path(
    get,
    path = "/v1/token/{chainId}/{address}/icon",
    tag = "tokens",
    params(
        ("chainId" = u64, Path, description = "A chain id of `GET /v1/chains`", example = 8453),
        ("address" = String, Path, description = "The token's address", example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
    ),
    responses(
        (status = 200, description = "The icon, below 2 kB", content_type = "image/svg+xml", body = String),
        (status = 304, description = "The icon with this `If-None-Match` is current"),
        (status = 400, description = "ValidationException", body = ErrorBody),
        (status = 404, description = "NotFoundException: no such token", body = ErrorBody),
    ),
)]
pub(crate) async fn get_token_icon(
    State(app): State<Arc<App>>,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let mut issues = Issues::default();
    let path = issues.check("path", path.map_err(|_| "the percent-encoding is not valid UTF-8"));
    let (chain, address) = path.map(|Path(parts)| parts).unwrap_or_default();
    let chain = issues.check("chainId", parse_chain_id(&chain));
    issues.check("address", parse_address(&address));
    issues.finish()?;
    // An address of another family than the chain's names no token.
    let id = chain.and_then(|chain| TokenId::new(chain, &address).ok());
    let snapshot = app.catalog.snapshot();
    let icon = id.and_then(|id| snapshot.token_icon(&id)).ok_or_else(|| {
        ApiError::not_found("There is no such token. GET /v1/tokens lists the tokens that have an icon.")
    })?;
    icon_response(&headers, &icon.etag, icon.svg).map_err(|error| ApiError::internal(&error))
}
