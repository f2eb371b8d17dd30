use std::sync::Arc;

use alloy_primitives::keccak256;
use causeway_domain::ports::{
    BroadcastError, ChainError, Deed, DeedError, OrderStore as _, Progress, Visible,
};
use jiff::SignedDuration;

use super::*;
use crate::build_deposit::fake::{BASE, chain, permit_over};

/// The hash that the relayer answers with unless told otherwise.
fn relayed() -> String {
    hash("77")
}

async fn permit_order(scene: &Scene) -> (Order, Vec<u8>) {
    let order = scene.order(DepositMethod::Permit2).await;
    let permit = permit_over(&order.terms, 1);
    (order, permit)
}

async fn call_order(scene: &Scene) -> (Order, Vec<u8>, String) {
    let order = scene.order(DepositMethod::ContractCall).await;
    let raw = permit_over(&order.terms, 1);
    let tx = keccak256(&raw).to_string();
    (order, raw, tx)
}

#[tokio::test]
async fn a_permit_is_kept_before_it_is_relayed_and_relayed_once() {
    let scene = Scene::new().await;
    let (order, permit) = permit_order(&scene).await;
    let (store, id, kept) = (Arc::clone(&scene.store), order.id.clone(), permit.clone());
    *scene.carrier.meanwhile.lock().unwrap() = Some(Box::pin(async move {
        let stored = store.order(&id).await.unwrap().unwrap();
        assert_eq!((stored.handed, stored.announced), (Some(kept), true), "kept before anything is sent");
    }));
    for _ in 0..2 {
        let submitted = told(&scene, &order, Proof::Permit(permit.clone())).await.unwrap();
        assert_eq!(submitted, answer(&order, &relayed()));
    }
    // Another signature of the payer over the same terms is the same deposit.
    let again = Proof::Permit(permit_over(&order.terms, 2));
    assert_eq!(told(&scene, &order, again).await.unwrap(), answer(&order, &relayed()));
    let deed = Deed::OpenFor { terms: order.terms, permit };
    assert_eq!(*scene.carrier.carried.lock().unwrap(), [(format!("open:{}", order.intent), deed)]);
    let stored = scene.stored(&order).await;
    assert_eq!(stored.told_tx, Some(relayed()));
    assert!(stored.due_at < order.due_at, "somebody looks after it");
}

#[tokio::test]
async fn a_permit_over_another_order_or_too_late_is_refused_before_anything_is_kept() {
    let scene = Scene::new().await;
    let (order, permit) = permit_order(&scene).await;
    let other = scene.order(DepositMethod::Permit2).await;
    let error = told(&scene, &order, Proof::Permit(permit_over(&other.terms, 1))).await.unwrap_err();
    assert!(matches!(error, SubmitError::NotThis(_)), "{error}");
    let late = now() + SignedDuration::from_mins(11);
    let error = told_at(&scene, &order, Proof::Permit(permit.clone()), late).await.unwrap_err();
    assert!(matches!(error, SubmitError::TooLate { .. }), "{error}");
    assert_eq!(scene.stored(&order).await, order);
    assert_eq!(scene.carrier.times(), 0);
    // Past the price's end, and still in time for the escrow.
    let expired = now() + SignedDuration::from_mins(5);
    told_at(&scene, &order, Proof::Permit(permit), expired).await.unwrap();
}

#[tokio::test]
async fn a_permit_that_the_chain_would_refuse_is_given_back_and_can_be_submitted_again() {
    let scene = Scene::new().await;
    let (order, permit) = permit_order(&scene).await;
    for refusal in [
        DeedError::WouldFail("USDC is paused".to_owned()),
        DeedError::Never("USDC is paused".to_owned()),
        ChainError::Refused(chain(BASE), "USDC is paused".to_owned()).into(),
    ] {
        scene.carrier.answers(Err(refusal));
        let error = told(&scene, &order, Proof::Permit(permit.clone())).await.unwrap_err();
        assert!(matches!(&error, SubmitError::Refused(words) if words == "USDC is paused"), "{error}");
        let stored = scene.stored(&order).await;
        assert_eq!((stored.handed, stored.announced, stored.due_at), (None, false, order.due_at));
    }
    let submitted = told(&scene, &order, Proof::Permit(permit)).await.unwrap();
    assert_eq!(submitted, answer(&order, &relayed()));
}

#[tokio::test]
async fn a_permit_that_cannot_be_relayed_now_is_kept_and_told_to_be() {
    let scene = Scene::new().await;
    let (order, permit) = permit_order(&scene).await;
    for later in [
        Err(ChainError::Unavailable(chain(BASE)).into()),
        Err(DeedError::Later("gas is too dear".to_owned())),
        Ok(Progress::Waiting),
        Ok(Progress::Reverted(hash("55"))),
    ] {
        scene.carrier.answers(later);
        let error = told(&scene, &order, Proof::Permit(permit.clone())).await.unwrap_err();
        assert!(matches!(error, SubmitError::Taken { .. }) && error.is_retryable(), "{error}");
        let stored = scene.stored(&order).await;
        assert_eq!((stored.handed.as_ref(), stored.told_tx, stored.announced), (Some(&permit), None, true));
    }
    let submitted = told(&scene, &order, Proof::Permit(permit)).await.unwrap();
    assert_eq!(submitted, answer(&order, &relayed()));
}

#[tokio::test]
async fn a_hash_told_before_does_not_keep_a_permit_from_being_relayed() {
    let scene = Scene::new().await;
    let (order, permit) = permit_order(&scene).await;
    told_hash(&scene, &order, "ab").await.unwrap();
    scene.carrier.answers(Ok(Progress::Waiting));
    let error = told(&scene, &order, Proof::Permit(permit.clone())).await.unwrap_err();
    assert!(matches!(error, SubmitError::Taken { .. }), "{error}");
    let submitted = told(&scene, &order, Proof::Permit(permit)).await.unwrap();
    assert_eq!(submitted, answer(&order, &relayed()));
    assert_eq!(scene.stored(&order).await.told_tx, Some(relayed()));
}

#[tokio::test]
async fn a_signed_deposit_is_kept_and_sent_and_the_same_again_is_the_same() {
    let scene = Scene::new().await;
    let (order, raw, tx) = call_order(&scene).await;
    for _ in 0..2 {
        let submitted = told(&scene, &order, Proof::Signed(raw.clone())).await.unwrap();
        assert_eq!(submitted, answer(&order, &tx));
    }
    assert!(scene.origin.broadcasts.lock().unwrap().iter().all(|sent| *sent == raw));
    let stored = scene.stored(&order).await;
    assert_eq!((stored.handed, stored.told_tx, stored.announced), (Some(raw), Some(tx), true));
    assert!(stored.due_at < order.due_at);
    assert_eq!(scene.store.story(&order.id).await.unwrap().len(), 2, "built, and taken once");
}

#[tokio::test]
async fn a_refused_signed_deposit_leaves_what_was_known_before() {
    let scene = Scene::new().await;
    let (order, raw, _) = call_order(&scene).await;
    let refuse = || {
        let words = "nonce too low".to_owned();
        *scene.origin.broadcast_refusal.lock().unwrap() = Some(BroadcastError::Refused(words));
    };
    let state = |order: Order| (order.handed, order.told_tx, order.announced, order.due_at);
    refuse();
    let error = told(&scene, &order, Proof::Signed(raw.clone())).await.unwrap_err();
    assert!(matches!(&error, SubmitError::Refused(words) if words == "nonce too low"), "{error}");
    assert_eq!(state(scene.stored(&order).await), state(order.clone()));
    // A replacement that is refused leaves the first one.
    told(&scene, &order, Proof::Signed(raw)).await.unwrap();
    let first = scene.stored(&order).await;
    refuse();
    let replacement = Proof::Signed(permit_over(&order.terms, 2));
    assert!(matches!(told(&scene, &order, replacement).await, Err(SubmitError::Refused(_))));
    assert_eq!(state(scene.stored(&order).await), state(first));
}

/// Whoever took it wrote that and died before the chain refused it.
async fn taken_before_a_crash(scene: &Scene, order: &Order, handed: &[u8], told: Option<&str>) {
    let (handed, told_tx) = (Some(handed.to_vec()), told.map(str::to_owned));
    let taken = Order { handed, told_tx, announced: true, ..order.clone() };
    assert!(scene.store.update_order(&taken, &[]).await.unwrap());
}

#[tokio::test]
async fn what_is_refused_after_a_crash_is_hidden_as_it_was_before() {
    let scene = Scene::new().await;
    let state = |order: Order| (order.handed, order.told_tx, order.announced);
    let (order, raw, tx) = call_order(&scene).await;
    taken_before_a_crash(&scene, &order, &raw, Some(&tx)).await;
    let refused = BroadcastError::Refused("nonce too low".to_owned());
    *scene.origin.broadcast_refusal.lock().unwrap() = Some(refused);
    assert!(matches!(told(&scene, &order, Proof::Signed(raw)).await, Err(SubmitError::Refused(_))));
    assert_eq!(state(scene.stored(&order).await), (None, None, false));

    let (order, permit) = permit_order(&scene).await;
    taken_before_a_crash(&scene, &order, &permit, None).await;
    scene.carrier.answers(Err(DeedError::Never("USDC is paused".to_owned())));
    assert!(matches!(told(&scene, &order, Proof::Permit(permit)).await, Err(SubmitError::Refused(_))));
    assert_eq!(state(scene.stored(&order).await), (None, None, false));
}

#[tokio::test]
async fn a_signed_deposit_that_the_chain_has_or_cannot_hear_of_now_is_taken() {
    let scene = Scene::new().await;
    let (order, raw, tx) = call_order(&scene).await;
    let away = BroadcastError::Chain(ChainError::Unavailable(chain(BASE)));
    *scene.origin.broadcast_refusal.lock().unwrap() = Some(away);
    assert_eq!(told(&scene, &order, Proof::Signed(raw.clone())).await.unwrap(), answer(&order, &tx));
    assert_eq!(scene.stored(&order).await.handed, Some(raw), "it is sent again from what is kept");
    let (order, raw, tx) = call_order(&scene).await;
    scene.origin.show(&tx, Visible::ThisDeposit);
    let known = BroadcastError::Refused("nonce too low".to_owned());
    *scene.origin.broadcast_refusal.lock().unwrap() = Some(known);
    assert_eq!(told(&scene, &order, Proof::Signed(raw)).await.unwrap(), answer(&order, &tx));
}

#[tokio::test]
async fn a_signed_deposit_that_comes_too_late_is_not_sent_unless_it_was() {
    let scene = Scene::new().await;
    let (order, raw, tx) = call_order(&scene).await;
    let late = now() + SignedDuration::from_mins(11);
    let error = told_at(&scene, &order, Proof::Signed(raw.clone()), late).await.unwrap_err();
    assert!(matches!(error, SubmitError::TooLate { .. }), "{error}");
    scene.origin.show(&tx, Visible::ThisDeposit);
    assert_eq!(told_at(&scene, &order, Proof::Signed(raw), late).await.unwrap(), answer(&order, &tx));
    assert!(scene.origin.broadcasts.lock().unwrap().is_empty());
    let stranger = Proof::Signed(vec![0; 40]);
    assert!(matches!(told(&scene, &order, stranger).await, Err(SubmitError::NotThis(_))));
}

#[test]
fn what_was_signed_does_not_reach_a_log() {
    for proof in [Proof::Signed(vec![0xab; 4]), Proof::Permit(vec![0xab; 4])] {
        let shown = format!("{proof:?}");
        assert!(!shown.contains("171") && !shown.contains("ab"), "{shown}");
    }
}
