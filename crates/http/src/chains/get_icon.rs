use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use causeway_wire::ErrorBody;

use crate::App;
use crate::caching::icon_response;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, PathParam};

/// A chain's icon as SVG.
#[utoipa::path(
    get,
    path = "/v1/chain/{chainId}/icon",
    tag = "chains",
    params(("chainId" = u64, Path, description = "A chain id of `GET /v1/chains`", example = 8453)),
    responses(
        (status = 200, description = "The icon", content_type = "image/svg+xml", body = String),
        (status = 304, description = "The icon with this `If-None-Match` is current"),
        (status = 400, description = "ValidationException", body = ErrorBody),
        (status = 404, description = "NotFoundException: no such chain", body = ErrorBody),
    ),
)]
pub(crate) async fn get_icon(
    State(app): State<Arc<App>>,
    param: PathParam,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let mut issues = Issues::default();
    let chain = param.chain_id(&mut issues);
    issues.finish()?;
    let snapshot = app.catalog.snapshot();
    let icon = chain.and_then(|chain| snapshot.icon(chain)).ok_or_else(|| {
        ApiError::not_found("There is no icon for this chain. GET /v1/chains lists the chains that have one.")
    })?;
    icon_response(&headers, &icon.etag, Bytes::clone(&icon.svg)).map_err(|error| ApiError::internal(&error))
}
