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

/// How long the answer to an order is kept after its fill deadline, in seconds.
const KEPT_AFTER_DEADLINE: u64 = 3_600;

/// A filler's handler of the two calls. Both run on the server's own threads and should answer from memory.
pub trait FillerHandler: Send + Sync + 'static {
    fn quote(&self, ask: &QuoteAsk) -> QuoteAnswer;
    /// Called once per order until its fill deadline has passed, while the process lives; the terms hash to the notice's
    /// intent id.
    fn order(self: &Arc<Self>, notice: OrderNotice, terms: IntentTerms) -> OrderAnswer;
}

/// The answer to each order: the service may repeat a notice.
#[derive(Default)]
struct OrderAnswers(HashMap<B256, (u64, OrderAnswer)>);

impl OrderAnswers {
    /// The first answer to this order. Answers are kept until some time after the fill deadline, when nothing can be delivered.
    fn get_or_insert(
        &mut self,
        terms: &IntentTerms,
        now: u64,
        answer: impl FnOnce() -> OrderAnswer,
    ) -> OrderAnswer {
        let id = terms.id();
        if let Some((_, known)) = self.0.get(&id) {
            return known.clone();
        }
        self.0.retain(|_, (fill_deadline, _)| fill_deadline.saturating_add(KEPT_AFTER_DEADLINE) >= now);
        let answer = answer();
        self.0.insert(id, (terms.fill_deadline, answer.clone()));
        answer
    }
}

struct Server<A> {
    authenticator: RequestAuthenticator,
    handler: Arc<A>,
    order_answers: Mutex<OrderAnswers>,
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
        let now = u64::try_from(Timestamp::now().as_second()).unwrap_or(0);
        let mut order_answers = server.order_answers.lock();
        Ok(order_answers.get_or_insert(&terms, now, || server.handler.order(notice, terms)))
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

#[cfg(test)]
mod tests {
    use super::super::protocol::Verdict;
    use super::*;

    fn terms(nonce: u8, fill_deadline: u64) -> IntentTerms {
        let word = B256::repeat_byte(1);
        IntentTerms {
            origin_chain_id: 1,
            escrow: word,
            user: word,
            nonce: B256::repeat_byte(nonce),
            input_token: word,
            amount_in: alloy_primitives::U256::ONE,
            refund_to: word,
            filler: word,
            payee: word,
            referrer: word,
            referrer_fee: alloy_primitives::U256::ZERO,
            destination_chain_id: 10,
            settler: word,
            output_token: word,
            amount_out: alloy_primitives::U256::ONE,
            recipient: word,
            open_deadline: 1,
            fill_deadline,
            refund_at: u64::MAX,
            epoch: 1,
        }
    }

    #[test]
    fn repeated_notice_gets_the_first_answer_and_old_answers_are_dropped() {
        let accepted = || OrderAnswer { status: Verdict::Accepted, reason: None };
        let again = || panic!("the handler is asked once");
        let mut answers = OrderAnswers::default();
        let (first, second) = (terms(1, 1_000), terms(2, 9_000));
        answers.get_or_insert(&first, 900, accepted);
        assert_eq!(answers.get_or_insert(&first, 1_001, again).status, Verdict::Accepted);
        answers.get_or_insert(&second, 1_000 + KEPT_AFTER_DEADLINE, accepted);
        assert_eq!(answers.0.len(), 2, "the deadline has only just passed");
        answers.get_or_insert(&terms(3, 9_000), 1_001 + KEPT_AFTER_DEADLINE, accepted);
        assert!(!answers.0.contains_key(&first.id()) && answers.0.len() == 2);
    }
}
