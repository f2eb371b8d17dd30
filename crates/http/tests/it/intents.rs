use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use causeway_domain::OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
use causeway_domain::{Decision, Order, OrderStatus, RefundCause, TokenId};
use causeway_testing::MemoryStore;
use causeway_testing::sample::{WALLET, chain, order, shown, with_history};
use serde_json::{Value, json};

use crate::service::{Service, json as body_json, send};

async fn ask(ledger: &Arc<MemoryStore>, path: &str) -> (u16, Value) {
    let router = Service { ledger: Arc::clone(ledger), ..Service::default() }.router();
    let response = send(router, Request::get(path).body(Body::empty()).unwrap()).await;
    (response.status().as_u16(), body_json(response).await)
}

fn settled() -> Order {
    let mut order = order(1);
    order.decision = Some(Decision::Fill);
    order.evidence.deposit = Some(shown(8453, 6, order.src_amount));
    order.evidence.fill = Some(shown(1, 26, order.dest_amount));
    order.evidence.claim = Some(shown(8453, 40, order.src_amount));
    order
}

const PATH: [OrderStatus; 4] = [Created, Deposited, Published, Filled];

#[tokio::test]
async fn settled_intent_matches_the_contract() {
    let order = settled();
    let path = format!("/v1/intent/{}", order.intent_id);
    let ledger = Arc::new(MemoryStore::with_orders(vec![with_history(order, &PATH)]));
    insta::assert_json_snapshot!(ask(&ledger, &path).await.1);
}

#[tokio::test]
async fn state_follows_order_status_and_on_chain_evidence() {
    let with = |change: &dyn Fn(&mut Order)| {
        let mut order = order(1);
        order.evidence.deposit = Some(shown(8453, 6, order.src_amount));
        change(&mut order);
        order
    };
    let plain = with(&|_| ());
    let refund =
        |cause| with(&|order| order.evidence.refund = Some((shown(8453, 28, order.src_amount), cause)));
    let accepted = with(&|order| order.decision = Some(Decision::Fill));
    for (order, status, state) in vec![
        (order(1), Created, "NonExistent"),
        (plain.clone(), Deposited, "Open"),
        (plain.clone(), Published, "Locked"),
        (plain.clone(), Filled, "Solved"),
        (settled(), Filled, "Settled"),
        (plain, RefundPending, "Open"),
        (accepted, RefundPending, "Locked"),
        (refund(RefundCause::Waived), Refunded, "Cancelled"),
        (refund(RefundCause::Unfilled), Refunded, "Cancelled"),
        (refund(RefundCause::Expired), Refunded, "Expired"),
        (order(1), Failed, "Error"),
    ] {
        let path = format!("/v1/intent/{}", order.intent_id);
        let ledger = Arc::new(MemoryStore::with_orders(vec![with_history(order, &[status])]));
        assert_eq!(ask(&ledger, &path).await.1["state"], state, "{status}");
    }
}

#[tokio::test]
async fn intent_is_found_by_submitted_or_observed_deposit() {
    let tx_hash = format!("0x{}", "ab".repeat(32));
    let mut submitted = order(2);
    submitted.submitted_tx = Some(tx_hash.clone());
    let ids = [settled().intent_id.to_string(), submitted.intent_id.to_string()];
    let entries = vec![with_history(settled(), &PATH), with_history(submitted, &[Created])];
    let ledger = Arc::new(MemoryStore::with_orders(entries));
    let find = async |chain: u64, tx: &str| {
        ask(&ledger, &format!("/v1/intent/deposit?chainId={chain}&txHash={tx}")).await
    };
    let seen = shown(8453, 6, order(1).src_amount).tx;
    assert_eq!(find(8453, &seen).await.1["intentId"], ids[0]);
    for tx in [tx_hash.clone(), tx_hash.to_uppercase()] {
        let (_, intent) = find(8453, &tx).await;
        assert_eq!(intent["intentId"], ids[1], "{tx}");
        assert_eq!((&intent["deposits"][0]["txHash"], &intent["openedAt"]), (&json!(tx_hash), &Value::Null));
        assert_eq!(intent["deposits"][0]["confirmedAt"], Value::Null);
    }
    let (status, body) = find(1, &seen).await;
    assert_eq!((status, body["name"].as_str()), (404, Some("IntentNotFoundException")), "on another chain");
    let (status, body) = find(8453, &"2".repeat(88)).await;
    assert_eq!(
        (status, body["name"].as_str()),
        (404, Some("IntentNotFoundException")),
        "another family's: {body}"
    );
}

#[tokio::test]
async fn an_intent_by_anything_that_is_no_id_of_one_is_intent_not_found() {
    let mut hidden = order(4);
    hidden.announced = false;
    let id = hidden.intent_id.to_string();
    let ledger = Arc::new(MemoryStore::with_orders(vec![with_history(hidden, &[Created])]));
    let unknown = format!("0x{}", "00".repeat(32));
    let bare = &unknown[2..];
    for anything in [&id, &unknown, bare, "0x12", "nonsense", "a%2Fb", "%F0%9F%92%B8", &"7".repeat(400)] {
        let path = format!("/v1/intent/{anything}");
        let (status, body) = ask(&ledger, &path).await;
        assert_eq!((status, body["name"].as_str()), (404, Some("IntentNotFoundException")), "{path}");
    }
    for (path, issues) in [
        ("/v1/intent/deposit".to_owned(), 2),
        ("/v1/intent/deposit?chainId=0&txHash=0x12".to_owned(), 2),
        (format!("/v1/intent/deposit?chainId=1&chainId=1&txHash={unknown}"), 1),
    ] {
        let (status, body) = ask(&ledger, &path).await;
        assert_eq!((status, body["name"].as_str()), (400, Some("ValidationException")), "{path}");
        assert_eq!(body["details"]["issues"].as_array().unwrap().len(), issues, "{path}: {body}");
    }
}

#[tokio::test]
async fn intents_of_an_author_are_paged_and_filtered_by_chain() {
    let mut elsewhere = order(3);
    elsewhere.to = TokenId::native(chain(10));
    let entries = vec![
        with_history(order(1), &[Created]),
        with_history(order(2), &[Created]),
        with_history(elsewhere, &[Created]),
    ];
    let ledger = Arc::new(MemoryStore::with_orders(entries));
    let page = async |query: &str| ask(&ledger, &format!("/v1/intents/{WALLET}?{query}")).await.1;
    let first = page("limit=1").await;
    let second = page(&format!("limit=1&cursor={}", first["cursor"])).await;
    insta::assert_json_snapshot!([first, second]);
    let count = |page: Value| page["data"].as_array().unwrap().len();
    assert_eq!(count(page("fromChainId=8453").await), 3);
    assert_eq!(count(page("fromChainId=8453&toChainId=10").await), 1);
    assert_eq!(count(page("fromChainId=1").await), 0);
    assert_eq!(page("fromChainId=x&toChainId=-1").await["details"]["issues"].as_array().unwrap().len(), 2);
}
