use axum::body::Body;
use axum::http::Request;
use causeway_domain::fiat::FiatStatus;
use causeway_testing::MemoryStore;
use serde_json::{Value, json};

use super::{FiatFixture, fixture_with, purchase, read};
use crate::service::send;

fn fixture() -> FiatFixture {
    fixture_with(MemoryStore::with_fiat_orders(vec![purchase(1, FiatStatus::Created)]), None)
}

async fn webhook(fixture: &FiatFixture, provider: &str, body: &Value, signed: bool) -> (u16, Value) {
    let body = body.to_string();
    let request = Request::post(format!("/v1/fiat/webhook/{provider}"));
    let request = if signed { request.header("X-Signature", body.len().to_string()) } else { request };
    read(send(fixture.router.clone(), request.body(Body::from(body)).unwrap()).await).await
}

fn event(change: &Value) -> Value {
    let mut event = json!({ "event": "e1", "order": format!("{:032x}", 1) });
    event.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    event
}

#[tokio::test]
async fn signed_webhook_is_stored_once() {
    let fixture = fixture();
    let first = webhook(&fixture, "sandbox-card", &event(&json!({})), true).await;
    assert_eq!(first, (200, json!({ "outcome": "accepted" })));
    let again = webhook(&fixture, "sandbox-card", &event(&json!({})), true).await;
    assert_eq!(again, (200, json!({ "outcome": "duplicate" })));
    let other = event(&json!({ "order": format!("{:032x}", 9) }));
    assert_eq!(
        webhook(&fixture, "sandbox-card", &other, true).await,
        (200, json!({ "outcome": "unknown_order" }))
    );
    assert_eq!(
        webhook(&fixture, "sandbox-bank", &event(&json!({})), true).await,
        (200, json!({ "outcome": "unknown_order" })),
        "the order is another provider's"
    );
}

#[tokio::test]
async fn signed_webhook_with_other_amount_or_wallet_is_rejected() {
    let fixture = fixture();
    for change in
        [json!({ "paid": "1.00" }), json!({ "wallet": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" })]
    {
        let answer = webhook(&fixture, "sandbox-card", &event(&change), true).await;
        assert_eq!(answer, (200, json!({ "outcome": "rejected" })));
    }
    let kept = fixture.store.fiat_orders.lock().unwrap()[0].clone();
    assert_eq!(kept.status, FiatStatus::Created);
}

#[tokio::test]
async fn unsigned_webhook_is_rejected() {
    let fixture = fixture();
    let (status, body) = webhook(&fixture, "sandbox-card", &event(&json!({})), false).await;
    assert_eq!(status, 400);
    insta::assert_json_snapshot!(body);
    let (status, body) = webhook(&fixture, "nobody", &event(&json!({})), true).await;
    assert_eq!((status, &body["error"]["code"]), (422, &json!("PROVIDER_DISABLED")));
}

#[tokio::test]
async fn body_of_ten_megabytes_is_rejected() {
    let request =
        Request::post("/v1/fiat/webhook/sandbox-card").body(Body::from(vec![b'x'; 10_000_000])).unwrap();
    let (status, body) = read(send(fixture().router, request).await).await;
    assert_eq!((status, &body["error"]["code"]), (413, &json!("PAYLOAD_TOO_LARGE")));
}

#[tokio::test]
async fn cors_is_open_for_the_api_but_not_for_webhooks_and_wrapper() {
    let fixture = fixture();
    let origin = |response: &axum::http::Response<Body>| {
        response.headers().get("access-control-allow-origin").cloned()
    };
    let ask = |method: &str, path: String| {
        let request = Request::builder().method(method).uri(path).header("origin", "https://evil.example");
        let request = request.header("access-control-request-method", "POST");
        send(fixture.router.clone(), request.body(Body::empty()).unwrap())
    };
    let id = format!("{:032x}", 1);
    assert!(origin(&ask("GET", format!("/v1/fiat/orders/{id}/status")).await).is_some());
    assert!(origin(&ask("OPTIONS", "/v1/fiat/quote".to_owned()).await).is_some());
    for (method, path) in [
        ("POST", "/v1/fiat/webhook/sandbox-card".to_owned()),
        ("OPTIONS", "/v1/fiat/webhook/sandbox-card".to_owned()),
        ("GET", format!("/v1/fiat/widget/{id}")),
        ("OPTIONS", format!("/v1/fiat/widget/{id}")),
    ] {
        let response = ask(method, path.clone()).await;
        assert!(origin(&response).is_none(), "{method} {path}");
        assert!(response.headers().contains_key("x-request-id"), "{method} {path}");
    }
}
