//! Purchases as operators see them: those that are stuck, and the erasure of their personal data.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use causeway_domain::fiat::FiatStatus;
use causeway_testing::MemoryStore;
use causeway_testing::sample::WALLET;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::fiat::purchase;
use crate::operator_services::{PAUSE_TOKEN, TOKEN};
use crate::service::{Service, json as body_json, send};

async fn operate(router: &Router, method: &str, path: &str, token: &str, body: &Value) -> (u16, Value) {
    let request = Request::builder().method(method).uri(format!("/operator/{path}"));
    let request = request.header("authorization", format!("Bearer {token}"));
    let response = send(router.clone(), request.body(Body::from(body.to_string())).unwrap()).await;
    (response.status().as_u16(), body_json(response).await)
}

#[tokio::test]
async fn purchases_without_progress_are_stuck_with_a_reason_and_a_remedy() {
    let now = Timestamp::now();
    let aged = |n, status, minutes: i64| {
        let mut order = purchase(n, status);
        (order.updated_at, order.due_at) = (now - SignedDuration::from_mins(minutes), Some(now));
        order
    };
    let mut unpaid = aged(5, FiatStatus::Created, 600);
    unpaid.pay_by = now + SignedDuration::from_hours(1);
    let purchases = vec![
        aged(1, FiatStatus::Processing, 60),
        aged(2, FiatStatus::Processing, 10),
        aged(3, FiatStatus::Pending, 25 * 60),
        aged(4, FiatStatus::Pending, 60),
        unpaid,
    ];
    let ledger = Arc::new(MemoryStore::with_fiat_orders(purchases));
    let router = Service { ledger, ..Service::default() }.router();
    let ids = |answer: &Value| -> Vec<String> {
        let rows = answer["purchases"].as_array().unwrap().iter();
        rows.map(|row| row["purchaseId"].as_str().unwrap().trim_start_matches('0').to_owned()).collect()
    };
    let (status, answer) = operate(&router, "GET", "stuck", TOKEN, &Value::Null).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(ids(&answer), ["3", "1"], "longest first: {answer}");
    let row = &answer["purchases"][1];
    assert_eq!((&row["provider"], &row["providerOrderId"]), (&json!("sandbox-card"), &json!("session-1")));
    assert!(row["reason"].as_str().unwrap().contains("no final block of chain 8453"), "{row}");
    assert!(row["remedy"].as_str().unwrap().contains("session-1"), "{row}");
    let (_, answer) = operate(&router, "GET", "stuck?olderThan=1800", TOKEN, &Value::Null).await;
    assert_eq!(ids(&answer), ["3", "5", "1", "4"]);
}

#[tokio::test]
async fn an_erasure_names_the_purchases_and_not_the_address_in_the_audit_log() {
    let over = |n, status| {
        let mut order = purchase(n, status);
        order.due_at = None;
        order
    };
    let purchases = vec![over(1, FiatStatus::Completed), over(2, FiatStatus::Failed), {
        let mut open = purchase(3, FiatStatus::Pending);
        open.due_at = Some(Timestamp::now());
        open
    }];
    let ledger = Arc::new(MemoryStore::with_fiat_orders(purchases));
    let router = Service { ledger: Arc::clone(&ledger), ..Service::default() }.router();
    for body in [json!({}), json!({ "address": "0x12" }), json!({ "purchase": "x", "address": WALLET })] {
        assert_eq!(operate(&router, "POST", "erasures", TOKEN, &body).await.0, 400, "{body}");
    }
    let body = json!({ "address": WALLET.to_lowercase() });
    assert_eq!(operate(&router, "POST", "erasures", PAUSE_TOKEN, &body).await.0, 403);
    let (status, answer) = operate(&router, "POST", "erasures", TOKEN, &body).await;
    assert_eq!(status, 200, "{answer}");
    let id = |n: u8| format!("{n:032x}");
    assert_eq!(answer, json!({ "erased": [id(1), id(2)], "unfinished": 1 }));
    let (_, log) = operate(&router, "GET", "audit", TOKEN, &Value::Null).await;
    let erased = log["events"].as_array().unwrap().iter().filter(|line| line["kind"] == "purchase.erased");
    let subjects: Vec<&str> = erased.map(|line| line["subject"].as_str().unwrap()).collect();
    assert_eq!(subjects, [id(2), id(1)]);
    assert!(!log.to_string().to_lowercase().contains(&WALLET.to_lowercase()), "{log}");
    let (_, again) = operate(&router, "POST", "erasures", TOKEN, &json!({ "purchase": id(1) })).await;
    assert_eq!(again, json!({ "erased": [], "unfinished": 0 }));
}
