use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderName, Method, header};
use axum::middleware::from_fn_with_state;
use tower::ServiceBuilder;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::cors::{AllowHeaders, Any, CorsLayer};

use crate::error::ApiError;
use crate::middleware::observe::ObserveLayer;
use crate::middleware::rate_limit::{Limiter, limit_rate};
use crate::middleware::request_id;
use crate::{App, BODY_LIMIT, openapi, operator, pages};

/// The whole service as one router; `beside` are further routes with the same surroundings.
///
/// Each kind of route has its surroundings in one layer: a router clones and boxes every layer of a route for each request,
/// and with each layer those below it once more.
pub fn router(app: App, beside: Router) -> Router {
    let app = Arc::new(app);
    app.metrics.watch_fillers(app.request_quote.fillers());
    let observe = ObserveLayer {
        metrics: Arc::clone(&app.metrics),
        timeout: app.options.timeout,
        timers: Arc::default(),
    };
    let observe = || observe.clone();
    let buckets = app.options.rate_limit.map(Limiter::new);
    let limited = || {
        ServiceBuilder::new()
            .option_layer(buckets.clone().map(|buckets| from_fn_with_state(buckets, limit_rate)))
            .layer(DefaultBodyLimit::max(BODY_LIMIT))
    };
    let api = Router::from(openapi::routes())
        .merge(pages::routes(&openapi::document()))
        .fallback(no_such_path)
        .method_not_allowed_fallback(wrong_method)
        .layer((observe(), compression(), cors(), limited()))
        .with_state(Arc::clone(&app));
    let drawing = Router::from(openapi::drawing_routes())
        .method_not_allowed_fallback(wrong_method)
        .with_state(Arc::clone(&app))
        .merge(beside)
        .layer((observe(), cors(), limited()));
    let closed = Router::from(openapi::closed_routes())
        .method_not_allowed_fallback(wrong_method)
        .layer((observe(), limited()))
        .with_state(Arc::clone(&app));
    // Whoever runs the service is kept waiting by no limit of clients.
    let operator = operator::routes(&app)
        .method_not_allowed_fallback(wrong_method)
        .layer((observe(), DefaultBodyLimit::max(BODY_LIMIT)))
        .with_state(app);
    api.merge(drawing).merge(closed).merge(operator)
}

async fn no_such_path(request: Request) -> ApiError {
    let path: String = request.uri().path().chars().take(200).collect();
    ApiError::not_found(format!("There is nothing at {path}. The API reference is at /docs."))
}

async fn wrong_method(request: Request) -> ApiError {
    ApiError::method_not_allowed(request.method().as_str())
}

/// Streams are exempt: a compressor would hold back the line that a client waits for.
fn compression() -> CompressionLayer<impl Predicate> {
    let worthwhile = SizeAbove::new(860)
        .and(NotForContentType::new("application/x-ndjson"))
        .and(NotForContentType::new("text/event-stream"));
    CompressionLayer::new().compress_when(worthwhile)
}

/// Open to every origin, as the contract says; webhooks and the page around a checkout are not.
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
