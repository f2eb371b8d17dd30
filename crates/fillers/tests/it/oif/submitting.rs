use std::time::Duration;

use alloy_primitives::{B256, hex};
use causeway_domain::ports::{Answer, Care, DeedError, Filler as _, Hand as _, Offer, Progress};
use causeway_domain::{
    Decision, DepositMethod, Evidence, Order, OrderId, OrderStatus, QuoteId, QuoteKey, QuoteKeys, RowKey,
    Terms, TradeType,
};
use causeway_fillers::oif::{ByteForm, OifHand};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::solver::{FAILED, RECEIVED, REJECTED, Solver, ask, quotes};

const ORDERS: &str = "POST /api/v1/orders";

fn keys() -> QuoteKeys {
    QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() }
}

/// A solver whose quote was taken: its hand, and the order.
async fn taken(solver: &Solver, bytes: ByteForm, submit: bool) -> (OifHand, Order) {
    let filler = solver.filler_with(|config| (config.bytes, config.submit) = (bytes, submit));
    let Answer::Offers(offers) = filler.quote(&ask()).await.unwrap() else { panic!("no offer") };
    (OifHand::new(&filler, keys()), order(&offers[0]))
}

fn order(offer: &Offer) -> Order {
    let (ask, parties, now) = (ask().ask, offer.parties.unwrap(), Timestamp::now());
    let terms = Terms {
        origin_chain_id: ask.from.chain().get(),
        escrow: B256::left_padding_from(&[0xe5; 20]),
        user: ask.from_address.to_word(),
        nonce: B256::ZERO,
        input_token: ask.from.address().to_word(),
        amount_in: offer.amount_in.get(),
        refund_to: ask.refund_to.to_word(),
        filler: parties.filler.to_word(),
        payee: parties.payee.to_word(),
        referrer: B256::ZERO,
        referrer_fee: alloy_primitives::U256::ZERO,
        destination_chain_id: ask.to.chain().get(),
        settler: B256::left_padding_from(&[0x5e; 20]),
        output_token: ask.to.address().to_word(),
        amount_out: offer.min_amount_out.get(),
        recipient: ask.recipient.to_word(),
        open_deadline: 1_800_000_600,
        fill_deadline: 1_800_001_600,
        refund_at: 1_800_020_000,
        epoch: 1,
    };
    let terms = keys().current.seal(terms).unwrap();
    Order {
        id: OrderId::random().unwrap(),
        key: RowKey::floor_at(now),
        quote: QuoteId::random().unwrap(),
        route: "solver".parse().unwrap(),
        status: OrderStatus::Deposited,
        trade_type: TradeType::ExactInput,
        from: ask.from,
        to: ask.to,
        src_amount: offer.amount_in,
        dest_amount: offer.amount_out,
        author: ask.from_address,
        recipient: ask.recipient,
        refund_to: ask.refund_to,
        filler: "solver".to_owned(),
        kind: "oif".to_owned(),
        method: DepositMethod::ContractCall,
        intent: terms.id(),
        terms,
        deposit_address: None,
        jump: None,
        valid_before: offer.valid_before,
        care: Care::Usual,
        announced: true,
        told_tx: None,
        built: None,
        handed: None,
        decision: None,
        evidence: Evidence::default(),
        failure_reason: None,
        due_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    }
}

async fn start() -> Solver {
    let solver = Solver::quoting(200, quotes(|_| {})).await;
    solver.set(ORDERS, 200, RECEIVED);
    solver
}

/// What was submitted last.
fn submitted(solver: &Solver) -> Value {
    solver.asked().into_iter().rfind(|asked| asked.what == ORDERS).unwrap().body
}

#[tokio::test]
async fn a_deposit_that_stands_is_submitted_as_an_order_that_its_user_opened() {
    let solver = start().await;
    let (hand, order) = taken(&solver, ByteForm::Hex, true).await;
    assert_eq!(hand.decide(&order, Timestamp::now()).await.unwrap(), (Decision::Fill, None));
    let body = submitted(&solver);
    assert_eq!(body["order"]["type"], "oif-user-open-v0");
    let open = &body["order"]["openIntentTx"];
    assert_eq!(open["to"], json!(format!("0x00010000010114{}", "e5".repeat(20))));
    let data = hex::decode(open["data"].as_str().unwrap()).unwrap();
    assert_eq!(Terms::from_bytes(&data[4 + 5 * 32..]), Some(order.terms), "all terms are in it");
    assert_eq!((&body["signature"], &body["quoteId"]), (&json!("0x"), &json!("quote-123-abc")));
    assert_eq!(body["originSubmission"], json!({ "mode": "user" }));
    assert_eq!(body["order"]["checks"], json!({ "allowances": [] }));

    let (hand, order) = taken(&solver, ByteForm::Numbers, true).await;
    hand.decide(&order, Timestamp::now()).await.unwrap();
    let body = submitted(&solver);
    assert_eq!(body["signature"], json!([]));
    assert_eq!(body["order"]["openIntentTx"]["data"].as_array().unwrap().len(), data.len());
}

#[tokio::test]
async fn what_the_solver_declines_is_given_back_with_its_words() {
    let solver = start().await;
    let (hand, order) = taken(&solver, ByteForm::Hex, true).await;
    for (status, body, words) in [
        (200, REJECTED.to_owned(), "Quote expired"),
        (200, json!({ "status": "rejected" }).to_string(), "no reason"),
        (422, json!({ "message": "Invalid order" }).to_string(), "Invalid order"),
    ] {
        solver.set(ORDERS, status, body);
        let (decision, said) = hand.decide(&order, Timestamp::now()).await.unwrap();
        assert_eq!(decision, Decision::Waive);
        assert!(said.as_ref().unwrap().contains(words), "{said:?}");
    }
    let waived = hand.waive(&order, Timestamp::now()).await;
    assert!(matches!(waived, Err(DeedError::Later(_))), "only the solver's key can");
}

#[tokio::test]
async fn what_is_no_answer_is_asked_again() {
    let solver = start().await;
    let (hand, order) = taken(&solver, ByteForm::Hex, true).await;
    for (status, body) in [
        (200, json!({ "status": "error", "message": "busy" }).to_string()),
        (200, json!({ "status": "shipped" }).to_string()),
        (200, "<html>".to_owned()),
        (400, String::new()),
        (500, String::new()),
        (302, String::new()),
    ] {
        solver.set(ORDERS, status, body);
        let error = hand.decide(&order, Timestamp::now()).await.unwrap_err();
        assert!(matches!(error, DeedError::Later(_)), "{status}: {error}");
    }
    solver.set(ORDERS, 200, RECEIVED);
    assert_eq!(hand.decide(&order, Timestamp::now()).await.unwrap().0, Decision::Fill);
}

#[tokio::test]
async fn rule_2_terms_that_we_never_quoted_are_not_vouched_for() {
    let solver = start().await;
    let (hand, mut order) = taken(&solver, ByteForm::Hex, true).await;
    order.terms.amount_out += alloy_primitives::U256::ONE;
    let (decision, said) = hand.decide(&order, Timestamp::now()).await.unwrap();
    assert_eq!((decision, said.as_deref()), (Decision::Waive, Some("These terms were never quoted.")));
    assert!(solver.asked().iter().all(|asked| asked.what != ORDERS));
}

#[tokio::test]
async fn a_solver_that_watches_the_chain_is_not_told() {
    let solver = start().await;
    let (hand, order) = taken(&solver, ByteForm::Hex, false).await;
    assert_eq!(hand.decide(&order, Timestamp::now()).await.unwrap(), (Decision::Fill, None));
    assert_eq!(hand.fill(&order, Timestamp::now()).await.unwrap(), Progress::Waiting);
    assert_eq!(hand.claim(&order, Timestamp::now()).await.unwrap(), Progress::Waiting);
    assert_eq!(solver.asked().len(), 1, "the quote");
}

#[tokio::test]
async fn a_failure_that_the_solver_tells_is_passed_on_now_and_then() {
    let solver = start().await;
    let (hand, order) = taken(&solver, ByteForm::Hex, true).await;
    hand.decide(&order, Timestamp::now()).await.unwrap();
    let fill = || hand.fill(&order, Timestamp::now());
    assert_eq!(fill().await.unwrap(), Progress::Waiting, "too early to ask");
    solver.set("GET /api/v1/orders/order-789-xyz", 200, FAILED);
    later().await;
    assert!(fill().await.unwrap_err().to_string().contains("could not fill the order"));
    assert_eq!(fill().await.unwrap(), Progress::Waiting, "it was just asked");
    solver.set(
        "GET /api/v1/orders/order-789-xyz",
        200,
        json!({ "order": { "status": "executed" } }).to_string(),
    );
    later().await;
    assert_eq!(fill().await.unwrap(), Progress::Waiting);
    hand.release(&order).await.unwrap();
    later().await;
    let before = solver.asked().len();
    assert_eq!(fill().await.unwrap(), Progress::Waiting);
    assert_eq!(solver.asked().len(), before, "released orders are not asked for");
}

/// Time enough for the next question, without waiting for it.
async fn later() {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(31)).await;
    tokio::time::resume();
}
