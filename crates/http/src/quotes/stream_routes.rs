use std::sync::Arc;

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use causeway_domain::{Quote, Route};
use causeway_engine::Routes;
use futures::{StreamExt as _, stream};

use super::json_text::JsonText;
use super::map_route::RouteMapping;
use crate::App;
use crate::error::{ApiError, ApiResult};

/// Enough for most routes.
const TYPICAL_BYTES: usize = 2 * 1024;

/// Streams one route per line. It waits for the first, so that an early error still has its own status code.
pub(super) async fn stream_routes(app: Arc<App>, mut routes: Routes) -> ApiResult<Response> {
    let Some(first) = routes.next().await? else { return Ok(ndjson_response(Body::empty())) };
    let first = line(&app, first).map_err(|error| ApiError::internal(&error))?;
    let rest = stream::try_unfold((app, routes), async |(app, mut routes)| {
        let line = next_line(&app, &mut routes).await?;
        Ok::<_, BoxError>(line.map(|line| (line, (app, routes))))
    });
    Ok(ndjson_response(Body::from_stream(stream::iter([Ok(first)]).chain(rest))))
}

/// The headers are already sent, so an error can only abort the stream and be logged.
async fn next_line(app: &App, routes: &mut Routes) -> Result<Option<Bytes>, BoxError> {
    match routes.next().await {
        Ok(Some(route)) => Ok(Some(line(app, route)?)),
        Ok(None) => Ok(None),
        Err(error) => {
            tracing::error!(%error, "route stream aborted");
            Err(error.into())
        }
    }
}

/// Dropping the body, when the client disconnects, cancels the requests to the fillers.
fn ndjson_response(body: Body) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // Buffering by a proxy would defeat the stream.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, body).into_response()
}

fn line(app: &App, (quote, route): (&Quote, &Route)) -> serde_json::Result<Bytes> {
    let snapshot = app.catalog.snapshot_guard();
    let mut line = JsonText::with_capacity(TYPICAL_BYTES);
    RouteMapping::new(app, &snapshot).write_line(&mut line, quote, route)?;
    line.raw("\n");
    Ok(line.into_bytes().into())
}
