use std::sync::Arc;
use std::sync::atomic::Ordering;

use causeway_domain::ports::{DepositTxStatus, OrderStore as _};
use causeway_domain::{ConfirmedTx, Evidence, OpenRouteError, OrderStatus, RawAmount};
use jiff::SignedDuration;

use super::*;
use crate::build_deposit::fake::{BASE, chain};

const CALL: DepositMethod = DepositMethod::ContractCall;

fn other() -> DepositTxStatus {
    DepositTxStatus::Mismatch("it goes to another contract".to_owned())
}

#[tokio::test]
async fn invisible_hash_is_accepted_on_trust_and_announces_the_order() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    let mixed = format!("0X{}", "aB".repeat(32));
    assert_eq!(submit(&scene, &order, Proof::Hash(mixed)).await.unwrap(), answer(&order, &hash("ab")));
    let stored = scene.stored(&order).await;
    assert_eq!((stored.announced, stored.submitted_tx), (true, Some(hash("ab"))));
    assert_eq!(
        (stored.status, stored.due_at),
        (OrderStatus::Created, order.due_at),
        "it is a hint, not evidence"
    );
}

#[tokio::test]
async fn submitting_the_same_hash_again_changes_nothing() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    let first = submit_hash(&scene, &order, "ab").await.unwrap();
    let stored = scene.stored(&order).await;
    // Even once the chain shows something else, or nothing at all.
    scene.origin.show(&hash("ab"), other());
    assert_eq!(submit_hash(&scene, &order, "AB").await.unwrap(), first);
    scene.origin.is_away.store(true, Ordering::Relaxed);
    assert_eq!(submit_hash(&scene, &order, "ab").await.unwrap(), first);
    assert_eq!(scene.stored(&order).await, stored);
}

#[tokio::test]
async fn another_hash_for_the_route_conflicts_unless_the_chain_confirms_it() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    submit_hash(&scene, &order, "ab").await.unwrap();
    for visible in [DepositTxStatus::NotFound, other()] {
        scene.origin.show(&hash("cd"), visible);
        let error = submit_hash(&scene, &order, "cd").await.unwrap_err();
        assert!(matches!(&error, SubmitError::Conflict { order: id } if *id == order.id), "{error}");
    }
    scene.origin.is_away.store(true, Ordering::Relaxed);
    let error = submit_hash(&scene, &order, "cd").await.unwrap_err();
    assert!(
        matches!(error, SubmitError::Chain(_)) && error.is_retryable(),
        "{error}: only the chain can decide"
    );
    scene.origin.is_away.store(false, Ordering::Relaxed);
    // The wallet sent it again with a higher fee.
    scene.origin.show(&hash("cd"), DepositTxStatus::Matches);
    assert_eq!(submit_hash(&scene, &order, "cd").await.unwrap(), answer(&order, &hash("cd")));
    assert_eq!(scene.stored(&order).await.submitted_tx, Some(hash("cd")));
}

#[tokio::test]
async fn hash_of_another_order_is_a_duplicate_unless_the_chain_confirms_it() {
    let scene = Scene::new().await;
    let (squatter, order) = (scene.order(CALL).await, scene.order(CALL).await);
    submit_hash(&scene, &squatter, "ab").await.unwrap();
    for visible in [DepositTxStatus::NotFound, other()] {
        scene.origin.show(&hash("ab"), visible);
        assert!(matches!(submit_hash(&scene, &order, "ab").await, Err(SubmitError::Duplicate)));
        assert!(!scene.stored(&order).await.announced);
    }
    // Submitting somebody else's hash first does not block its owner.
    scene.origin.show(&hash("ab"), DepositTxStatus::Matches);
    for _ in 0..2 {
        assert_eq!(submit_hash(&scene, &order, "ab").await.unwrap(), answer(&order, &hash("ab")));
    }
    assert!(scene.stored(&order).await.announced);
    assert_eq!(scene.store.order_events(&order.id).await.unwrap().len(), 2, "built, and submitted once");
}

#[tokio::test]
async fn visible_hash_of_another_transaction_is_rejected_with_the_difference() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    scene.origin.show(&hash("ab"), other());
    let error = submit_hash(&scene, &order, "ab").await.unwrap_err();
    assert_eq!(error.to_string(), "this is not the deposit that was built: it goes to another contract");
    assert_eq!(scene.stored(&order).await, order, "nothing was written");
    submit_hash(&scene, &order, "cd").await.unwrap();
}

#[tokio::test]
async fn unreachable_chain_does_not_prevent_a_submission() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    scene.origin.is_away.store(true, Ordering::Relaxed);
    assert_eq!(submit_hash(&scene, &order, "ab").await.unwrap(), answer(&order, &hash("ab")));
}

#[tokio::test]
async fn confirmed_deposit_is_accepted_after_the_quote_expired_and_after_the_order_advanced() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    scene.origin.show(&hash("ab"), DepositTxStatus::Matches);
    let late = now() + SignedDuration::from_hours(24);
    let submitted = submit_at(&scene, &order, Proof::Hash(hash("ab")), late).await.unwrap();
    assert_eq!(submitted, answer(&order, &hash("ab")));
    // The chain showed a deposit that nobody submit of.
    let order = scene.order(CALL).await;
    let shown =
        ConfirmedTx { chain: chain(BASE), tx: hash("ef"), block: 1, time: 1, amount: RawAmount::ZERO };
    let evidence = Evidence { deposit: Some(shown), ..Evidence::default() };
    let deposited = Order { evidence, announced: true, ..scene.stored(&order).await };
    let deposited = deposited.transition_to(OrderStatus::Deposited, now()).unwrap();
    assert!(scene.store.update_order(&deposited, &[]).await.unwrap());
    assert_eq!(submit_hash(&scene, &order, "ef").await.unwrap(), answer(&order, &hash("ef")));
    assert!(matches!(submit_hash(&scene, &order, "cd").await, Err(SubmitError::Conflict { .. })));
}

#[tokio::test]
async fn malformed_hash_or_unbuilt_route_is_rejected() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    for text in
        ["", "0x", "ab", &hash("ab")[2..], &hash("zz"), &format!("{}0", hash("ab")), &hash("ab")[..65]]
    {
        let error = submit(&scene, &order, Proof::Hash(text.to_owned())).await.unwrap_err();
        assert_eq!(error.to_string(), "a transaction of chain 8453 is named by 0x followed by 64 hex digits");
    }
    let quote = scene.quote(|_| {});
    let proof = Proof::Hash(hash("ab"));
    let ask = |quote: &QuoteId, route: &str| {
        let (quote, route) = (quote.clone(), route.parse().unwrap());
        scene.submit.submit(SubmitRequest { quote, route, proof: proof.clone() })
    };
    let sealed = quote.routes[0].id.as_str();
    assert!(matches!(ask(&quote.id, sealed).await, Err(SubmitError::NotBuilt)));
    assert!(matches!(
        ask(&quote.id, "nobody").await,
        Err(SubmitError::UnknownRoute(OpenRouteError::NotSealed))
    ));
    let unknown = QuoteId::random().unwrap();
    assert!(matches!(
        ask(&unknown, sealed).await,
        Err(SubmitError::UnknownRoute(OpenRouteError::OtherQuote))
    ));
}

#[tokio::test]
async fn each_method_accepts_only_its_own_proofs() {
    let scene = Scene::new().await;
    let wrong = |method| matches!(method, Err(SubmitError::WrongProof { .. }));
    let transfer = scene.order(DepositMethod::Transfer).await;
    for proof in [Proof::Hash(hash("ab")), Proof::Signed(vec![1]), Proof::Permit(vec![1])] {
        assert!(wrong(submit(&scene, &transfer, proof).await));
    }
    let call = scene.order(CALL).await;
    assert!(wrong(submit(&scene, &call, Proof::Permit(vec![1])).await));
    let permit = scene.order(DepositMethod::Permit2).await;
    assert!(wrong(submit(&scene, &permit, Proof::Signed(vec![1])).await));
}

#[tokio::test]
async fn conflicting_change_is_reapplied_to_the_newer_version() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    // Another writer changes the order while the chain is read: both changes are kept.
    let (store, id) = (Arc::clone(&scene.store), order.id.clone());
    scene.origin.meanwhile(async move {
        let stored = store.order(&id).await.unwrap().unwrap();
        let failure_reason = Some("written meanwhile".to_owned());
        assert!(store.update_order(&Order { failure_reason, ..stored }, &[]).await.unwrap());
    });
    submit_hash(&scene, &order, "ab").await.unwrap();
    let stored = scene.stored(&order).await;
    assert_eq!(stored.failure_reason.as_deref(), Some("written meanwhile"));
    assert_eq!(stored.submitted_tx, Some(hash("ab")));
}

#[tokio::test]
async fn second_of_two_concurrent_submissions_is_rejected() {
    let scene = Scene::new().await;
    for (same_order, duplicate) in [(true, false), (false, true)] {
        let order = scene.order(CALL).await;
        let faster = if same_order { order.clone() } else { scene.order(CALL).await };
        let (store, id) = (Arc::clone(&scene.store), faster.id.clone());
        let tx = hash(if same_order { "11" } else { "22" });
        scene.origin.meanwhile(async move {
            let stored = store.order(&id).await.unwrap().unwrap();
            assert!(store.update_order(&Order { submitted_tx: Some(tx), ..stored }, &[]).await.unwrap());
        });
        let error = submit_hash(&scene, &order, "22").await.unwrap_err();
        assert_eq!(matches!(error, SubmitError::Duplicate), duplicate, "{error}");
        assert_eq!(matches!(error, SubmitError::Conflict { .. }), same_order, "{error}");
    }
}
