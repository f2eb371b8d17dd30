use alloy_primitives::B256;
use causeway_domain::ports::{Deed, DeedError, Hand, Progress};
use causeway_domain::{Attestation, Decision, Order};

use super::fakes::SIGNATURE;
use super::scene::{Scene, decided, delivered, named, now};

const FILL_REF: B256 = B256::repeat_byte(0xf1);
const FILLED_AT: u64 = 1_800_000_120;

fn attest(scene: &Scene, order: &Order, attestation: Attestation) {
    scene.attesters.0.lock().unwrap().insert(order.intent, attestation);
}

fn filled(order: &Order) -> Attestation {
    Attestation::Filled { order: order.intent, filled_at: FILLED_AT, fill_ref: FILL_REF }
}

fn on_its_way(purpose: &str) -> Progress {
    Progress::OnItsWay(format!("tx of {purpose}"))
}

fn to_claim(order: Order) -> Order {
    delivered(decided(order, Decision::Fill))
}

#[tokio::test]
async fn rule_6_a_claim_bears_what_the_attesters_have_signed() {
    let scene = Scene::new();
    let order = to_claim(scene.usual());
    assert!(matches!(scene.hand.claim(&order, now()).await, Err(DeedError::Attesters(no)) if no.retry));
    assert_eq!(scene.ethereum.sent(), []);
    attest(&scene, &order, filled(&order));
    let purpose = named("claim", &order);
    assert_eq!(scene.hand.claim(&order, now()).await.unwrap(), on_its_way(&purpose));
    let deed = Deed::Claim {
        terms: order.terms,
        filled_at: FILLED_AT,
        fill_ref: FILL_REF,
        signatures: vec![SIGNATURE, SIGNATURE],
    };
    assert_eq!(scene.ethereum.sent(), [(purpose.clone(), deed)]);
    // On its way, it needs nobody's word any more.
    scene.attesters.0.lock().unwrap().clear();
    assert_eq!(scene.hand.claim(&order, now()).await.unwrap(), on_its_way(&purpose));
    assert_eq!((scene.ethereum.sent().len(), scene.base.sent().len()), (1, 0));
}

#[tokio::test]
async fn rule_8_on_one_chain_no_attester_is_asked() {
    let scene = Scene::new();
    let order = to_claim(scene.same_chain());
    scene.hand.claim(&order, now()).await.unwrap();
    let filled_at = order.evidence.fill.as_ref().unwrap().time;
    let deed = Deed::Claim { terms: order.terms, filled_at, fill_ref: B256::ZERO, signatures: vec![] };
    assert_eq!(scene.base.sent(), [(named("claim", &order), deed)]);
}

#[tokio::test]
async fn nothing_is_claimed_that_was_not_delivered() {
    let scene = Scene::new();
    for order in [scene.usual(), scene.same_chain()] {
        attest(&scene, &order, filled(&order));
        assert!(matches!(scene.hand.claim(&order, now()).await, Err(DeedError::Never(_))));
    }
    let order = to_claim(scene.usual());
    let unfilled = Attestation::Unfilled { order: order.intent, destination_time: FILLED_AT };
    attest(&scene, &order, unfilled);
    assert!(matches!(scene.hand.claim(&order, now()).await, Err(DeedError::Never(_))));
    assert!(scene.base.sent().is_empty() && scene.ethereum.sent().is_empty());
}

#[tokio::test]
async fn rule_6_a_reverted_claim_is_tried_anew_five_times_in_all() {
    let scene = Scene::new();
    let order = to_claim(scene.usual());
    attest(&scene, &order, filled(&order));
    let first = named("claim", &order);
    let purposes = [1, 2, 3, 4, 5].map(|number| match number {
        1 => first.clone(),
        _ => format!("{first}:{number}"),
    });
    for purpose in &purposes {
        for _ in 0..2 {
            assert_eq!(scene.hand.claim(&order, now()).await.unwrap(), on_its_way(purpose));
        }
        scene.ethereum.set(purpose, Progress::Reverted("0x1".to_owned()));
    }
    assert!(
        matches!(scene.hand.claim(&order, now()).await, Err(DeedError::Never(words)) if words.contains("claim"))
    );
    let sent: Vec<_> = scene.ethereum.sent().into_iter().map(|(purpose, _)| purpose).collect();
    assert_eq!(sent, purposes);
}

#[tokio::test]
async fn a_claim_that_succeeded_is_told_and_not_sent_again() {
    let scene = Scene::new();
    let order = to_claim(scene.usual());
    let succeeded = Progress::Succeeded("0x1".to_owned());
    scene.ethereum.set(&named("claim", &order), succeeded.clone());
    assert_eq!(scene.hand.claim(&order, now()).await.unwrap(), succeeded);
    assert_eq!(scene.ethereum.sent(), []);
}
