use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use causeway_domain::OrderStatus;
use causeway_domain::ports::{Filler, OrderStore as _, StuckKind, StuckReason};
use causeway_testing::MemoryStore;
use causeway_testing::sample::{at, order, raw, shown, with_history};
use serde_json::{Value, json};

use crate::filler::{FakeFiller, FillerBehavior};
use crate::operator_services::{PAUSE_TOKEN, READ_TOKEN, TOKEN};
use crate::service::{Service, json as body_json, send};

fn request(method: &str, path: &str, token: Option<&str>, body: &Value) -> Request<Body> {
    let request = Request::builder().method(method).uri(path);
    let request = match token {
        Some(token) => request.header("authorization", format!("Bearer {token}")),
        None => request,
    };
    request.body(if body.is_null() { Body::empty() } else { Body::from(body.to_string()) }).unwrap()
}

async fn operate(router: &Router, method: &str, path: &str, body: Value) -> (u16, Value) {
    read_response(send(router.clone(), request(method, path, Some(TOKEN), &body)).await).await
}

async fn read_response(response: Response<Body>) -> (u16, Value) {
    (response.status().as_u16(), body_json(response).await)
}

fn service() -> Service {
    let offering = |name| FakeFiller::new(name, FillerBehavior::Offers("3000000000"), 0) as Arc<dyn Filler>;
    Service { fillers: vec![offering("north"), offering("south")], ..Service::default() }
}

async fn quote(router: &Router) -> (u16, Value) {
    let ask = json!({
        "tradeType": "EXACT_INPUT",
        "fromChainId": 1, "fromToken": "0x0000000000000000000000000000000000000000",
        "toChainId": 8453, "toToken": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "amount": "1000000000000000000", "fromAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    });
    read_response(send(router.clone(), request("POST", "/v1/quotes", None, &ask)).await).await
}

#[tokio::test]
async fn request_without_token_is_401_and_says_where_the_token_is() {
    let router = service().router();
    for token in [None, Some(""), Some("guess"), Some("an operator's toke")] {
        let response = send(router.clone(), request("GET", "/operator/pauses", token, &Value::Null)).await;
        assert_eq!(response.headers()["www-authenticate"], "Bearer");
        let (status, answer) = read_response(response).await;
        assert_eq!((status, &answer["name"]), (401, &json!("UnauthorizedException")));
        assert!(answer["message"].as_str().unwrap().contains("operator-token"), "{answer}");
    }
    assert_eq!(operate(&router, "GET", "/operator", Value::Null).await.0, 200);
}

#[tokio::test]
async fn a_token_does_what_its_role_allows_and_the_audit_log_says_who_asked_for_what() {
    let router = service().router();
    let pause = json!({ "kind": "chain", "name": "8453", "reason": "maintenance" });
    let filler = json!({ "name": "remote", "kind": "remote", "url": "https://remote.example", "secret": "s".repeat(32) });
    for (token, method, path, body, expected) in [
        (READ_TOKEN, "GET", "/operator/overview", &Value::Null, 200),
        (READ_TOKEN, "POST", "/operator/pauses", &pause, 403),
        (PAUSE_TOKEN, "POST", "/operator/pauses", &pause, 200),
        (PAUSE_TOKEN, "DELETE", "/operator/pauses/chain/8453", &Value::Null, 200),
        (PAUSE_TOKEN, "POST", "/operator/fillers", &filler, 403),
        (TOKEN, "POST", "/operator/fillers", &filler, 200),
    ] {
        let response = send(router.clone(), request(method, path, Some(token), body)).await;
        let (status, answer) = read_response(response).await;
        assert_eq!(status, expected, "{method} {path}: {answer}");
        if status == 403 {
            assert!(answer["message"].as_str().unwrap().contains("needs the role"), "{answer}");
        }
    }
    let (_, log) = operate(&router, "GET", "/operator/audit", Value::Null).await;
    let lines: Vec<_> = log["events"].as_array().unwrap().iter().rev().collect();
    let shown: Vec<_> = lines.iter().map(|line| (&line["kind"], &line["subject"], &line["detail"])).collect();
    let kind = json!("operator.action");
    let paused = json!(format!("POST /operator/pauses {pause}"));
    let refused = json!(format!("POST /operator/pauses {pause} (refused)"));
    let expected = [
        ("rita", refused),
        ("paul", paused),
        ("paul", json!("DELETE /operator/pauses/chain/8453")),
        ("paul", json!("POST /operator/fillers (refused)")),
        ("operator", json!("POST /operator/fillers")),
    ];
    let subjects = expected.iter().map(|(name, _)| json!(name)).collect::<Vec<_>>();
    let expected: Vec<_> =
        expected.iter().zip(&subjects).map(|((_, detail), name)| (&kind, name, detail)).collect();
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn operator_api_has_no_cors_and_is_not_documented() {
    let preflight = Request::builder()
        .method("OPTIONS")
        .uri("/operator/pauses")
        .header("origin", "https://evil.example")
        .header("access-control-request-method", "POST")
        .body(Body::empty())
        .unwrap();
    let response = send(service().router(), preflight).await;
    assert!(!response.headers().contains_key("access-control-allow-origin"));
    assert!(!causeway_http::openapi().to_json().unwrap().contains("/operator"));
}

#[tokio::test]
async fn paused_chain_is_not_quoted_and_the_reason_is_returned() {
    let router = service().router();
    assert_eq!(quote(&router).await.0, 200);
    let pause = json!({ "kind": "chain", "name": "8453", "reason": "maintenance until noon" });
    assert_eq!(operate(&router, "POST", "/operator/pauses", pause).await.0, 200);
    let (status, answer) = quote(&router).await;
    assert_eq!((status, &answer["name"]), (422, &json!("CannotFillException")));
    assert_eq!(answer["message"], "For now, chain 8453 is paused: maintenance until noon.");
    let reason = "chain 8453 is paused: maintenance until noon";
    assert_eq!(answer["details"]["reasons"][1], json!({ "filler": "south", "reason": reason }));
    assert_eq!(operate(&router, "DELETE", "/operator/pauses/chain/8453", Value::Null).await.0, 200);
    assert_eq!(quote(&router).await.0, 200);
    assert_eq!(operate(&router, "DELETE", "/operator/pauses/chain/8453", Value::Null).await.0, 404);
}

#[tokio::test]
async fn paused_filler_is_skipped() {
    let router = service().router();
    let pause = json!({ "kind": "filler", "name": "north", "reason": "asleep" });
    assert_eq!(operate(&router, "POST", "/operator/pauses", pause).await.0, 200);
    let (_, answer) = quote(&router).await;
    assert_eq!(answer["routes"].as_array().unwrap().len(), 1);
    assert_eq!(answer["routes"][0]["filler"], "south");
    let fillers =
        body_json(send(router.clone(), request("GET", "/v1/fillers", None, &Value::Null)).await).await;
    assert_eq!(fillers[0]["paused"], "filler north is paused: asleep");
    assert!(fillers[1].get("paused").is_none());
    let (_, listed) = operate(&router, "GET", "/operator/fillers", Value::Null).await;
    assert_eq!(
        (&listed["data"][0]["state"], &listed["data"][1]["state"]),
        (&json!("paused"), &json!("active"))
    );
}

#[tokio::test]
async fn unknown_target_cannot_be_paused() {
    let router = service().router();
    for (kind, name, status) in [
        ("chain", "999999", 404),
        ("chain", "base", 400),
        ("filler", "nobody", 404),
        ("onramp", "nobody", 404),
        ("planet", "earth", 400),
        ("token", "eip155:8453:0x0000000000000000000000000000000000000001", 404),
    ] {
        let answer =
            operate(&router, "POST", "/operator/pauses", json!({ "kind": kind, "name": name })).await;
        assert_eq!(answer.0, status, "{kind} {name}: {}", answer.1);
    }
    let (_, listed) = operate(&router, "GET", "/operator/pauses", Value::Null).await;
    assert_eq!(listed, json!({ "data": [] }));
}

#[tokio::test]
async fn fillers_are_added_and_removed_without_exposing_secrets() {
    let router = service().router();
    let remote = json!({ "name": "remote", "kind": "remote", "url": "https://remote.example", "secret": "hush hush", "deadlineMs": 500 });
    let (status, answer) = operate(&router, "POST", "/operator/fillers", remote).await;
    assert_eq!(status, 200, "{answer}");
    assert!(!answer.to_string().contains("hush"));
    let (_, listed) = operate(&router, "GET", "/operator/fillers", Value::Null).await;
    assert_eq!(listed["data"][2]["name"], "remote");
    assert!(!listed.to_string().contains("hush"));
    assert_eq!(operate(&router, "DELETE", "/operator/fillers/remote", Value::Null).await.0, 200);
    assert_eq!(operate(&router, "DELETE", "/operator/fillers/nobody", Value::Null).await.0, 404);
    for (bad, status) in [
        (json!({ "name": "remote", "kind": "remote", "url": "http://remote.example" }), 400),
        (json!({ "name": "north", "kind": "remote", "url": "https://remote.example" }), 400),
        (json!({ "name": "remote", "kind": "carrier pigeon", "url": "https://remote.example" }), 400),
        (json!({ "kind": "remote", "deadlineMs": 0 }), 400),
    ] {
        assert_eq!(operate(&router, "POST", "/operator/fillers", bad.clone()).await.0, status, "{bad}");
    }
}

#[tokio::test]
async fn order_is_shown_with_history_and_what_it_waits_for() {
    let (mut order, events) =
        with_history(order(1), &[OrderStatus::Created, OrderStatus::Deposited, OrderStatus::Published]);
    order.evidence.deposit = Some(shown(8453, 10, raw(1_000_000_000)));
    order.due_at = Some(at(60));
    let id = order.id.clone();
    let reason = StuckReason {
        kind: StuckKind::Attesters,
        message: "having the filler paid: 1 of 2".to_owned(),
        since: order.updated_at,
    };
    let ledger = Arc::new(MemoryStore::with_orders(vec![(order, events.clone())]));
    ledger.record_stuck_reason(&id, Some(&reason)).await.unwrap();
    let service = Service { ledger, ..service() };
    let router = service.router();
    let (status, history) = operate(&router, "GET", &format!("/operator/orders/{id}"), Value::Null).await;
    assert_eq!(status, 200, "{history}");
    assert_eq!(history["events"].as_array().unwrap().len(), events.len());
    assert_eq!(history["terms"]["version"], "2");
    assert!(history["evidence"]["deposit"]["block"].is_u64(), "{history}");
    assert_eq!(operate(&router, "GET", "/operator/orders/nothing", Value::Null).await.0, 404);
    let (_, stuck) = operate(&router, "GET", "/operator/stuck?olderThan=0", Value::Null).await;
    assert_eq!(stuck["data"][0]["orderId"], id.as_str());
    assert!(!stuck["data"][0]["remedy"].as_str().unwrap().is_empty());
    assert_eq!(operate(&router, "GET", "/operator/stuck?olderThan=soon", Value::Null).await.0, 400);
}
