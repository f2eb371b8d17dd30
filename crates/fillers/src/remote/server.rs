//! The other end of the line: a filler in Rust answers two functions, and this keeps the rules of the protocol around them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use alloy_primitives::B256;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, OriginalUri, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use causeway_domain::Terms;
use jiff::Timestamp;
use serde::Serialize;

use super::protocol::{CallError, OrderAnswer, OrderNotice, QuoteAnswer, QuoteAsk};
use super::{Call, Doorkeeper, NONCE, SIGNATURE, Secret};

/// The most that a call may hold.
const LONGEST_CALL: usize = 64 * 1024;

/// What a filler says to the two calls. Both are asked on the server's own threads and should answer from memory.
pub trait Answers: Send + Sync + 'static {
    fn quote(&self, ask: &QuoteAsk) -> QuoteAnswer;
    /// Asked once for each order while the process lives; the terms hash to the notice's intent.
    fn order(self: &Arc<Self>, notice: OrderNotice, terms: Terms) -> OrderAnswer;
}

struct Server<A> {
    door: Doorkeeper,
    answers: Arc<A>,
    /// What was answered to each order: the service may not have heard it.
    answered: Mutex<HashMap<B256, OrderAnswer>>,
}

/// `/quote` and `/orders`: lets in who has the secret, once and in time, reads what is in form, and signs what is answered.
pub fn router<A: Answers>(secret: Secret, answers: Arc<A>) -> Router {
    let server = Arc::new(Server { door: Doorkeeper::new(secret), answers, answered: Mutex::default() });
    Router::new()
        .route("/quote", post(quote::<A>))
        .route("/orders", post(order::<A>))
        .layer(DefaultBodyLimit::max(LONGEST_CALL))
        .with_state(server)
}

async fn quote<A: Answers>(
    State(server): State<Arc<Server<A>>>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    server.answer(uri.path(), &headers, &body, || {
        let ask: QuoteAsk = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
        Ok(server.answers.quote(&ask))
    })
}

async fn order<A: Answers>(
    State(server): State<Arc<Server<A>>>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    server.answer(uri.path(), &headers, &body, || {
        let notice: OrderNotice = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
        let terms = notice.terms.read().filter(|terms| terms.id().to_string() == notice.intent_id);
        let terms = terms.ok_or("the terms do not hash to the intent's id")?;
        let mut answered = server.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let known = answered.entry(terms.id());
        Ok(known.or_insert_with(|| server.answers.order(notice, terms)).clone())
    })
}

impl<A: Answers> Server<A> {
    fn answer<T: Serialize>(
        &self,
        path: &str,
        headers: &HeaderMap,
        body: &[u8],
        answer: impl FnOnce() -> Result<T, String>,
    ) -> Response {
        let header = |name: &'static str| headers.get(name).and_then(|value| value.to_str().ok());
        let call = Call::read(path, header, body);
        if let Err(why) = self.door.admit(&call, Timestamp::now()) {
            return refuse(StatusCode::UNAUTHORIZED, why.to_string());
        }
        let written = answer().and_then(|said| serde_json::to_vec(&said).map_err(|error| error.to_string()));
        match written {
            Ok(said) => self.signed(header(NONCE).unwrap_or_default(), said),
            Err(words) => refuse(StatusCode::BAD_REQUEST, words),
        }
    }

    fn signed(&self, nonce: &str, body: Vec<u8>) -> Response {
        let signature = self.door.sign(nonce, StatusCode::OK.as_u16(), &body);
        let mut response = body.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // Hex always makes a value.
        if let Ok(signature) = HeaderValue::from_str(&signature) {
            headers.insert(HeaderName::from_static(SIGNATURE), signature);
        }
        response
    }
}

fn refuse(status: StatusCode, words: String) -> Response {
    (status, axum::Json(CallError { error: words })).into_response()
}
