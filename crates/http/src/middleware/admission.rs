//! Decides whether a request is worked on: not more at a time than the process can do, not more than each client may, and
//! with a valid API key where it needs one.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderMap, HeaderName};
use axum::response::{IntoResponse as _, Response};
use causeway_domain::ports::{ApiScope, Integrator};
use causeway_engine::Integrators;
use futures::future::BoxFuture;
use jiff::Timestamp;
use tower::{Layer, Service};

use super::rate_limit::{Limiter, RequestKind};
use crate::BODY_LIMIT;
use crate::app::{ApiKeys, Options};
use crate::error::{ApiError, ApiResult};

pub(crate) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// What tells a machine whether the process lives must be answered most of all when there is too much to do.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Seconds after which a client that found the service full should try again.
const RETRY_AFTER: u64 = 1;

/// Whose API key came with a request, as an extension of it.
#[derive(Clone, Debug)]
pub(crate) struct KeyHolder(pub(crate) Arc<Integrator>);

/// The bounds on what clients may ask for.
#[derive(Debug)]
pub(crate) struct Admission {
    in_work: Arc<InWork>,
    limiter: Option<Limiter>,
    integrators: Arc<Integrators>,
    keys: ApiKeys,
}

impl Admission {
    pub(crate) fn new(options: &Options, integrators: Arc<Integrators>) -> Arc<Self> {
        Arc::new(Self {
            in_work: Arc::new(InWork { limit: options.max_in_work, count: AtomicUsize::new(0) }),
            limiter: options.rate_limits.map(Limiter::new),
            integrators,
            keys: options.api_keys,
        })
    }

    /// Lets the request through with its place among those in work, or says why not.
    fn admit(&self, request: &mut Request) -> ApiResult<Option<Place>> {
        if PROBES.contains(&request.uri().path()) {
            return Ok(None);
        }
        self.check(request)?;
        self.in_work.enter().map(Some).ok_or_else(|| ApiError::overloaded(RETRY_AFTER))
    }

    /// Adds the holder of the request's key as an extension, or says why the request is not let through.
    fn check(&self, request: &mut Request) -> ApiResult<()> {
        let kind = RequestKind::of(request);
        let given = (self.keys != ApiKeys::Off).then(|| key(request.headers())).flatten();
        let holder = given.and_then(|given| self.integrators.find(given, Timestamp::now()));
        if let Some(limiter) = &self.limiter {
            let name = holder.as_ref().map(|holder| holder.name.as_str());
            limiter.check(kind, request, name).map_err(|seconds| match name {
                Some(_) => ApiError::rate_limited(kind.plural(), "with this API key", seconds),
                None => ApiError::rate_limited(kind.plural(), "from this address", seconds),
            })?;
        }
        match (holder, scope(kind)) {
            (Some(holder), Some(scope)) if !holder.scopes.contains(&scope) => {
                return Err(ApiError::unauthorized(format!(
                    "The API key of {} is not for {}: it lacks the scope `{scope}`.",
                    holder.name,
                    kind.plural()
                )));
            }
            (Some(holder), _) => {
                if kind == RequestKind::Quote {
                    let taken = self.integrators.take_quote(&holder, Timestamp::now());
                    taken.map_err(|seconds| ApiError::quota_used_up(&holder.name, seconds))?;
                }
                request.extensions_mut().insert(KeyHolder(holder));
            }
            (None, _) if given.is_some() => {
                return Err(ApiError::unauthorized(
                    "The API key in `x-api-key` is not valid: it is unknown, revoked or expired.",
                ));
            }
            (None, Some(_)) if self.keys == ApiKeys::Required => {
                return Err(ApiError::unauthorized("Send your API key in the header `x-api-key`."));
            }
            (None, _) => {}
        }
        Ok(())
    }
}

fn key(headers: &HeaderMap) -> Option<&str> {
    headers.get(API_KEY).map(|value| value.to_str().unwrap_or_default().trim())
}

/// What a key must be good for. A submit needs none: its route was built with one, and a payer who has signed must not wait.
const fn scope(kind: RequestKind) -> Option<ApiScope> {
    match kind {
        RequestKind::Quote => Some(ApiScope::Quotes),
        RequestKind::Build => Some(ApiScope::Builds),
        RequestKind::Fiat => Some(ApiScope::Fiat),
        RequestKind::General | RequestKind::Submit | RequestKind::Stream => None,
    }
}

/// Lets admitted requests through, and limits their bodies.
///
/// A service of its own, because one made of a function clones and boxes all that it wraps for each request.
#[derive(Clone, Debug)]
pub(crate) struct AdmissionLayer(pub(crate) Arc<Admission>);

impl<S> Layer<S> for AdmissionLayer {
    type Service = Admitted<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Admitted { inner, admission: Arc::clone(&self.0) }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Admitted<S> {
    inner: S,
    admission: Arc<Admission>,
}

impl<S> Service<Request> for Admitted<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let place = match self.admission.admit(&mut request) {
            Ok(place) => place,
            // Written where the id of the request is known, which is not here.
            Err(error) => return Box::pin(async { Ok(error.into_response()) }),
        };
        DefaultBodyLimit::max(BODY_LIMIT).apply(&mut request);
        let work = self.inner.call(request);
        Box::pin(async move {
            // Held until the response begins, or the client is gone; streams have a bound of their own.
            let _place = place;
            work.await
        })
    }
}

/// The requests that are being worked on.
#[derive(Debug)]
struct InWork {
    limit: usize,
    count: AtomicUsize,
}

impl InWork {
    fn enter(self: &Arc<Self>) -> Option<Place> {
        let place = Place(Arc::clone(self));
        (self.count.fetch_add(1, Ordering::Relaxed) < self.limit).then_some(place)
    }
}

/// A place that is free again when this is dropped.
struct Place(Arc<InWork>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_bounded_and_come_back() {
        let in_work = Arc::new(InWork { limit: 2, count: AtomicUsize::new(0) });
        let (first, second) = (in_work.enter().unwrap(), in_work.enter().unwrap());
        assert!(in_work.enter().is_none() && in_work.enter().is_none());
        drop(first);
        let third = in_work.enter().unwrap();
        assert!(in_work.enter().is_none());
        drop((second, third));
        assert_eq!(in_work.count.load(Ordering::Relaxed), 0);
    }
}
