use std::sync::{Arc, Mutex};

use alloy_primitives::{B256, U256};
use causeway_domain::ports::{ActionError, OrderExecutor as _, Progress};
use causeway_domain::{
    ConfirmedTx, Decision, Evidence, IntentTerms, Order, OrderStatus, QuoteKey, QuoteKeys, RawAmount,
};
use causeway_fillers::remote::RemoteExecutor;
use causeway_fillers::remote::protocol::TermsBody;
use causeway_testing::sample::order_of;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::server::{ask, filler, honest};

fn key() -> QuoteKey {
    QuoteKey::new([7; 32])
}

/// An order with a final deposit and terms that we quoted.
fn order() -> Order {
    let ask = ask().ask;
    let word = ask.recipient.to_word();
    let terms = IntentTerms {
        origin_chain_id: 8453,
        escrow: B256::with_last_byte(2),
        user: word,
        nonce: B256::ZERO,
        input_token: ask.from.address().to_word(),
        amount_in: ask.amount.get(),
        refund_to: word,
        filler: word,
        payee: word,
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: 1,
        settler: B256::with_last_byte(3),
        output_token: ask.to.address().to_word(),
        amount_out: U256::from(999_000_000),
        recipient: word,
        open_deadline: 1_000,
        fill_deadline: 2_000,
        refund_at: 3_000,
        epoch: 1,
    };
    let terms = key().seal(terms).unwrap();
    let at = |second| Timestamp::from_second(second).unwrap();
    let deposit = ConfirmedTx {
        chain: ask.from.chain(),
        tx: B256::repeat_byte(5).to_string(),
        block: 77,
        time: 500,
        amount: ask.amount,
    };
    Order {
        route: "far".parse().unwrap(),
        status: OrderStatus::Deposited,
        from: ask.from,
        to: ask.to,
        src_amount: ask.amount,
        dest_amount: RawAmount::new(terms.amount_out),
        author: ask.from_address,
        recipient: ask.recipient,
        refund_to: ask.refund_to,
        filler: "far".to_owned(),
        kind: "rfq".to_owned(),
        valid_before: at(900),
        evidence: Evidence { deposit: Some(deposit), ..Evidence::default() },
        ..order_of(terms, at(1_800_000_000))
    }
}

fn executor(url: &str) -> RemoteExecutor {
    let keys = QuoteKeys { current: key(), older: Vec::new() };
    RemoteExecutor::new(&filler(url), "https://swap.example/", keys)
}

async fn decided(answer: Value) -> (Decision, Option<String>) {
    let url = honest(move |_| answer.clone()).await;
    executor(&url).decide(&order(), Timestamp::now()).await.unwrap()
}

#[tokio::test]
async fn order_notice_carries_all_fields() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&seen);
    let url = honest(move |call| {
        record.lock().unwrap().push((call.path, call.body));
        json!({ "status": "accepted" })
    })
    .await;
    let (executor, order) = (executor(&url), order());
    assert_eq!(executor.name(), "far");
    for _ in 0..2 {
        let decided = executor.decide(&order, Timestamp::now()).await.unwrap();
        assert_eq!(decided, (Decision::Fill, None));
    }
    let seen = seen.lock().unwrap();
    let [(path, first), (_, second)] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!((path.as_str(), first), ("/orders", second), "the repeated notice is the same");
    let terms: TermsBody = serde_json::from_value(first["terms"].clone()).unwrap();
    assert_eq!(terms.read().map(|terms| terms.id()), Some(order.intent_id));
    assert_eq!(first["intentId"], order.intent_id.to_string());
    assert_eq!(first["orderId"], order.id.as_str());
    assert_eq!(
        first["deposit"],
        json!({ "chainId": 8453, "txHash": B256::repeat_byte(5).to_string(), "block": 77 })
    );
    let expected = format!("https://swap.example/v1/intent/{}/attestations", order.intent_id);
    assert_eq!(first["attestations"], expected);
}

#[tokio::test]
async fn declined_order_is_waived_with_the_fillers_reason() {
    let (decision, reason) = decided(json!({ "status": "declined", "reason": "the price\nhas moved" })).await;
    assert_eq!(decision, Decision::Waive);
    assert_eq!(reason.as_deref(), Some("The filler declined the order: the pricehas moved"));
    let (decision, reason) = decided(json!({ "status": "declined", "reason": "o".repeat(5_000) })).await;
    assert_eq!(decision, Decision::Waive);
    assert!(reason.is_some_and(|reason| reason.len() < 300));
    assert_eq!(decided(json!({ "status": "declined" })).await.0, Decision::Waive);
}

#[tokio::test]
async fn unanswered_notice_is_no_decision() {
    for url in ["http://127.0.0.1:1".to_owned(), honest(|_| json!({ "status": "maybe" })).await] {
        let error = executor(&url).decide(&order(), Timestamp::now()).await.unwrap_err();
        assert!(matches!(error, ActionError::Temporary(_)), "{error}");
    }
}

#[tokio::test]
async fn rule_2_unquoted_terms_are_not_passed_on() {
    let url = honest(|_| panic!("the filler must not be called")).await;
    let mut order = order();
    order.terms.amount_out += U256::ONE;
    let (decision, reason) = executor(&url).decide(&order, Timestamp::now()).await.unwrap();
    assert_eq!(decision, Decision::Waive);
    assert!(reason.is_some_and(|reason| reason.contains("never quoted")));
}

#[tokio::test]
async fn other_actions_are_left_to_the_filler() {
    let (executor, order, now) = (executor("http://127.0.0.1:1"), order(), Timestamp::now());
    executor.hold(&order, now).await.unwrap();
    assert_eq!(executor.undeliverable_reason(&order).await, None);
    executor.reserve(&order, now).await.unwrap();
    assert_eq!(executor.fill(&order, now).await.unwrap(), Progress::Waiting);
    assert_eq!(executor.claim(&order, now).await.unwrap(), Progress::Waiting);
    assert!(matches!(executor.waive(&order, now).await, Err(ActionError::Temporary(_))));
    executor.release(&order).await.unwrap();
}
