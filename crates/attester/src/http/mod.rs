//! The attester's HTTP API.

mod get_attestation;
mod get_health;
mod post_attest;
mod post_attest_batch;
mod refusal;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

use crate::attester::Attester;

/// The terms of an order are 1.4 kB of text.
const MAX_BODY_BYTES: usize = 8 * 1024;

/// The terms of fifty orders.
const MAX_BATCH_BODY_BYTES: usize = 128 * 1024;

/// `POST /attest`, `POST /attest-batch`, `GET /attestations/{orderId}` and `GET /health`.
pub fn router(attester: Attester) -> Router {
    Router::new()
        .route("/attest", post(post_attest::post_attest))
        .route("/attestations/{orderId}", get(get_attestation::get_attestation))
        .route("/health", get(get_health::get_health))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .route(
            "/attest-batch",
            post(post_attest_batch::post_attest_batch).layer(DefaultBodyLimit::max(MAX_BATCH_BODY_BYTES)),
        )
        .with_state(attester)
}
