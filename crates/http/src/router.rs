use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderName, Method, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::cors::{AllowHeaders, Any, CorsLayer};

use crate::error::ApiError;
use crate::middleware::observe::observe;
use crate::middleware::rate_limit::{Limiter, limit_rate};
use crate::middleware::request_id;
use crate::middleware::timeout::limit_time;
use crate::{App, BODY_LIMIT, openapi, pages};

/// The whole service as one router.
pub fn router(app: App) -> Router {
    let app = Arc::new(app);
    let (api, document) = openapi::routes().split_for_parts();
    let mut routes = api
        .with_state(Arc::clone(&app))
        .merge(pages::routes(&document))
        .fallback(no_such_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn_with_state(app.options.timeout, limit_time));
    if let Some(limit) = app.options.rate_limit {
        routes = routes.layer(from_fn_with_state(Limiter::new(limit), limit_rate));
    }
    routes
        .layer(compression())
        .layer(cors())
        .layer(CatchPanicLayer::custom(answer_panic))
        .layer(from_fn_with_state(Arc::clone(&app.metrics), observe))
        .layer(from_fn(pages::harden))
}

async fn no_such_path(request: Request) -> ApiError {
    let path: String = request.uri().path().chars().take(200).collect();
    ApiError::not_found(format!("There is nothing at {path}. The API reference is at /docs."))
}

async fn wrong_method(request: Request) -> ApiError {
    ApiError::method_not_allowed(request.method().as_str())
}

/// No panic is known to be reachable; should one be, its request ends and the service lives on.
#[allow(clippy::needless_pass_by_value, reason = "the layer hands the cause over")]
fn answer_panic(cause: Box<dyn std::any::Any + Send>) -> Response {
    let text =
        cause.downcast_ref::<&str>().copied().or_else(|| cause.downcast_ref::<String>().map(String::as_str));
    ApiError::internal(&format_args!("panic: {}", text.unwrap_or("without words"))).into_response()
}

/// Streams are exempt: a compressor would hold back the line that a client waits for.
fn compression() -> CompressionLayer<impl Predicate> {
    let worthwhile = SizeAbove::new(860)
        .and(NotForContentType::new("application/x-ndjson"))
        .and(NotForContentType::new("text/event-stream"));
    CompressionLayer::new().compress_when(worthwhile)
}

/// Open to every origin, as the contract says; webhooks, which are not, are mounted beside this router.
fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::POST, Method::PUT])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([
            request_id::HEADER,
            HeaderName::from_static("x-partial-chains"),
            header::RETRY_AFTER,
        ])
}
