use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tower::ServiceBuilder;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

use crate::error::ApiError;
use crate::middleware::admission::{Admission, AdmissionLayer};
use crate::middleware::cors::CorsLayer;
use crate::middleware::deprecation::{self, DEPRECATED, Deprecated};
use crate::middleware::idempotency;
use crate::middleware::observe::ObserveLayer;
use crate::operations::get_metrics::get_metrics_apart;
use crate::{App, BODY_LIMIT, explorer, openapi, operator, pages, widget};

/// The router of the whole service. `extra` routes get the same middleware.
///
/// Each group of routes has its middleware in a single layer, because axum clones and boxes every layer of a route for each
/// request, together with the layers below it.
pub fn router(app: impl Into<Arc<App>>, extra: Router) -> Router {
    let app = app.into();
    app.metrics.register_fillers(app.request_quote.fillers());
    let observe = ObserveLayer {
        metrics: Arc::clone(&app.metrics),
        timeout: app.options.timeout,
        timers: Arc::default(),
    };
    let observe = || observe.clone();
    let admission = Admission::new(&app.options, Arc::clone(app.operator.integrators.integrators()));
    // No layer where nothing is deprecated: each one costs every request.
    let deprecated = Some(Arc::<[Deprecated]>::from(DEPRECATED)).filter(|table| !table.is_empty());
    let limits = || {
        ServiceBuilder::new()
            .option_layer(deprecated.clone().map(|table| from_fn_with_state(table, deprecation::announce)))
            .layer(AdmissionLayer(Arc::clone(&admission)))
    };
    let api = Router::from(openapi::routes())
        .merge(pages::routes(&openapi::document(), app.options.mode))
        .merge(widget::routes())
        .merge(explorer::routes())
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer((observe(), compression(), CorsLayer, limits()))
        .with_state(Arc::clone(&app));
    let keyed = Router::from(openapi::keyed_routes())
        .method_not_allowed_fallback(wrong_method)
        .layer((
            observe(),
            compression(),
            CorsLayer,
            limits(),
            from_fn_with_state(Arc::clone(&app), idempotency::answer_once),
        ))
        .with_state(Arc::clone(&app));
    let qr = Router::from(openapi::qr_routes())
        .method_not_allowed_fallback(wrong_method)
        .with_state(Arc::clone(&app))
        .merge(extra)
        .layer((observe(), CorsLayer, limits()));
    let no_cors = Router::from(openapi::no_cors_routes())
        .method_not_allowed_fallback(wrong_method)
        .layer((observe(), limits()))
        .with_state(Arc::clone(&app));
    // The bounds of clients do not apply to operators.
    let operator = operator::routes(&app)
        .method_not_allowed_fallback(wrong_method)
        .layer((observe(), DefaultBodyLimit::max(BODY_LIMIT)))
        .with_state(app);
    api.merge(keyed).merge(qr).merge(no_cors).merge(operator)
}

/// The metrics alone, for a listener that clients do not reach.
pub fn metrics_router(app: Arc<App>) -> Router {
    Router::new().route("/metrics", get(get_metrics_apart)).with_state(app)
}

async fn unknown_path(request: Request) -> ApiError {
    let path: String = request.uri().path().chars().take(200).collect();
    ApiError::not_found(format!("There is nothing at {path}. The API reference is at /docs."))
}

async fn wrong_method(request: Request) -> ApiError {
    ApiError::method_not_allowed(request.method().as_str())
}

/// Streams are exempt because a compressor would delay single lines.
fn compression() -> CompressionLayer<impl Predicate> {
    let predicate = SizeAbove::new(860)
        .and(NotForContentType::new("application/x-ndjson"))
        .and(NotForContentType::new("text/event-stream"));
    CompressionLayer::new().compress_when(predicate)
}
