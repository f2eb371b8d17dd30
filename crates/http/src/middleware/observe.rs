use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use causeway_wire::ErrorName;
use tracing::Instrument;

use super::request_id;
use crate::metrics::{Metrics, RequestLabels};

/// Gives the request its id, and the log and the metrics their line about it.
pub(crate) async fn observe(State(metrics): State<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let id = request_id::choose(request.headers());
    let method = request.method().clone();
    // Unknown paths share one label: a scanner must not be able to grow the metrics.
    let route: Arc<str> = match request.extensions().get::<MatchedPath>() {
        Some(path) => path.as_str().into(),
        None => "unmatched".into(),
    };
    let sdk = request.headers().get("x-svc-sdk-version").and_then(|value| value.to_str().ok());
    let sdk = sdk.map(|version| metrics.sdk_label(version));

    let in_flight = metrics.enter();
    let span = tracing::debug_span!("request", id = id.to_str().unwrap_or_default());
    let mut response = request_id::with(id.clone(), next.run(request)).instrument(span).await;
    drop(in_flight);

    let elapsed = start.elapsed();
    let status = response.status().as_u16();
    if let Some(name) = response.extensions().get::<ErrorName>() {
        metrics.count_error(*name);
    }
    if let Some(sdk) = &sdk {
        metrics.count_sdk(sdk);
    }
    tracing::info!(
        target: "causeway::request",
        id = id.to_str().unwrap_or_default(),
        method = method.as_str(),
        route = &*route,
        status,
        micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
        sdk = sdk.as_deref(),
    );
    metrics.record(&RequestLabels::new(&method, route, status), elapsed);
    response.headers_mut().insert(request_id::HEADER, id);
    response
}
