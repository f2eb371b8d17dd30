use std::sync::Arc;

use alloy_primitives::keccak256;
use causeway_domain::ports::{
    ActionError, BroadcastError, ChainAction, ChainError, DepositTxStatus, OrderStore as _, Progress,
};
use jiff::SignedDuration;

use super::*;
use crate::build_deposit::fake::{BASE, chain, permit_over};

/// The hash that the relayer answers with unless submit otherwise.
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
async fn permit_is_stored_before_it_is_relayed_once() {
    let scene = Scene::new().await;
    let (order, permit) = permit_order(&scene).await;
    let (store, id, kept) = (Arc::clone(&scene.store), order.id.clone(), permit.clone());
    *scene.sender.meanwhile.lock().unwrap() = Some(Box::pin(async move {
        let stored = store.order(&id).await.unwrap().unwrap();
        assert_eq!(
            (stored.signed_payload, stored.announced),
            (Some(kept), true),
            "kept before anything is sent"
        );
    }));
    for _ in 0..2 {
        let submitted = submit(&scene, &order, Proof::Permit(permit.clone())).await.unwrap();
        assert_eq!(submitted, answer(&order, &relayed()));
    }
    // Another signature of the payer over the same terms is the same deposit.
    let again = Proof::Permit(permit_over(&order.terms, 2));
    assert_eq!(submit(&scene, &order, again).await.unwrap(), answer(&order, &relayed()));
    let action = ChainAction::OpenFor { terms: order.terms, permit };
    assert_eq!(*scene.sender.sent_actions.lock().unwrap(), [(format!("open:{}", order.intent_id), action)]);
    let stored = scene.stored(&order).await;
    assert_eq!(stored.submitted_tx, Some(relayed()));
    assert!(stored.due_at < order.due_at, "the worker takes over");
}

#[tokio::test]
async fn permit_for_another_order_or_after_the_deadline_is_rejected_and_not_stored() {
    let scene = Scene::new().await;
    let (order, permit) = permit_order(&scene).await;
    let other = scene.order(DepositMethod::Permit2).await;
    let error = submit(&scene, &order, Proof::Permit(permit_over(&other.terms, 1))).await.unwrap_err();
    assert!(matches!(error, SubmitError::NotThis(_)), "{error}");
    let late = now() + SignedDuration::from_mins(11);
    let error = submit_at(&scene, &order, Proof::Permit(permit.clone()), late).await.unwrap_err();
    assert!(matches!(error, SubmitError::TooLate { .. }), "{error}");
    assert_eq!(scene.stored(&order).await, order);
    assert_eq!(scene.sender.times(), 0);
    // Past the price's end, and still in time for the escrow.
    let expired = now() + SignedDuration::from_mins(5);
    submit_at(&scene, &order, Proof::Permit(permit), expired).await.unwrap();
}

#[tokio::test]
async fn refused_permit_is_discarded_and_can_be_submitted_again() {
    let scene = Scene::new().await;
    let (order, permit) = permit_order(&scene).await;
    for refusal in [
        ActionError::WouldFail("USDC is paused".to_owned()),
        ActionError::Permanent("USDC is paused".to_owned()),
        ChainError::Refused(chain(BASE), "USDC is paused".to_owned()).into(),
    ] {
        scene.sender.answers(Err(refusal));
        let error = submit(&scene, &order, Proof::Permit(permit.clone())).await.unwrap_err();
        assert!(matches!(&error, SubmitError::Refused(reason) if reason == "USDC is paused"), "{error}");
        let stored = scene.stored(&order).await;
        assert_eq!((stored.signed_payload, stored.announced, stored.due_at), (None, false, order.due_at));
    }
    let submitted = submit(&scene, &order, Proof::Permit(permit)).await.unwrap();
    assert_eq!(submitted, answer(&order, &relayed()));
}

#[tokio::test]
async fn permit_that_cannot_be_relayed_now_is_stored_and_reported_as_pending() {
    let scene = Scene::new().await;
    let (order, permit) = permit_order(&scene).await;
    for later in [
        Err(ChainError::Unavailable(chain(BASE)).into()),
        Err(ActionError::Temporary("gas is too dear".to_owned())),
        Ok(Progress::Waiting),
        Ok(Progress::Reverted(hash("55"))),
    ] {
        scene.sender.answers(later);
        let error = submit(&scene, &order, Proof::Permit(permit.clone())).await.unwrap_err();
        assert!(matches!(error, SubmitError::PermitPending { .. }) && error.is_retryable(), "{error}");
        let stored = scene.stored(&order).await;
        assert_eq!(
            (stored.signed_payload.as_ref(), stored.submitted_tx, stored.announced),
            (Some(&permit), None, true)
        );
    }
    let submitted = submit(&scene, &order, Proof::Permit(permit)).await.unwrap();
    assert_eq!(submitted, answer(&order, &relayed()));
}

#[tokio::test]
async fn earlier_hash_does_not_prevent_relaying_a_permit() {
    let scene = Scene::new().await;
    let (order, permit) = permit_order(&scene).await;
    submit_hash(&scene, &order, "ab").await.unwrap();
    scene.sender.answers(Ok(Progress::Waiting));
    let error = submit(&scene, &order, Proof::Permit(permit.clone())).await.unwrap_err();
    assert!(matches!(error, SubmitError::PermitPending { .. }), "{error}");
    let submitted = submit(&scene, &order, Proof::Permit(permit)).await.unwrap();
    assert_eq!(submitted, answer(&order, &relayed()));
    assert_eq!(scene.stored(&order).await.submitted_tx, Some(relayed()));
}

#[tokio::test]
async fn signed_deposit_is_stored_and_broadcast_idempotently() {
    let scene = Scene::new().await;
    let (order, raw, tx) = call_order(&scene).await;
    for _ in 0..2 {
        let submitted = submit(&scene, &order, Proof::Signed(raw.clone())).await.unwrap();
        assert_eq!(submitted, answer(&order, &tx));
    }
    assert!(scene.origin.broadcasts.lock().unwrap().iter().all(|sent| *sent == raw));
    let stored = scene.stored(&order).await;
    assert_eq!((stored.signed_payload, stored.submitted_tx, stored.announced), (Some(raw), Some(tx), true));
    assert!(stored.due_at < order.due_at);
    assert_eq!(scene.store.order_events(&order.id).await.unwrap().len(), 2, "built, and taken once");
}

#[tokio::test]
async fn refused_signed_deposit_restores_the_previous_state() {
    let scene = Scene::new().await;
    let (order, raw, _) = call_order(&scene).await;
    let refuse = || {
        let reason = "nonce too low".to_owned();
        *scene.origin.broadcast_refusal.lock().unwrap() = Some(BroadcastError::Refused(reason));
    };
    let state = |order: Order| (order.signed_payload, order.submitted_tx, order.announced, order.due_at);
    refuse();
    let error = submit(&scene, &order, Proof::Signed(raw.clone())).await.unwrap_err();
    assert!(matches!(&error, SubmitError::Refused(reason) if reason == "nonce too low"), "{error}");
    assert_eq!(state(scene.stored(&order).await), state(order.clone()));
    // A replacement that is refused leaves the first one.
    submit(&scene, &order, Proof::Signed(raw)).await.unwrap();
    let first = scene.stored(&order).await;
    refuse();
    let replacement = Proof::Signed(permit_over(&order.terms, 2));
    assert!(matches!(submit(&scene, &order, replacement).await, Err(SubmitError::Refused(_))));
    assert_eq!(state(scene.stored(&order).await), state(first));
}

/// The state of a process that stored the payload and crashed before the chain refused it.
async fn store_before_crash(scene: &Scene, order: &Order, payload: &[u8], submit: Option<&str>) {
    let (signed_payload, submitted_tx) = (Some(payload.to_vec()), submit.map(str::to_owned));
    let taken = Order { signed_payload, submitted_tx, announced: true, ..order.clone() };
    assert!(scene.store.update_order(&taken, &[]).await.unwrap());
}

#[tokio::test]
async fn order_is_hidden_again_when_its_payload_is_refused_after_a_crash() {
    let scene = Scene::new().await;
    let state = |order: Order| (order.signed_payload, order.submitted_tx, order.announced);
    let (order, raw, tx) = call_order(&scene).await;
    store_before_crash(&scene, &order, &raw, Some(&tx)).await;
    let refused = BroadcastError::Refused("nonce too low".to_owned());
    *scene.origin.broadcast_refusal.lock().unwrap() = Some(refused);
    assert!(matches!(submit(&scene, &order, Proof::Signed(raw)).await, Err(SubmitError::Refused(_))));
    assert_eq!(state(scene.stored(&order).await), (None, None, false));

    let (order, permit) = permit_order(&scene).await;
    store_before_crash(&scene, &order, &permit, None).await;
    scene.sender.answers(Err(ActionError::Permanent("USDC is paused".to_owned())));
    assert!(matches!(submit(&scene, &order, Proof::Permit(permit)).await, Err(SubmitError::Refused(_))));
    assert_eq!(state(scene.stored(&order).await), (None, None, false));
}

#[tokio::test]
async fn signed_deposit_is_accepted_when_the_chain_has_it_or_is_unreachable() {
    let scene = Scene::new().await;
    let (order, raw, tx) = call_order(&scene).await;
    let away = BroadcastError::Chain(ChainError::Unavailable(chain(BASE)));
    *scene.origin.broadcast_refusal.lock().unwrap() = Some(away);
    assert_eq!(submit(&scene, &order, Proof::Signed(raw.clone())).await.unwrap(), answer(&order, &tx));
    assert_eq!(scene.stored(&order).await.signed_payload, Some(raw), "it is sent again from what is kept");
    let (order, raw, tx) = call_order(&scene).await;
    scene.origin.show(&tx, DepositTxStatus::Matches);
    let known = BroadcastError::Refused("nonce too low".to_owned());
    *scene.origin.broadcast_refusal.lock().unwrap() = Some(known);
    assert_eq!(submit(&scene, &order, Proof::Signed(raw)).await.unwrap(), answer(&order, &tx));
}

#[tokio::test]
async fn late_signed_deposit_is_rejected_unless_it_was_already_sent() {
    let scene = Scene::new().await;
    let (order, raw, tx) = call_order(&scene).await;
    let late = now() + SignedDuration::from_mins(11);
    let error = submit_at(&scene, &order, Proof::Signed(raw.clone()), late).await.unwrap_err();
    assert!(matches!(error, SubmitError::TooLate { .. }), "{error}");
    scene.origin.show(&tx, DepositTxStatus::Matches);
    assert_eq!(submit_at(&scene, &order, Proof::Signed(raw), late).await.unwrap(), answer(&order, &tx));
    assert!(scene.origin.broadcasts.lock().unwrap().is_empty());
    let stranger = Proof::Signed(vec![0; 40]);
    assert!(matches!(submit(&scene, &order, stranger).await, Err(SubmitError::NotThis(_))));
}

#[test]
fn signed_payloads_are_not_logged() {
    for proof in [Proof::Signed(vec![0xab; 4]), Proof::Permit(vec![0xab; 4])] {
        let shown = format!("{proof:?}");
        assert!(!shown.contains("171") && !shown.contains("ab"), "{shown}");
    }
}
