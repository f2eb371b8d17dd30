use std::sync::Arc;
use std::sync::atomic::Ordering;

use causeway_domain::ports::{OrderStore as _, Visible};
use causeway_domain::{Evidence, OrderStatus, RawAmount, Shown};
use jiff::SignedDuration;

use super::*;
use crate::build_deposit::fake::{BASE, chain};

const CALL: DepositMethod = DepositMethod::ContractCall;

fn other() -> Visible {
    Visible::Other("it goes to another contract".to_owned())
}

#[tokio::test]
async fn a_hash_that_is_not_visible_yet_is_taken_on_trust_and_shows_the_order() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    let mixed = format!("0X{}", "aB".repeat(32));
    assert_eq!(told(&scene, &order, Proof::Hash(mixed)).await.unwrap(), answer(&order, &hash("ab")));
    let stored = scene.stored(&order).await;
    assert_eq!((stored.announced, stored.told_tx), (true, Some(hash("ab"))));
    assert_eq!(
        (stored.status, stored.due_at),
        (OrderStatus::Created, order.due_at),
        "it is a hint, no evidence"
    );
}

#[tokio::test]
async fn the_same_hash_again_gives_the_same_answer_and_changes_nothing() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    let first = told_hash(&scene, &order, "ab").await.unwrap();
    let stored = scene.stored(&order).await;
    // Even once the chain shows something else, or nothing at all.
    scene.origin.show(&hash("ab"), other());
    assert_eq!(told_hash(&scene, &order, "AB").await.unwrap(), first);
    scene.origin.is_away.store(true, Ordering::Relaxed);
    assert_eq!(told_hash(&scene, &order, "ab").await.unwrap(), first);
    assert_eq!(scene.stored(&order).await, stored);
}

#[tokio::test]
async fn another_hash_for_the_same_route_is_a_conflict_unless_the_chain_shows_that_it_is_the_deposit() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    told_hash(&scene, &order, "ab").await.unwrap();
    for visible in [Visible::NotYet, other()] {
        scene.origin.show(&hash("cd"), visible);
        let error = told_hash(&scene, &order, "cd").await.unwrap_err();
        assert!(matches!(&error, SubmitError::Conflict { order: id } if *id == order.id), "{error}");
    }
    scene.origin.is_away.store(true, Ordering::Relaxed);
    let error = told_hash(&scene, &order, "cd").await.unwrap_err();
    assert!(
        matches!(error, SubmitError::Chain(_)) && error.is_retryable(),
        "{error}: the chain has to judge"
    );
    scene.origin.is_away.store(false, Ordering::Relaxed);
    // The wallet sent it again with a higher fee.
    scene.origin.show(&hash("cd"), Visible::ThisDeposit);
    assert_eq!(told_hash(&scene, &order, "cd").await.unwrap(), answer(&order, &hash("cd")));
    assert_eq!(scene.stored(&order).await.told_tx, Some(hash("cd")));
}

#[tokio::test]
async fn a_hash_of_another_order_is_a_duplicate_unless_the_chain_shows_that_it_is_this_deposit() {
    let scene = Scene::new().await;
    let (squatter, order) = (scene.order(CALL).await, scene.order(CALL).await);
    told_hash(&scene, &squatter, "ab").await.unwrap();
    for visible in [Visible::NotYet, other()] {
        scene.origin.show(&hash("ab"), visible);
        assert!(matches!(told_hash(&scene, &order, "ab").await, Err(SubmitError::Duplicate)));
        assert!(!scene.stored(&order).await.announced);
    }
    // Whoever tells a stranger's hash first takes nothing from the stranger.
    scene.origin.show(&hash("ab"), Visible::ThisDeposit);
    for _ in 0..2 {
        assert_eq!(told_hash(&scene, &order, "ab").await.unwrap(), answer(&order, &hash("ab")));
    }
    assert!(scene.stored(&order).await.announced);
    assert_eq!(scene.store.story(&order.id).await.unwrap().len(), 2, "built, and told once");
}

#[tokio::test]
async fn a_visible_hash_that_is_not_this_deposit_is_refused_with_the_difference() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    scene.origin.show(&hash("ab"), other());
    let error = told_hash(&scene, &order, "ab").await.unwrap_err();
    assert_eq!(error.to_string(), "this is not the deposit that was built: it goes to another contract");
    assert_eq!(scene.stored(&order).await, order, "nothing was written");
    told_hash(&scene, &order, "cd").await.unwrap();
}

#[tokio::test]
async fn a_chain_that_does_not_answer_keeps_nobody_from_telling() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    scene.origin.is_away.store(true, Ordering::Relaxed);
    assert_eq!(told_hash(&scene, &order, "ab").await.unwrap(), answer(&order, &hash("ab")));
}

#[tokio::test]
async fn a_deposit_that_was_made_is_accepted_after_the_quote_has_expired_and_after_the_order_went_on() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    scene.origin.show(&hash("ab"), Visible::ThisDeposit);
    let late = now() + SignedDuration::from_hours(24);
    let submitted = told_at(&scene, &order, Proof::Hash(hash("ab")), late).await.unwrap();
    assert_eq!(submitted, answer(&order, &hash("ab")));
    // The chain showed a deposit that nobody told of.
    let order = scene.order(CALL).await;
    let shown = Shown { chain: chain(BASE), tx: hash("ef"), block: 1, time: 1, amount: RawAmount::ZERO };
    let evidence = Evidence { deposit: Some(shown), ..Evidence::default() };
    let deposited = Order { evidence, announced: true, ..scene.stored(&order).await };
    let deposited = deposited.become_status(OrderStatus::Deposited, now()).unwrap();
    assert!(scene.store.update_order(&deposited, &[]).await.unwrap());
    assert_eq!(told_hash(&scene, &order, "ef").await.unwrap(), answer(&order, &hash("ef")));
    assert!(matches!(told_hash(&scene, &order, "cd").await, Err(SubmitError::Conflict { .. })));
}

#[tokio::test]
async fn what_is_not_a_hash_or_names_no_built_route_is_refused() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    for text in
        ["", "0x", "ab", &hash("ab")[2..], &hash("zz"), &format!("{}0", hash("ab")), &hash("ab")[..65]]
    {
        let error = told(&scene, &order, Proof::Hash(text.to_owned())).await.unwrap_err();
        assert_eq!(error.to_string(), "a transaction of chain 8453 is named by 0x followed by 64 hex digits");
    }
    let quote = scene.quote(|_| {}).await;
    let proof = Proof::Hash(hash("ab"));
    let ask = |quote: &QuoteId, route: &str| {
        let (quote, route) = (quote.clone(), route.parse().unwrap());
        scene.submit.submit(SubmitRequest { quote, route, proof: proof.clone() })
    };
    assert!(matches!(ask(&quote.id, "house").await, Err(SubmitError::NotBuilt { .. })));
    assert!(matches!(ask(&quote.id, "nobody").await, Err(SubmitError::RouteNotFound { .. })));
    let unknown = QuoteId::random().unwrap();
    assert!(matches!(ask(&unknown, "house").await, Err(SubmitError::QuoteNotFound(_))));
}

#[tokio::test]
async fn each_method_takes_its_own_proofs_only() {
    let scene = Scene::new().await;
    let wrong = |method| matches!(method, Err(SubmitError::WrongProof { .. }));
    let transfer = scene.order(DepositMethod::Transfer).await;
    for proof in [Proof::Hash(hash("ab")), Proof::Signed(vec![1]), Proof::Permit(vec![1])] {
        assert!(wrong(told(&scene, &transfer, proof).await));
    }
    let call = scene.order(CALL).await;
    assert!(wrong(told(&scene, &call, Proof::Permit(vec![1])).await));
    let permit = scene.order(DepositMethod::Permit2).await;
    assert!(wrong(told(&scene, &permit, Proof::Signed(vec![1])).await));
}

#[tokio::test]
async fn a_change_that_was_overtaken_is_judged_anew_on_what_the_other_wrote() {
    let scene = Scene::new().await;
    let order = scene.order(CALL).await;
    // Somebody else writes the order while we look at the chain: both changes stand.
    let (store, id) = (Arc::clone(&scene.store), order.id.clone());
    scene.origin.meanwhile(async move {
        let stored = store.order(&id).await.unwrap().unwrap();
        let failure_reason = Some("written meanwhile".to_owned());
        assert!(store.update_order(&Order { failure_reason, ..stored }, &[]).await.unwrap());
    });
    told_hash(&scene, &order, "ab").await.unwrap();
    let stored = scene.stored(&order).await;
    assert_eq!(stored.failure_reason.as_deref(), Some("written meanwhile"));
    assert_eq!(stored.told_tx, Some(hash("ab")));
}

#[tokio::test]
async fn who_tells_second_while_both_look_at_the_chain_loses() {
    let scene = Scene::new().await;
    for (same_order, duplicate) in [(true, false), (false, true)] {
        let order = scene.order(CALL).await;
        let faster = if same_order { order.clone() } else { scene.order(CALL).await };
        let (store, id) = (Arc::clone(&scene.store), faster.id.clone());
        let tx = hash(if same_order { "11" } else { "22" });
        scene.origin.meanwhile(async move {
            let stored = store.order(&id).await.unwrap().unwrap();
            assert!(store.update_order(&Order { told_tx: Some(tx), ..stored }, &[]).await.unwrap());
        });
        let error = told_hash(&scene, &order, "22").await.unwrap_err();
        assert_eq!(matches!(error, SubmitError::Duplicate), duplicate, "{error}");
        assert_eq!(matches!(error, SubmitError::Conflict { .. }), same_order, "{error}");
    }
}
