use std::collections::HashMap;
use std::sync::Arc;

use alloy_primitives::B256;
use causeway_domain::ports::{ActionError, ChainAction, OrderExecutor, Progress, TxSender};
use causeway_domain::{Attestation, Decision, Order};

use super::fakes::{FakeTxSender, SIGNATURE};
use super::fixture::{ExecutorFixture, decided, delivered, now, purpose_of};

const FILL_REF: B256 = B256::repeat_byte(0xf1);
const FILLED_AT: u64 = 1_800_000_120;

fn attest(fixture: &ExecutorFixture, order: &Order, attestation: Attestation) {
    fixture.attesters.0.lock().unwrap().insert(order.intent_id, attestation);
}

fn filled(order: &Order) -> Attestation {
    Attestation::Filled { order: order.intent_id, filled_at: FILLED_AT, fill_ref: FILL_REF }
}

fn on_its_way(purpose: &str) -> Progress {
    Progress::Sent(format!("tx of {purpose}"))
}

fn to_claim(order: Order) -> Order {
    delivered(decided(order, Decision::Fill))
}

#[tokio::test]
async fn rule_6_a_claim_carries_the_attestations() {
    let fixture = ExecutorFixture::new();
    let order = to_claim(fixture.cross_chain());
    assert!(
        matches!(fixture.executor.claim(&order, now()).await, Err(ActionError::Attesters(no)) if no.retry)
    );
    assert_eq!(fixture.ethereum.sent(), []);
    attest(&fixture, &order, filled(&order));
    let purpose = purpose_of("claim", &order);
    assert_eq!(fixture.executor.claim(&order, now()).await.unwrap(), on_its_way(&purpose));
    let action = ChainAction::Claim {
        terms: order.terms,
        filled_at: FILLED_AT,
        fill_ref: FILL_REF,
        signatures: vec![SIGNATURE, SIGNATURE],
    };
    assert_eq!(fixture.ethereum.sent(), [(purpose.clone(), action)]);
    // Once sent, it needs no attestations any more.
    fixture.attesters.0.lock().unwrap().clear();
    assert_eq!(fixture.executor.claim(&order, now()).await.unwrap(), on_its_way(&purpose));
    assert_eq!((fixture.ethereum.sent().len(), fixture.base.sent().len()), (1, 0));
}

#[tokio::test]
async fn rule_8_a_same_chain_claim_needs_no_attestation() {
    let fixture = ExecutorFixture::new();
    let order = to_claim(fixture.same_chain());
    fixture.executor.claim(&order, now()).await.unwrap();
    let filled_at = order.evidence.fill.as_ref().unwrap().time;
    let action =
        ChainAction::Claim { terms: order.terms, filled_at, fill_ref: B256::ZERO, signatures: vec![] };
    assert_eq!(fixture.base.sent(), [(purpose_of("claim", &order), action)]);
}

#[tokio::test]
async fn a_fill_whose_event_was_not_seen_is_claimed_on_the_attesters_word() {
    let fixture = ExecutorFixture::new();
    let order = fixture.cross_chain();
    assert!(order.evidence.fill.is_none());
    attest(&fixture, &order, filled(&order));
    fixture.executor.claim(&order, now()).await.unwrap();
}

#[tokio::test]
async fn unfilled_order_is_not_claimed() {
    let fixture = ExecutorFixture::new();
    let order = fixture.same_chain();
    attest(&fixture, &order, filled(&order));
    assert!(matches!(fixture.executor.claim(&order, now()).await, Err(ActionError::Permanent(_))));
    let order = to_claim(fixture.cross_chain());
    let unfilled = Attestation::Unfilled { order: order.intent_id, destination_time: FILLED_AT };
    attest(&fixture, &order, unfilled);
    assert!(matches!(fixture.executor.claim(&order, now()).await, Err(ActionError::Permanent(_))));
    assert!(fixture.base.sent().is_empty() && fixture.ethereum.sent().is_empty());
}

#[tokio::test]
async fn rule_6_a_reverted_claim_is_attempted_five_times() {
    let fixture = ExecutorFixture::new();
    let order = to_claim(fixture.cross_chain());
    attest(&fixture, &order, filled(&order));
    let first = purpose_of("claim", &order);
    let purposes = [1, 2, 3, 4, 5].map(|number| match number {
        1 => first.clone(),
        _ => format!("{first}:{number}"),
    });
    for purpose in &purposes {
        for _ in 0..2 {
            assert_eq!(fixture.executor.claim(&order, now()).await.unwrap(), on_its_way(purpose));
        }
        fixture.ethereum.set(purpose, Progress::Reverted("0x1".to_owned()));
    }
    assert!(
        matches!(fixture.executor.claim(&order, now()).await, Err(ActionError::Permanent(words)) if words.contains("claim"))
    );
    let sent: Vec<_> = fixture.ethereum.sent().into_iter().map(|(purpose, _)| purpose).collect();
    assert_eq!(sent, purposes);
}

#[tokio::test]
async fn succeeded_claim_is_reported_and_not_sent_again() {
    let fixture = ExecutorFixture::new();
    let order = to_claim(fixture.cross_chain());
    let succeeded = Progress::Succeeded("0x1".to_owned());
    fixture.ethereum.set(&purpose_of("claim", &order), succeeded.clone());
    assert_eq!(fixture.executor.claim(&order, now()).await.unwrap(), succeeded);
    assert_eq!(fixture.ethereum.sent(), []);
}

#[tokio::test]
async fn rule_26_claims_have_a_key_of_their_own() {
    let mut fixture = ExecutorFixture::new();
    let order = to_claim(fixture.cross_chain());
    attest(&fixture, &order, filled(&order));
    let origin = order.from.chain();
    let relayer = Arc::new(FakeTxSender::new(origin, order.from.address()));
    let senders: [(_, Arc<dyn TxSender>); 1] = [(origin, relayer.clone())];
    fixture.executor = fixture.executor.with_claim_senders(HashMap::from(senders));
    fixture.executor.claim(&order, now()).await.unwrap();
    assert_eq!((relayer.sent().len(), fixture.ethereum.sent().len()), (1, 0));
}
