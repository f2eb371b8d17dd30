use axum::body::Body;
use axum::http::Request;
use causeway_catalog::Catalog;
use causeway_domain::{EventKind, OrderStatus};
use causeway_wire::WebhookEvent;
use serde_json::{Value, json};

use crate::office::TOKEN;
use crate::sample::{order, story};
use crate::service::{Service, json as body_json, send};

async fn operate(method: &str, path: &str, body: Value) -> (u16, Value) {
    let request =
        Request::builder().method(method).uri(path).header("authorization", format!("Bearer {TOKEN}"));
    let response =
        send(Service::default().router(), request.body(Body::from(body.to_string())).unwrap()).await;
    (response.status().as_u16(), body_json(response).await)
}

#[tokio::test]
async fn everything_that_is_wrong_with_an_endpoint_is_told_at_once() {
    let wrong = json!({ "name": "No Name", "secret": "short" });
    let (status, answer) = operate("POST", "/operator/webhooks", wrong).await;
    let issues = answer["details"]["issues"].as_array().unwrap();
    let paths: Vec<_> = issues.iter().map(|issue| issue["path"].as_str().unwrap()).collect();
    assert_eq!((status, paths), (400, vec!["name", "url", "secret"]));
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_not_found() {
    for (method, path) in [
        ("DELETE", "/operator/webhooks/shop"),
        ("POST", "/operator/webhooks/shop/rotate"),
        ("GET", "/operator/webhooks/shop/log"),
    ] {
        let (status, answer) = operate(method, path, json!({})).await;
        assert_eq!(status, 404, "{path}");
        assert!(answer["message"].as_str().unwrap().contains("causeway webhooks list"), "{answer}");
    }
    let replay = |after: &str| operate("POST", "/operator/webhooks/shop/replay", json!({ "after": after }));
    assert_eq!(replay("7").await.0, 404);
    assert_eq!(replay("yesterday").await.0, 400);
}

#[test]
fn a_webhook_tells_the_line_and_the_order_as_everybody_sees_it() {
    let (order, events) = story(order(1), &[OrderStatus::Created, OrderStatus::Deposited]);
    let catalog = Catalog::bundled().unwrap();
    let deposited = EventKind::Status(OrderStatus::Deposited);
    let line = events.iter().find(|line| line.kind == deposited).unwrap();
    let body = causeway_http::tell_event(&order, &events, line, &catalog.snapshot());
    let told: WebhookEvent = serde_json::from_slice(&body).unwrap();
    assert_eq!(told.id, line.key.get().to_string());
    assert_eq!(told.event.status.as_deref(), Some("deposited"));
    assert_eq!((&told.order.id, &told.event.order_id), (&order.id.to_string(), &order.id.to_string()));
    assert_eq!(told.order.steps_completed, ["created", "deposited"]);
}
