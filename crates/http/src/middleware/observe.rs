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

use super::timers::Timers;
use super::{envelope, request_id};
use crate::error::ApiError;
use crate::metrics::{Metrics, RequestLabels};

/// What surrounds every request: its id, its time limit, its line in the log and in the metrics, and the certainty
/// of an answer even if a handler panics.
///
/// One service instead of a stack of small ones, because each layer of a router is cloned and boxed for each request.
#[derive(Clone, Debug)]
pub(crate) struct ObserveLayer {
    pub(crate) metrics: Arc<Metrics>,
    /// Bounds the time until an answer begins; a body that streams afterwards takes as long as it takes.
    pub(crate) timeout: Duration,
    pub(crate) timers: Arc<Timers>,
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
        let seen = Seen::new(&request, &self.layer.metrics);
        let (limit, timers) = (self.layer.timeout, Arc::clone(&self.layer.timers));
        let is_fiat = envelope::lies_in_fiat(request.uri().path());
        // Boxed at once: the future is large, and what wraps it below would move it again and again; so is the answer of the
        // layers inside until it is made one like any other.
        let work = Box::pin(self.inner.call(request).map_ok(IntoResponse::into_response));
        Box::pin(async move {
            let span = tracing::debug_span!("request", id = seen.id.to_str().unwrap_or_default());
            let work = envelope::with(is_fiat, finish(work, limit, &timers));
            let work = request_id::with(seen.id.clone(), work);
            let response = work.instrument(span).await;
            Ok(seen.tell(response))
        })
    }
}

/// The answer of `work`, or the one for a panic or for too long a wait.
async fn finish(
    work: impl Future<Output = Result<Response, Infallible>>,
    limit: Duration,
    timers: &Timers,
) -> Response {
    match timers.within(limit, AssertUnwindSafe(work).catch_unwind()).await {
        Some(Ok(Ok(response))) => response,
        Some(Err(panic)) => answer_panic(panic.as_ref()),
        None => ApiError::timed_out(limit.as_secs()).into_response(),
    }
}

/// No panic is known to be reachable; should one be, its request ends and the service lives on.
fn answer_panic(cause: &(dyn Any + Send)) -> Response {
    let text =
        cause.downcast_ref::<&str>().copied().or_else(|| cause.downcast_ref::<String>().map(String::as_str));
    ApiError::internal(&format_args!("panic: {}", text.unwrap_or("without words"))).into_response()
}

/// What is remembered of a request until its answer is there.
struct Seen {
    start: Instant,
    id: HeaderValue,
    method: Method,
    route: Option<MatchedPath>,
    sdk: Option<String>,
    metrics: Arc<Metrics>,
}

impl Seen {
    fn new(request: &Request, metrics: &Arc<Metrics>) -> Self {
        metrics.enter();
        let sdk = request.headers().get("x-svc-sdk-version").and_then(|value| value.to_str().ok());
        Self {
            start: Instant::now(),
            id: request_id::choose(request.headers()),
            method: request.method().clone(),
            route: request.extensions().get::<MatchedPath>().cloned(),
            sdk: sdk.map(|version| metrics.sdk_label(version)),
            metrics: Arc::clone(metrics),
        }
    }

    /// Writes the request's line, and completes its answer with the headers that suit every answer.
    fn tell(self, mut response: Response) -> Response {
        let elapsed = self.start.elapsed();
        let status = response.status().as_u16();
        // Unknown paths share one label: a scanner must not be able to grow the metrics.
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

impl Drop for Seen {
    /// Counts the request out again, even when its caller went away.
    fn drop(&mut self) {
        self.metrics.leave();
    }
}
