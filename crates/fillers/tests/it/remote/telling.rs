use std::sync::{Arc, Mutex};

use alloy_primitives::{B256, U256};
use causeway_domain::ports::{Care, DeedError, Hand as _, Progress};
use causeway_domain::{
    Decision, DepositMethod, Evidence, Order, OrderId, OrderStatus, QuoteId, QuoteKey, QuoteKeys, RawAmount,
    RowKey, Shown, Terms, TradeType,
};
use causeway_fillers::remote::RemoteHand;
use causeway_fillers::remote::protocol::TermsBody;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::server::{ask, filler, honest};

fn key() -> QuoteKey {
    QuoteKey::new([7; 32])
}

/// An order whose deposit stands, with terms that we have quoted.
fn order() -> Order {
    let ask = ask().ask;
    let word = ask.recipient.to_word();
    let terms = Terms {
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
    let deposit = Shown {
        chain: ask.from.chain(),
        tx: B256::repeat_byte(5).to_string(),
        block: 77,
        time: 500,
        amount: ask.amount,
    };
    Order {
        id: OrderId::random().unwrap(),
        key: RowKey::floor_at(at(1_800_000_000)),
        quote: QuoteId::random().unwrap(),
        route: "far".parse().unwrap(),
        status: OrderStatus::Deposited,
        trade_type: TradeType::ExactInput,
        from: ask.from,
        to: ask.to,
        src_amount: ask.amount,
        dest_amount: RawAmount::new(terms.amount_out),
        author: ask.from_address,
        recipient: ask.recipient,
        refund_to: ask.refund_to,
        filler: "far".to_owned(),
        kind: "rfq".to_owned(),
        method: DepositMethod::ContractCall,
        intent: terms.id(),
        terms,
        deposit_address: None,
        jump: None,
        valid_before: at(900),
        care: Care::Usual,
        announced: true,
        told_tx: None,
        built: None,
        handed: None,
        decision: None,
        evidence: Evidence { deposit: Some(deposit), ..Evidence::default() },
        failure_reason: None,
        due_at: None,
        created_at: at(100),
        updated_at: at(100),
        version: 1,
    }
}

fn hand(url: &str) -> RemoteHand {
    let keys = QuoteKeys { current: key(), older: Vec::new() };
    RemoteHand::new(&filler(url), "https://swap.example/", keys)
}

async fn decided(answer: Value) -> (Decision, Option<String>) {
    let url = honest(move |_| answer.clone()).await;
    hand(&url).decide(&order(), Timestamp::now()).await.unwrap()
}

#[tokio::test]
async fn an_order_is_told_with_all_that_a_delivery_and_a_claim_need() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&seen);
    let url = honest(move |call| {
        keep.lock().unwrap().push((call.path, call.body));
        json!({ "status": "accepted" })
    })
    .await;
    let (hand, order) = (hand(&url), order());
    assert_eq!(hand.name(), "far");
    for _ in 0..2 {
        let decided = hand.decide(&order, Timestamp::now()).await.unwrap();
        assert_eq!(decided, (Decision::Fill, None));
    }
    let seen = seen.lock().unwrap();
    let [(path, first), (_, second)] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!((path.as_str(), first), ("/orders", second), "told again, it is the same");
    let terms: TermsBody = serde_json::from_value(first["terms"].clone()).unwrap();
    assert_eq!(terms.read().map(|terms| terms.id()), Some(order.intent));
    assert_eq!(first["intentId"], order.intent.to_string());
    assert_eq!(first["orderId"], order.id.as_str());
    assert_eq!(
        first["deposit"],
        json!({ "chainId": 8453, "txHash": B256::repeat_byte(5).to_string(), "block": 77 })
    );
    let expected = format!("https://swap.example/v1/intent/{}/attestations", order.intent);
    assert_eq!(first["attestations"], expected);
}

#[tokio::test]
async fn what_the_filler_declines_goes_back_with_its_words() {
    let (decision, words) = decided(json!({ "status": "declined", "reason": "the price\nhas moved" })).await;
    assert_eq!(decision, Decision::Waive);
    assert_eq!(words.as_deref(), Some("The filler declined the order: the pricehas moved"));
    let (decision, words) = decided(json!({ "status": "declined", "reason": "o".repeat(5_000) })).await;
    assert_eq!(decision, Decision::Waive);
    assert!(words.is_some_and(|words| words.len() < 300));
    assert_eq!(decided(json!({ "status": "declined" })).await.0, Decision::Waive);
}

#[tokio::test]
async fn a_filler_that_does_not_answer_has_not_decided() {
    for url in ["http://127.0.0.1:1".to_owned(), honest(|_| json!({ "status": "maybe" })).await] {
        let error = hand(&url).decide(&order(), Timestamp::now()).await.unwrap_err();
        assert!(matches!(error, DeedError::Later(_)), "{error}");
    }
}

#[tokio::test]
async fn rule_2_terms_that_were_never_quoted_are_not_vouched_for() {
    let url = honest(|_| panic!("it must not hear of them")).await;
    let mut order = order();
    order.terms.amount_out += U256::ONE;
    let (decision, words) = hand(&url).decide(&order, Timestamp::now()).await.unwrap();
    assert_eq!(decision, Decision::Waive);
    assert!(words.is_some_and(|words| words.contains("never quoted")));
}

#[tokio::test]
async fn all_else_is_the_fillers_own_to_do() {
    let (hand, order, now) = (hand("http://127.0.0.1:1"), order(), Timestamp::now());
    hand.hold(&order, now).await.unwrap();
    hand.reserve(&order, now).await.unwrap();
    assert_eq!(hand.fill(&order, now).await.unwrap(), Progress::Waiting);
    assert_eq!(hand.claim(&order, now).await.unwrap(), Progress::Waiting);
    assert!(matches!(hand.waive(&order, now).await, Err(DeedError::Later(_))));
    hand.release(&order).await.unwrap();
}
