//! Answers a repeated request with the same `Idempotency-Key` as the first time, for a day and on every process.

use std::sync::Arc;

use alloy_primitives::{B256, Keccak256};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use causeway_domain::ports::{IdempotencyStore, KeptAnswer, KeyUse, KeyedRequest};
use causeway_wire::Issue;
use jiff::{SignedDuration, Timestamp};
use utoipa::IntoParams;

use super::admission::KeyHolder;
use crate::error::{ApiError, ApiResult};
use crate::{App, BODY_LIMIT};

pub(crate) const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// The header in the API document.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "the middleware reads the header itself")]
pub(crate) struct IdempotencyKey {
    /// Any text, such as a UUID, that is new for each request. Repeating the request with the same key within 24 hours gives
    /// the first answer again, with `Idempotency-Replayed: true`; failures are not kept.
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 255, pattern = "^[!-~]+$")]
    key: Option<String>,
}

/// Says that an answer is that of an earlier attempt.
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

const MAX_KEY_LENGTH: usize = 255;

/// The largest answer that is kept; none of ours comes near it.
const MAX_ANSWER: usize = 1 << 20;

/// How long a key belongs to its request.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// When an attempt without an answer counts as lost, with the process that made it.
const ABANDONED: SignedDuration = SignedDuration::from_mins(1);

/// How long a client waits for the attempt in progress, in seconds.
const RETRY_AFTER: u64 = 1;

/// Executes a request with a key once; other requests pass.
pub(crate) async fn answer_once(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if !request.headers().contains_key(HEADER) {
        return next.run(request).await;
    }
    execute(&app, request, next).await.unwrap_or_else(IntoResponse::into_response)
}

async fn execute(app: &App, request: Request, next: Next) -> ApiResult<Response> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, BODY_LIMIT).await.map_err(|_| ApiError::payload_too_large(BODY_LIMIT))?;
    let keyed = keyed_request(&parts, &body)?;
    let (abandoned, expired) = (keyed.at - ABANDONED, keyed.at - KEPT);
    match app.idempotency.claim_request(&keyed, abandoned, expired).await? {
        KeyUse::Claimed => {}
        KeyUse::Answered(answer) => return Ok(replay(answer)),
        KeyUse::InProgress => return Err(ApiError::in_progress(RETRY_AFTER)),
        KeyUse::OtherRequest => return Err(ApiError::idempotency_key_reused()),
    }
    let mut claim = Claim { store: Arc::clone(&app.idempotency), keyed, is_over: false };
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    if !response.status().is_success() {
        claim.release().await;
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, MAX_ANSWER).await.map_err(|error| ApiError::internal(&error))?;
    claim.keep(KeptAnswer { status: parts.status.as_u16(), body: body.to_vec() }).await;
    Ok(Response::from_parts(parts, Body::from(body)))
}

fn keyed_request(parts: &Parts, body: &Bytes) -> ApiResult<KeyedRequest> {
    let key = key(&parts.headers)?;
    let holder = parts.extensions.get::<KeyHolder>().map(|KeyHolder(holder)| holder.name.as_bytes());
    let named = || parts.headers.get("x-integrator-id").map_or(&[][..], HeaderValue::as_bytes);
    let integrator = holder.unwrap_or_else(named);
    let target = parts.uri.path_and_query().map_or("", |target| target.as_str());
    let mut attempt = [0; 32];
    getrandom::fill(&mut attempt).map_err(|error| ApiError::internal(&error))?;
    Ok(KeyedRequest {
        key: hash(&[integrator, key.as_bytes()]),
        request: hash(&[parts.method.as_str().as_bytes(), target.as_bytes(), body]),
        attempt: attempt.into(),
        at: Timestamp::now(),
    })
}

fn key(headers: &HeaderMap) -> ApiResult<&str> {
    let text = headers.get(HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if (1..=MAX_KEY_LENGTH).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(text);
    }
    let message = format!("must be 1 to {MAX_KEY_LENGTH} visible ASCII characters, such as a UUID");
    Err(ApiError::validation(&[Issue { path: "Idempotency-Key".to_owned(), message }]))
}

/// The hash of a list of texts; each begins with its length, so that no two lists are written alike.
fn hash(texts: &[&[u8]]) -> B256 {
    let mut hasher = Keccak256::new();
    for text in texts {
        hasher.update(text.len().to_be_bytes());
        hasher.update(text);
    }
    hasher.finalize()
}

fn replay(answer: KeptAnswer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (REPLAYED, HeaderValue::from_static("true")),
    ];
    (status, headers, answer.body).into_response()
}

/// The key of an attempt; it is freed if the attempt is dropped because its client has gone.
struct Claim {
    store: Arc<dyn IdempotencyStore>,
    keyed: KeyedRequest,
    is_over: bool,
}

impl Claim {
    /// The request has been executed, so the client gets its answer even where it cannot be kept.
    async fn keep(&mut self, answer: KeptAnswer) {
        let kept = self.store.keep_answer(&self.keyed, &answer).await;
        self.is_over = true;
        if let Err(error) = kept {
            tracing::warn!(%error, "answer not kept for its idempotency key");
        }
    }

    async fn release(&mut self) {
        let released = self.store.release_request(&self.keyed).await;
        self.is_over = true;
        if let Err(error) = released {
            tracing::warn!(%error, "idempotency key not released");
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let (store, keyed) = (Arc::clone(&self.store), self.keyed);
        tokio::spawn(async move {
            if let Err(error) = store.release_request(&keyed).await {
                tracing::warn!(%error, "idempotency key not released");
            }
        });
    }
}
