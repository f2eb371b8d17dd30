use std::any::Any;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use causeway_wire::ErrorName;
use futures::{FutureExt as _, TryFutureExt as _};
use tower::{Layer, Service};
use tracing::Instrument as _;

use super::timers::TimerPool;
use super::{envelope, request_id, span};
use crate::error::ApiError;
use crate::metrics::{Metrics, RequestLabels};

/// Adds the request id, the time limit, the log line and the metrics to every request, and answers when a handler panics.
///
/// One layer instead of a stack of small ones, because the router clones and boxes each layer for each request.
#[derive(Clone, Debug)]
pub(crate) struct ObserveLayer {
    pub(crate) metrics: Arc<Metrics>,
    /// Time limit until the response starts; streaming the body is not limited.
    pub(crate) timeout: Duration,
    pub(crate) timers: Arc<TimerPool>,
}

impl<S> Layer<S> for ObserveLayer {
    type Service = Observe<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Observe { inner, layer: self.clone() }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Observe<S> {
    inner: S,
    layer: ObserveLayer,
}

impl<S> Service<Request> for Observe<S>
where
    S: Service<Request, Error = Infallible>,
    S::Response: IntoResponse + 'static,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let record = RequestRecord::new(&request, &self.layer.metrics);
        let span = span::of_request(&request, record.id.to_str().unwrap_or_default());
        let (limit, timers) = (self.layer.timeout, Arc::clone(&self.layer.timers));
        let is_fiat = envelope::is_fiat_path(request.uri().path());
        // Boxed here because the future and the inner response type are large, and each wrapper below would move them again.
        let work = Box::pin(self.inner.call(request).map_ok(IntoResponse::into_response));
        Box::pin(async move {
            let work = envelope::with_fiat(is_fiat, run_with_timeout(work, limit, &timers));
            let work = request_id::with_id(record.id.clone(), work);
            let response = work.instrument(span.clone()).await;
            span.record("http.response.status_code", response.status().as_u16());
            Ok(record.complete(response))
        })
    }
}

/// The response of `work`, or an error response after a panic or a timeout.
async fn run_with_timeout(
    work: impl Future<Output = Result<Response, Infallible>>,
    limit: Duration,
    timers: &TimerPool,
) -> Response {
    match timers.timeout(limit, AssertUnwindSafe(work).catch_unwind()).await {
        Some(Ok(Ok(response))) => response,
        Some(Err(panic)) => panic_response(panic.as_ref()),
        None => ApiError::timed_out(limit.as_secs()).into_response(),
    }
}

/// No reachable panic is known. If there is one, only its request fails.
fn panic_response(cause: &(dyn Any + Send)) -> Response {
    let text =
        cause.downcast_ref::<&str>().copied().or_else(|| cause.downcast_ref::<String>().map(String::as_str));
    ApiError::internal(&format_args!("panic: {}", text.unwrap_or("no message"))).into_response()
}

/// What is needed of a request to log and count its response.
struct RequestRecord {
    start: Instant,
    id: HeaderValue,
    method: Method,
    route: Option<MatchedPath>,
    sdk: Option<String>,
    metrics: Arc<Metrics>,
}

impl RequestRecord {
    fn new(request: &Request, metrics: &Arc<Metrics>) -> Self {
        metrics.request_started();
        let sdk = request.headers().get("x-svc-sdk-version").and_then(|value| value.to_str().ok());
        Self {
            start: Instant::now(),
            id: request_id::from_headers(request.headers()),
            method: request.method().clone(),
            route: request.extensions().get::<MatchedPath>().cloned(),
            sdk: sdk.map(|version| metrics.sdk_label(version)),
            metrics: Arc::clone(metrics),
        }
    }

    /// Logs and counts the request, and adds the headers of every response.
    fn complete(self, mut response: Response) -> Response {
        let elapsed = self.start.elapsed();
        let status = response.status().as_u16();
        // Unknown paths share one label, so that scanners cannot grow the metrics.
        let route = self.route.as_ref().map_or("unmatched", MatchedPath::as_str);
        if let Some(name) = response.extensions().get::<ErrorName>() {
            self.metrics.count_error(*name);
        }
        if let Some(sdk) = &self.sdk {
            self.metrics.count_sdk(sdk);
        }
        tracing::info!(
            target: "causeway::request",
            id = self.id.to_str().unwrap_or_default(),
            method = self.method.as_str(),
            route,
            status,
            micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
            sdk = self.sdk.as_deref(),
        );
        self.metrics.record(&RequestLabels::new(&self.method, route, status), elapsed);
        let headers = response.headers_mut();
        headers.insert(request_id::HEADER, self.id.clone());
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        response
    }
}

impl Drop for RequestRecord {
    /// Ends the request in the metrics, even if the client disconnected.
    fn drop(&mut self) {
        self.metrics.request_finished();
    }
}
