use std::time::Duration;

use alloy_primitives::{B256, hex};
use causeway_domain::ports::{ActionError, Answer, Filler as _, Offer, OrderExecutor as _, Progress};
use causeway_domain::{Decision, IntentTerms, Order, OrderStatus, QuoteKey, QuoteKeys};
use causeway_fillers::oif::{ByteEncoding, OifExecutor};
use causeway_testing::sample::order_of;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::solver::{FAILED, RECEIVED, REJECTED, Solver, ask, quotes};

const ORDERS: &str = "POST /api/v1/orders";

fn keys() -> QuoteKeys {
    QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() }
}

/// Takes a quote: its executor, and the order.
async fn take_quote(solver: &Solver, bytes: ByteEncoding, submit: bool) -> (OifExecutor, Order) {
    let filler = solver.filler_with(|config| (config.bytes, config.submit) = (bytes, submit));
    let Answer::Offers(offers) = filler.quote(&ask()).await.unwrap() else { panic!("no offer") };
    (OifExecutor::new(&filler, keys()), order(&offers[0]))
}

fn order(offer: &Offer) -> Order {
    let (ask, parties, now) = (ask().ask, offer.parties.unwrap(), Timestamp::now());
    let terms = IntentTerms {
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
        route: "solver".parse().unwrap(),
        status: OrderStatus::Deposited,
        from: ask.from,
        to: ask.to,
        src_amount: offer.amount_in,
        dest_amount: offer.amount_out,
        author: ask.from_address,
        recipient: ask.recipient,
        refund_to: ask.refund_to,
        filler: "solver".to_owned(),
        kind: "oif".to_owned(),
        filler_quote: offer.filler_quote.clone(),
        valid_before: offer.valid_before,
        ..order_of(terms, now)
    }
}

async fn start() -> Solver {
    let solver = Solver::with_quotes(200, quotes(|_| {})).await;
    solver.set(ORDERS, 200, RECEIVED);
    solver
}

/// What was submitted last.
fn submitted(solver: &Solver) -> Value {
    solver.requests().into_iter().rfind(|request| request.endpoint == ORDERS).unwrap().body
}

#[tokio::test]
async fn final_deposit_is_submitted_as_a_user_opened_order() {
    let solver = start().await;
    let (executor, order) = take_quote(&solver, ByteEncoding::Hex, true).await;
    assert_eq!(executor.decide(&order, Timestamp::now()).await.unwrap(), (Decision::Fill, None));
    let body = submitted(&solver);
    assert_eq!(body["order"]["type"], "oif-user-open-v0");
    let open = &body["order"]["openIntentTx"];
    assert_eq!(open["to"], json!(format!("0x00010000010114{}", "e5".repeat(20))));
    let data = hex::decode(open["data"].as_str().unwrap()).unwrap();
    assert_eq!(IntentTerms::from_bytes(&data[4 + 5 * 32..]), Some(order.terms), "all terms are in it");
    assert_eq!((&body["signature"], &body["quoteId"]), (&json!("0x"), &json!("quote-123-abc")));
    assert_eq!(body["originSubmission"], json!({ "mode": "user" }));
    assert_eq!(body["order"]["checks"], json!({ "allowances": [] }));

    let (executor, order) = take_quote(&solver, ByteEncoding::Numbers, true).await;
    executor.decide(&order, Timestamp::now()).await.unwrap();
    let body = submitted(&solver);
    assert_eq!(body["signature"], json!([]));
    assert_eq!(body["order"]["openIntentTx"]["data"].as_array().unwrap().len(), data.len());
}

#[tokio::test]
async fn declined_order_is_waived_with_the_solvers_reason() {
    let solver = start().await;
    let (executor, order) = take_quote(&solver, ByteEncoding::Hex, true).await;
    for (status, body, expected) in [
        (200, REJECTED.to_owned(), "Quote expired"),
        (200, json!({ "status": "rejected" }).to_string(), "no reason"),
        (422, json!({ "message": "Invalid order" }).to_string(), "Invalid order"),
    ] {
        solver.set(ORDERS, status, body);
        let (decision, reason) = executor.decide(&order, Timestamp::now()).await.unwrap();
        assert_eq!(decision, Decision::Waive);
        assert!(reason.as_ref().unwrap().contains(expected), "{reason:?}");
    }
    let waived = executor.waive(&order, Timestamp::now()).await;
    assert!(matches!(waived, Err(ActionError::Temporary(_))), "only the solver's key can");
}

#[tokio::test]
async fn invalid_response_is_retried() {
    let solver = start().await;
    let (executor, order) = take_quote(&solver, ByteEncoding::Hex, true).await;
    for (status, body) in [
        (200, json!({ "status": "error", "message": "busy" }).to_string()),
        (200, json!({ "status": "shipped" }).to_string()),
        (200, "<html>".to_owned()),
        (400, String::new()),
        (500, String::new()),
        (302, String::new()),
    ] {
        solver.set(ORDERS, status, body);
        let error = executor.decide(&order, Timestamp::now()).await.unwrap_err();
        assert!(matches!(error, ActionError::Temporary(_)), "{status}: {error}");
    }
    solver.set(ORDERS, 200, RECEIVED);
    assert_eq!(executor.decide(&order, Timestamp::now()).await.unwrap().0, Decision::Fill);
}

#[tokio::test]
async fn rule_2_unquoted_terms_are_not_submitted() {
    let solver = start().await;
    let (executor, mut order) = take_quote(&solver, ByteEncoding::Hex, true).await;
    order.terms.amount_out += alloy_primitives::U256::ONE;
    let (decision, reason) = executor.decide(&order, Timestamp::now()).await.unwrap();
    assert_eq!((decision, reason.as_deref()), (Decision::Waive, Some("These terms were never quoted.")));
    assert!(solver.requests().iter().all(|request| request.endpoint != ORDERS));
}

#[tokio::test]
async fn solver_that_watches_the_chain_is_not_notified() {
    let solver = start().await;
    let (executor, order) = take_quote(&solver, ByteEncoding::Hex, false).await;
    assert_eq!(executor.decide(&order, Timestamp::now()).await.unwrap(), (Decision::Fill, None));
    assert_eq!(executor.fill(&order, Timestamp::now()).await.unwrap(), Progress::Waiting);
    assert_eq!(executor.claim(&order, Timestamp::now()).await.unwrap(), Progress::Waiting);
    assert_eq!(solver.requests().len(), 1, "the quote");
}

#[tokio::test]
async fn failure_reported_by_the_solver_is_passed_on_at_the_poll_interval() {
    let solver = start().await;
    let (executor, order) = take_quote(&solver, ByteEncoding::Hex, true).await;
    executor.decide(&order, Timestamp::now()).await.unwrap();
    let fill = || executor.fill(&order, Timestamp::now());
    assert_eq!(fill().await.unwrap(), Progress::Waiting, "too early to poll");
    solver.set("GET /api/v1/orders/order-789-xyz", 200, FAILED);
    pass_poll_interval().await;
    assert!(fill().await.unwrap_err().to_string().contains("could not fill the order"));
    assert_eq!(fill().await.unwrap(), Progress::Waiting, "it was just polled");
    solver.set(
        "GET /api/v1/orders/order-789-xyz",
        200,
        json!({ "order": { "status": "executed" } }).to_string(),
    );
    pass_poll_interval().await;
    assert_eq!(fill().await.unwrap(), Progress::Waiting);
    executor.release(&order).await.unwrap();
    pass_poll_interval().await;
    let before = solver.requests().len();
    assert_eq!(fill().await.unwrap(), Progress::Waiting);
    assert_eq!(solver.requests().len(), before, "released orders are not polled");
}

/// Advances the clock past the poll interval.
async fn pass_poll_interval() {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(31)).await;
    tokio::time::resume();
}
