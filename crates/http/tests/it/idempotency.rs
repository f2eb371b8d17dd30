//! Requests with an idempotency key.

use std::sync::Arc;

use async_trait::async_trait;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use causeway_domain::ports::{IdempotencyStore, KeptAnswer, KeyUse, KeyedRequest, StoreError};
use causeway_testing::sample::WALLET;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::deposit_builder::ChainBehavior;
use crate::deposits::{QUOTE, Setup, sealed, setup, setup_with};
use crate::service::{json as body_json, send};

const KEY: &str = "0b1e5c1c-8f0e-4c57-9d0c-6a4f9d7f5f11";

async fn build_as(setup: &Setup, (key, integrator): (&str, &str), method: &str) -> (u16, HeaderMap, Value) {
    let ask = json!({ "quoteId": QUOTE, "routeId": "house", "from": WALLET, "depositMethod": method });
    let request = Request::post("/v1/deposit/build")
        .header("Idempotency-Key", key)
        .header("x-integrator-id", integrator)
        .body(Body::from(sealed(ask).to_string()))
        .unwrap();
    let response = send(setup.router.clone(), request).await;
    (response.status().as_u16(), response.headers().clone(), body_json(response).await)
}

async fn build(setup: &Setup, key: &str, method: &str) -> (u16, HeaderMap, Value) {
    build_as(setup, (key, "shop"), method).await
}

#[tokio::test]
async fn repeated_request_gets_the_first_answer_and_says_so() {
    let setup = setup();
    let (status, headers, first) = build(&setup, KEY, "CONTRACT_CALL").await;
    assert_eq!((status, headers.get("idempotency-replayed")), (200, None), "{first}");
    // What would be refused now is not executed again.
    *setup.builder.behavior.lock().unwrap() = ChainBehavior::Unavailable;
    let (status, headers, again) = build(&setup, KEY, "CONTRACT_CALL").await;
    assert_eq!((status, &again), (200, &first));
    assert_eq!(headers["idempotency-replayed"], "true");
    assert_eq!(headers["content-type"], "application/json");
}

#[tokio::test]
async fn key_of_another_request_is_refused_and_keys_belong_to_integrators() {
    let setup = setup();
    assert_eq!(build(&setup, KEY, "CONTRACT_CALL").await.0, 200);
    let (status, _, body) = build(&setup, KEY, "TRANSFER").await;
    assert_eq!((status, body["name"].as_str()), (422, Some("IdempotencyKeyReusedException")), "{body}");
    assert!(body["message"].as_str().unwrap().contains("use a new key"), "{body}");
    let (status, headers, _) = build_as(&setup, (KEY, "other-shop"), "CONTRACT_CALL").await;
    assert_eq!((status, headers.get("idempotency-replayed")), (200, None));
}

#[tokio::test]
async fn failures_are_not_kept() {
    let setup = setup();
    *setup.builder.behavior.lock().unwrap() = ChainBehavior::Unavailable;
    let (status, ..) = build(&setup, KEY, "CONTRACT_CALL").await;
    assert!(status >= 500, "{status}");
    *setup.builder.behavior.lock().unwrap() = ChainBehavior::default();
    assert_eq!(build(&setup, KEY, "CONTRACT_CALL").await.0, 200);
}

#[tokio::test]
async fn unusable_keys_are_refused_with_the_rule() {
    let setup = setup();
    for key in ["", "two words", &"k".repeat(256)] {
        let (status, _, body) = build(&setup, key, "CONTRACT_CALL").await;
        assert_eq!((status, body["name"].as_str()), (400, Some("ValidationException")), "{key}: {body}");
        assert_eq!(body["details"]["issues"][0]["path"], "Idempotency-Key");
    }
    assert!(setup.ledger.orders.lock().unwrap().is_empty());
}

/// Another process executes every request.
struct OtherProcess;

#[async_trait]
impl IdempotencyStore for OtherProcess {
    async fn claim_request(
        &self,
        _: &KeyedRequest,
        _: Timestamp,
        _: Timestamp,
    ) -> Result<KeyUse, StoreError> {
        Ok(KeyUse::InProgress)
    }

    async fn keep_answer(&self, _: &KeyedRequest, _: &KeptAnswer) -> Result<(), StoreError> {
        Err(StoreError::Unavailable("nothing was claimed".into()))
    }

    async fn release_request(&self, _: &KeyedRequest) -> Result<(), StoreError> {
        Err(StoreError::Unavailable("nothing was claimed".into()))
    }
}

#[tokio::test]
async fn request_in_progress_is_a_conflict_with_a_time_to_retry() {
    let setup = setup_with(Some(Arc::new(OtherProcess)));
    let (status, headers, body) = build(&setup, KEY, "CONTRACT_CALL").await;
    assert_eq!((status, body["name"].as_str()), (409, Some("RequestInProgressException")), "{body}");
    assert_eq!(headers["retry-after"], "1");
    assert!(setup.ledger.orders.lock().unwrap().is_empty());
}
