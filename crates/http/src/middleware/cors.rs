//! Lets the pages of every origin use the API. All headers but those that a preflight mirrors are constants.

use std::convert::Infallible;
use std::sync::LazyLock;
use std::task::{Context, Poll};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::response::Response;
use futures::TryFutureExt as _;
use futures::future::{Either, MapOk, Ready, ready};
use tower::{Layer, Service};

use super::{deprecation, idempotency, request_id};

/// What the answer to a preflight depends on.
const VARY: &str = "origin, access-control-request-method, access-control-request-headers";

/// The headers of responses that pages may read.
static EXPOSED: LazyLock<HeaderValue> = LazyLock::new(|| {
    let names = [
        request_id::HEADER,
        idempotency::REPLAYED,
        HeaderName::from_static("x-partial-chains"),
        header::RETRY_AFTER,
        header::LINK,
        deprecation::DEPRECATION,
        deprecation::SUNSET,
    ];
    let names = names.each_ref().map(HeaderName::as_str).join(",");
    HeaderValue::try_from(names).unwrap_or_else(|_| HeaderValue::from_static(""))
});

/// Webhooks and the checkout page do not get this layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CorsLayer;

impl<S> Layer<S> for CorsLayer {
    type Service = Cors<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Cors(inner)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Cors<S>(S);

impl<S> Service<Request> for Cors<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<Ready<Result<Response, Infallible>>, MapOk<S::Future, fn(Response) -> Response>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.method() == Method::OPTIONS {
            Either::Left(ready(Ok(preflight(request.headers()))))
        } else {
            Either::Right(self.0.call(request).map_ok(open_to_pages))
        }
    }
}

/// Every origin may send any headers.
fn preflight(asked: &HeaderMap) -> Response {
    let mut response = Response::default();
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static(VARY));
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET,POST,PUT"));
    if let Some(names) = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

fn open_to_pages(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.append(header::VARY, HeaderValue::from_static(VARY));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED.clone());
    response
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use tower::ServiceExt as _;

    use super::*;

    async fn headers_of(request: Request, inner: Response) -> Vec<String> {
        let mut inner = Some(inner);
        let handler = tower::service_fn(move |_: Request| ready(Ok(inner.take().unwrap())));
        let response = CorsLayer.layer(handler).oneshot(request).await.unwrap();
        let texts =
            response.headers().iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()));
        texts.collect()
    }

    #[tokio::test]
    async fn pages_of_every_origin_may_read_responses_and_their_headers() {
        let inner = Response::builder().header("vary", "accept").body(Body::empty()).unwrap();
        assert_eq!(
            headers_of(Request::new(Body::empty()), inner).await,
            [
                "vary: accept",
                "vary: origin, access-control-request-method, access-control-request-headers",
                "access-control-allow-origin: *",
                "access-control-expose-headers: x-request-id,idempotency-replayed,x-partial-chains,retry-after,link,deprecation,sunset",
            ]
        );
    }

    #[tokio::test]
    async fn preflight_is_answered_with_the_headers_that_it_asks_for() {
        let asked = |names: Option<&'static str>| {
            let mut request = Request::new(Body::empty());
            *request.method_mut() = Method::OPTIONS;
            request.headers_mut().extend(
                names.map(|names| (header::ACCESS_CONTROL_REQUEST_HEADERS, HeaderValue::from_static(names))),
            );
            request
        };
        let unreached = || Response::builder().header("x-handler", "was called").body(Body::empty()).unwrap();
        assert_eq!(
            headers_of(asked(Some("x-anything,content-type")), unreached()).await,
            [
                "vary: origin, access-control-request-method, access-control-request-headers",
                "access-control-allow-methods: GET,POST,PUT",
                "access-control-allow-headers: x-anything,content-type",
                "access-control-allow-origin: *",
            ]
        );
        assert_eq!(headers_of(asked(None), unreached()).await.len(), 3, "nothing to mirror");
    }
}
