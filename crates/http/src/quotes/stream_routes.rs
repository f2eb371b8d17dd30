use std::sync::Arc;

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use causeway_domain::Route;
use causeway_engine::Routes;
use futures::{StreamExt as _, stream};

use super::write_route::RouteWriter;
use crate::App;
use crate::error::ApiResult;

/// Sends one route per line as they come. The first is waited for, so that an error still has its own status.
pub(super) async fn stream_routes(app: Arc<App>, mut routes: Routes) -> ApiResult<Response> {
    let Some(first) = routes.next().await? else { return Ok(answer(Body::empty())) };
    let first = line(&app, &routes, &first);
    let rest = stream::try_unfold((app, routes), async |(app, mut routes)| {
        let line = next_line(&app, &mut routes).await?;
        Ok::<_, BoxError>(line.map(|line| (line, (app, routes))))
    });
    Ok(answer(Body::from_stream(stream::iter([Ok(first)]).chain(rest))))
}

/// The headers are gone: an error can only break the answer off, and be told to us.
async fn next_line(app: &App, routes: &mut Routes) -> Result<Option<Bytes>, BoxError> {
    match routes.next().await {
        Ok(Some(route)) => Ok(Some(line(app, routes, &route))),
        Ok(None) => Ok(None),
        Err(error) => {
            tracing::error!(%error, "a stream of routes broke off");
            Err(error.into())
        }
    }
}

/// The caller hangs up by dropping the body, and the fillers are then asked no more.
fn answer(body: Body) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // A proxy that gathers the answer before it passes it on would take the point away.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, body).into_response()
}

fn line(app: &App, routes: &Routes, route: &Route) -> Bytes {
    let quote = routes.quote();
    let snapshot = app.catalog.snapshot();
    RouteWriter::new(&snapshot, app.prices.as_ref(), &app.options.public_url, &quote.ask)
        .write_line(quote, route)
        .into()
}
