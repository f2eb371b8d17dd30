use axum::body::Body;
use axum::http::Request;
use causeway_catalog::Catalog;
use causeway_domain::{EventKind, OrderStatus};
use causeway_testing::sample::{order, with_history};
use causeway_wire::WebhookEvent;
use serde_json::{Value, json};

use crate::operator_services::TOKEN;
use crate::service::{Service, json as body_json, send};

async fn operate(method: &str, path: &str, body: Value) -> (u16, Value) {
    let request =
        Request::builder().method(method).uri(path).header("authorization", format!("Bearer {TOKEN}"));
    let response =
        send(Service::default().router(), request.body(Body::from(body.to_string())).unwrap()).await;
    (response.status().as_u16(), body_json(response).await)
}

#[tokio::test]
async fn all_issues_of_an_endpoint_are_returned_together() {
    let wrong = json!({ "name": "No Name", "secret": "short" });
    let (status, answer) = operate("POST", "/operator/webhooks", wrong).await;
    let issues = answer["details"]["issues"].as_array().unwrap();
    let paths: Vec<_> = issues.iter().map(|issue| issue["path"].as_str().unwrap()).collect();
    assert_eq!((status, paths), (400, vec!["name", "url", "secret"]));
}

#[tokio::test]
async fn unknown_endpoint_is_not_found() {
    for (method, path) in [
        ("DELETE", "/operator/webhooks/fixture"),
        ("POST", "/operator/webhooks/fixture/rotate"),
        ("GET", "/operator/webhooks/fixture/log"),
    ] {
        let (status, answer) = operate(method, path, json!({})).await;
        assert_eq!(status, 404, "{path}");
        assert!(answer["message"].as_str().unwrap().contains("causeway webhooks list"), "{answer}");
    }
    let replay =
        |after: &str| operate("POST", "/operator/webhooks/fixture/replay", json!({ "after": after }));
    assert_eq!(replay("7").await.0, 404);
    assert_eq!(replay("yesterday").await.0, 400);
}

#[test]
fn webhook_contains_the_event_and_the_public_order() {
    let (order, events) = with_history(order(1), &[OrderStatus::Created, OrderStatus::Deposited]);
    let catalog = Catalog::bundled().unwrap();
    let deposited = EventKind::Status(OrderStatus::Deposited);
    let event = events.iter().find(|event| event.kind == deposited).unwrap();
    let body = causeway_http::encode_webhook_event(&order, &events, event, &catalog.snapshot());
    let webhook: WebhookEvent = serde_json::from_slice(&body).unwrap();
    assert_eq!(webhook.id, event.key.get().to_string());
    assert_eq!(webhook.event.status.as_deref(), Some("deposited"));
    assert_eq!((&webhook.order.id, &webhook.event.order_id), (&order.id.to_string(), &order.id.to_string()));
    assert_eq!(webhook.order.steps_completed, ["created", "deposited"]);
}
