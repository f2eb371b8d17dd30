//! The server side of the protocol: a filler in Rust implements [`FillerHandler`], and the router does authentication and signing.

use std::collections::HashMap;
use std::sync::Arc;

use alloy_primitives::B256;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, OriginalUri, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use causeway_domain::IntentTerms;
use jiff::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;

use super::protocol::{CallError, OrderAnswer, OrderNotice, QuoteAnswer, QuoteAsk};
use super::{NONCE, RequestAuthenticator, SIGNATURE, Secret, SignedRequest};

/// Maximum size of a request.
const MAX_REQUEST_BYTES: usize = 64 * 1024;

/// A filler's handler of the two calls. Both run on the server's own threads and should answer from memory.
pub trait FillerHandler: Send + Sync + 'static {
    fn quote(&self, ask: &QuoteAsk) -> QuoteAnswer;
    /// Called once per order while the process lives; the terms hash to the notice's intent id.
    fn order(self: &Arc<Self>, notice: OrderNotice, terms: IntentTerms) -> OrderAnswer;
}

struct Server<A> {
    authenticator: RequestAuthenticator,
    handler: Arc<A>,
    /// The answer to each order: the service may repeat a notice.
    order_answers: Mutex<HashMap<B256, OrderAnswer>>,
}

/// `/quote` and `/orders`: authenticates requests, rejects replays, and signs responses.
pub fn router<A: FillerHandler>(secret: Secret, handler: Arc<A>) -> Router {
    let server = Arc::new(Server {
        authenticator: RequestAuthenticator::new(secret),
        handler,
        order_answers: Mutex::default(),
    });
    Router::new()
        .route("/quote", post(quote::<A>))
        .route("/orders", post(order::<A>))
        .layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
        .with_state(server)
}

async fn quote<A: FillerHandler>(
    State(server): State<Arc<Server<A>>>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    server.answer(uri.path(), &headers, &body, || {
        let ask: QuoteAsk = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
        Ok(server.handler.quote(&ask))
    })
}

async fn order<A: FillerHandler>(
    State(server): State<Arc<Server<A>>>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    server.answer(uri.path(), &headers, &body, || {
        let notice: OrderNotice = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
        let terms = notice.terms.read().filter(|terms| terms.id().to_string() == notice.intent_id);
        let terms = terms.ok_or("the terms do not hash to the intent's id")?;
        let mut order_answers = server.order_answers.lock();
        let entry = order_answers.entry(terms.id());
        Ok(entry.or_insert_with(|| server.handler.order(notice, terms)).clone())
    })
}

impl<A: FillerHandler> Server<A> {
    fn answer<T: Serialize>(
        &self,
        path: &str,
        headers: &HeaderMap,
        body: &[u8],
        answer: impl FnOnce() -> Result<T, String>,
    ) -> Response {
        let header = |name: &'static str| headers.get(name).and_then(|value| value.to_str().ok());
        let request = SignedRequest::read(path, header, body);
        if let Err(error) = self.authenticator.authenticate(&request, Timestamp::now()) {
            return error_response(StatusCode::UNAUTHORIZED, error.to_string());
        }
        let response = answer().and_then(|body| serde_json::to_vec(&body).map_err(|error| error.to_string()));
        match response {
            Ok(body) => self.signed(header(NONCE).unwrap_or_default(), body),
            Err(message) => error_response(StatusCode::BAD_REQUEST, message),
        }
    }

    fn signed(&self, nonce: &str, body: Vec<u8>) -> Response {
        let signature = self.authenticator.sign(nonce, StatusCode::OK.as_u16(), &body);
        let mut response = body.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // Hex is always a valid header value.
        if let Ok(signature) = HeaderValue::from_str(&signature) {
            headers.insert(HeaderName::from_static(SIGNATURE), signature);
        }
        response
    }
}

fn error_response(status: StatusCode, message: String) -> Response {
    (status, axum::Json(CallError { error: message })).into_response()
}
