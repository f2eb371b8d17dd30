use std::sync::atomic::Ordering;

use alloy_primitives::{B256, U256};
use causeway_domain::ports::{ActionError, ChainAction, EscrowState, OnChainStatus, OrderExecutor, Progress};
use causeway_domain::{Attestation, Decision, IntentTerms, Order};
use jiff::Timestamp;

use super::fakes::{OPEN_STATUS, SIGNATURE};
use super::fixture::{ExecutorFixture, decided, delivered, now, purpose_of, secs};

const FILL_REF: B256 = B256::repeat_byte(0xf1);
const FILLED_AT: u64 = 1_800_000_120;

/// A fixture whose executor batches its claims: twenty orders, ten minutes, $25,000.
fn fixture() -> ExecutorFixture {
    let fixture = ExecutorFixture::new();
    let executor = fixture.executor.with_claim_batches(fixture.store.clone());
    ExecutorFixture { executor, ..fixture }
}

/// Another process on the same store.
fn restarted(fixture: ExecutorFixture) -> ExecutorFixture {
    let other = ExecutorFixture::on(&fixture);
    let executor = other.executor.with_claim_batches(fixture.store.clone());
    ExecutorFixture { executor, ..fixture }
}

fn orders(fixture: &ExecutorFixture, count: u64) -> Vec<Order> {
    let order = |number: u64| {
        let order = delivered(decided(fixture.cross_chain(), Decision::Fill));
        let terms = IntentTerms { nonce: U256::from(number).into(), ..order.terms };
        Order { intent_id: terms.id(), terms, ..order }
    };
    (1..=count).map(order).collect()
}

fn attest(fixture: &ExecutorFixture, orders: &[Order]) {
    let mut known = fixture.attesters.0.lock().unwrap();
    for order in orders {
        let order = order.intent_id;
        known.insert(order, Attestation::Filled { order, filled_at: FILLED_AT, fill_ref: FILL_REF });
    }
}

/// Asks for all claims every minute for ten minutes.
async fn claim_for_ten_minutes(fixture: &ExecutorFixture, orders: &[Order]) {
    for minute in 0..10 {
        for order in orders {
            let _ = fixture.executor.claim(order, now() + secs(60 * minute)).await;
        }
    }
}

async fn claim_all(fixture: &ExecutorFixture, orders: &[Order], at: Timestamp) -> Vec<Progress> {
    let mut progress = Vec::new();
    for order in orders {
        progress.push(fixture.executor.claim(order, at).await.unwrap());
    }
    progress
}

/// The ids of each batch that was sent.
fn batches(fixture: &ExecutorFixture) -> Vec<Vec<B256>> {
    let ids = |(purpose, action): (String, ChainAction)| match action {
        ChainAction::ClaimBatch { claims, signatures } => {
            assert!(purpose.starts_with("claims:0x"), "{purpose}");
            assert_eq!(signatures, [SIGNATURE, SIGNATURE]);
            assert!(claims.iter().all(|claim| (claim.filled_at, claim.fill_ref) == (FILLED_AT, FILL_REF)));
            Some(claims.iter().map(|claim| claim.terms.id()).collect())
        }
        _ => None,
    };
    fixture.ethereum.sent().into_iter().filter_map(ids).collect()
}

fn ids(orders: &[Order]) -> Vec<B256> {
    orders.iter().map(|order| order.intent_id).collect()
}

#[tokio::test]
async fn rule_31_twenty_orders_are_claimed_by_one_transaction() {
    let fixture = fixture();
    let orders = orders(&fixture, 20);
    attest(&fixture, &orders);
    let progress = claim_all(&fixture, &orders, now()).await;
    assert!(progress[..19].iter().all(|progress| *progress == Progress::Waiting), "{progress:?}");
    assert!(matches!(progress[19], Progress::Sent(_)));
    let mut claimed = batches(&fixture);
    assert_eq!(claimed.len(), 1);
    claimed[0].sort_unstable();
    let mut wanted = ids(&orders);
    wanted.sort_unstable();
    assert_eq!(claimed[0], wanted);
    // Whoever asks again gets the same transaction.
    let progress = claim_all(&fixture, &orders, now()).await;
    assert!(progress.iter().all(|progress| matches!(progress, Progress::Sent(_))));
    assert_eq!(fixture.ethereum.sent().len(), 1);
}

#[tokio::test]
async fn rule_31_an_order_waits_for_others_and_is_claimed_alone_if_none_come() {
    let fixture = fixture();
    let orders = orders(&fixture, 1);
    attest(&fixture, &orders);
    assert_eq!(claim_all(&fixture, &orders, now()).await, [Progress::Waiting]);
    claim_for_ten_minutes(&fixture, &orders).await;
    assert_eq!(claim_all(&fixture, &orders, now() + secs(599)).await, [Progress::Waiting]);
    let progress = claim_all(&fixture, &orders, now() + secs(600)).await;
    assert_eq!(progress, [Progress::Sent(format!("tx of {}", purpose_of("claim", &orders[0])))]);
}

#[tokio::test]
async fn rule_31_after_half_of_the_time_to_the_refund_an_order_waits_no_longer() {
    let fixture = fixture();
    let mut orders = orders(&fixture, 1);
    // Filled two minutes from now, refundable four minutes later.
    orders[0].terms.refund_at = 1_800_000_123 + 240;
    orders[0].intent_id = orders[0].terms.id();
    attest(&fixture, &orders);
    assert_eq!(claim_all(&fixture, &orders, now() + secs(242)).await, [Progress::Waiting]);
    assert!(matches!(claim_all(&fixture, &orders, now() + secs(243)).await[..], [Progress::Sent(_)]));
}

#[tokio::test]
async fn rule_31_orders_that_the_attesters_do_not_sign_for_are_told_so_and_hold_nobody_up() {
    let fixture = fixture();
    let orders = orders(&fixture, 5);
    attest(&fixture, &orders[1..]);
    claim_for_ten_minutes(&fixture, &orders).await;
    assert_eq!(fixture.ethereum.sent(), []);
    let refused = fixture.executor.claim(&orders[0], now() + secs(600)).await;
    assert!(matches!(refused, Err(ActionError::Attesters(_))), "{refused:?}");
    // One that was signed for and is not any more, because its attesters have resigned, is left out.
    fixture.attesters.0.lock().unwrap().remove(&orders[1].intent_id);
    let last = fixture.executor.claim(&orders[4], now() + secs(600)).await.unwrap();
    assert!(matches!(last, Progress::Sent(_)));
    assert_eq!(batches(&fixture).len(), 1);
    assert_eq!(batches(&fixture)[0].len(), 3);
}

#[tokio::test]
async fn rule_31_as_many_as_fit_go_into_one_transaction() {
    let fixture = fixture();
    *fixture.ethereum.room.lock().unwrap() = 6;
    let orders = orders(&fixture, 14);
    attest(&fixture, &orders);
    claim_for_ten_minutes(&fixture, &orders).await;
    claim_all(&fixture, &orders, now() + secs(600)).await;
    claim_all(&fixture, &orders, now() + secs(601)).await;
    let sizes: Vec<usize> = batches(&fixture).iter().map(Vec::len).collect();
    assert_eq!(sizes, [6, 6, 2]);
    assert_eq!(fixture.ethereum.sent().len(), 3);
}

#[tokio::test]
async fn rule_31_without_signed_lists_every_order_is_claimed_alone() {
    let fixture = fixture();
    let orders = orders(&fixture, 3);
    attest(&fixture, &orders);
    fixture.attesters.2.store(true, Ordering::Relaxed);
    claim_for_ten_minutes(&fixture, &orders).await;
    let progress = claim_all(&fixture, &orders, now() + secs(600)).await;
    for (order, progress) in orders.iter().zip(progress) {
        assert_eq!(progress, Progress::Sent(format!("tx of {}", purpose_of("claim", order))));
    }
}

#[tokio::test]
async fn rule_31_nobody_waits_for_another_batch_after_one_could_not_be_made() {
    let fixture = fixture();
    let orders = orders(&fixture, 20);
    attest(&fixture, &orders);
    fixture.attesters.2.store(true, Ordering::Relaxed);
    claim_all(&fixture, &orders, now()).await;
    let progress = claim_all(&fixture, &orders, now()).await;
    for (order, progress) in orders.iter().zip(progress) {
        assert_eq!(progress, Progress::Sent(format!("tx of {}", purpose_of("claim", order))));
    }
}

#[tokio::test]
async fn rule_31_a_recorded_batch_that_was_not_sent_is_sent_after_a_restart() {
    let fixture = fixture();
    let orders = orders(&fixture, 20);
    attest(&fixture, &orders);
    claim_all(&fixture, &orders[..19], now()).await;
    *fixture.ethereum.is_waiting.lock().unwrap() = true;
    assert_eq!(fixture.executor.claim(&orders[19], now()).await.unwrap(), Progress::Waiting);
    assert_eq!((batches(&fixture).len(), fixture.store.claim_batches.lock().unwrap().len()), (0, 1));
    *fixture.ethereum.is_waiting.lock().unwrap() = false;
    let fixture = restarted(fixture);
    let progress = claim_all(&fixture, &orders, now()).await;
    assert!(progress.iter().all(|progress| matches!(progress, Progress::Sent(_))), "{progress:?}");
    assert_eq!(batches(&fixture).len(), 1);
    // Another restart finds the transaction in the outbox and needs no attesters.
    fixture.attesters.0.lock().unwrap().clear();
    let fixture = restarted(fixture);
    assert_eq!(claim_all(&fixture, &orders, now()).await, progress);
    assert_eq!(fixture.ethereum.sent().len(), 1);
}

#[tokio::test]
async fn rule_31_the_orders_of_a_recorded_batch_that_nobody_signs_are_claimed_alone_after_two_minutes() {
    let fixture = fixture();
    let orders = orders(&fixture, 20);
    attest(&fixture, &orders);
    *fixture.ethereum.is_waiting.lock().unwrap() = true;
    claim_all(&fixture, &orders, now()).await;
    *fixture.ethereum.is_waiting.lock().unwrap() = false;
    fixture.attesters.2.store(true, Ordering::Relaxed);
    let waits = fixture.executor.claim(&orders[0], now() + secs(119)).await;
    assert!(matches!(waits, Err(ActionError::Temporary(_))), "{waits:?}");
    let progress = claim_all(&fixture, &orders, now() + secs(120)).await;
    for (order, progress) in orders.iter().zip(progress) {
        assert_eq!(progress, Progress::Sent(format!("tx of {}", purpose_of("claim", order))));
    }
}

#[tokio::test]
async fn rule_31_two_replicas_never_claim_an_order_twice() {
    let fixture = fixture();
    let other = ExecutorFixture::on(&fixture);
    let other =
        ExecutorFixture { executor: other.executor.with_claim_batches(fixture.store.clone()), ..other };
    let orders = orders(&fixture, 20);
    attest(&fixture, &orders);
    // Both know the first ten; one of them the others, too.
    claim_all(&other, &orders[..10], now()).await;
    claim_all(&fixture, &orders, now()).await;
    assert_eq!(batches(&fixture).len(), 1);
    claim_all(&other, &orders, now() + secs(600)).await;
    assert_eq!(fixture.ethereum.sent().len(), 1);
}

#[tokio::test]
async fn rule_31_the_orders_of_a_batch_that_reverts_or_would_are_claimed_alone() {
    let fixture = fixture();
    let orders = orders(&fixture, 20);
    attest(&fixture, &orders);
    claim_all(&fixture, &orders, now()).await;
    let (purpose, _) = fixture.ethereum.sent().remove(0);
    fixture.ethereum.set(&purpose, Progress::Reverted("0x1".to_owned()));
    let progress = claim_all(&fixture, &orders, now()).await;
    for (order, progress) in orders.iter().zip(progress) {
        assert_eq!(progress, Progress::Sent(format!("tx of {}", purpose_of("claim", order))));
    }
    let fixture = self::fixture();
    attest(&fixture, &orders);
    claim_all(&fixture, &orders[..19], now()).await;
    *fixture.ethereum.revert_reason.lock().unwrap() = Some("EpochOver");
    assert!(matches!(fixture.executor.claim(&orders[19], now()).await, Err(ActionError::WouldFail(_))));
    *fixture.ethereum.revert_reason.lock().unwrap() = None;
    let progress = claim_all(&fixture, &orders, now()).await;
    assert!(progress.iter().all(|progress| matches!(progress, Progress::Sent(tx) if tx.contains("claim:"))));
}

#[tokio::test]
async fn rule_31_an_order_that_the_escrow_skipped_is_told_and_the_others_are_paid() {
    let fixture = fixture();
    let orders = orders(&fixture, 20);
    attest(&fixture, &orders);
    claim_all(&fixture, &orders, now()).await;
    let (purpose, _) = fixture.ethereum.sent().remove(0);
    let succeeded = Progress::Succeeded("0x77".to_owned());
    fixture.ethereum.set(&purpose, succeeded.clone());
    let shows = |escrow| fixture.ethereum.set_status(OnChainStatus { escrow, ..OPEN_STATUS });
    shows(EscrowState::Claimed);
    assert_eq!(fixture.executor.claim(&orders[0], now()).await.unwrap(), succeeded);
    shows(EscrowState::Refunded);
    let refused = fixture.executor.claim(&orders[1], now()).await;
    assert!(
        matches!(&refused, Err(ActionError::Permanent(words)) if words.contains("0x77 skipped")),
        "{refused:?}"
    );
    // What is open still, such as a deposit that was frozen for a while, is claimed alone.
    shows(EscrowState::Open);
    let alone = fixture.executor.claim(&orders[2], now()).await.unwrap();
    assert_eq!(alone, Progress::Sent(format!("tx of {}", purpose_of("claim", &orders[2]))));
}

#[tokio::test]
async fn rules_8_and_31_orders_within_one_chain_are_claimed_together_without_signatures() {
    let fixture = fixture();
    let order = |number: u64| {
        let order = delivered(decided(fixture.same_chain(), Decision::Fill));
        let terms = IntentTerms { nonce: U256::from(number).into(), ..order.terms };
        Order { intent_id: terms.id(), terms, ..order }
    };
    let orders: Vec<Order> = (1..=20).map(order).collect();
    claim_all(&fixture, &orders, now()).await;
    let sent = fixture.base.sent();
    assert!(matches!(
        &sent[..],
        [(_, ChainAction::ClaimBatch { claims, signatures })] if claims.len() == 20 && signatures.is_empty()
    ));
}
