use std::sync::Arc;

use causeway_domain::ports::{ChainAction, Progress};
use causeway_domain::{Address, Decision, OrderStatus, SOLANA_CHAIN_ID, TokenId};

use crate::fake_chain::FakeWatch;
use crate::scene::{FILL_UNTIL, ORIGIN, REFUND_AFTER, Scene, cursor};

/// An accepted order that is still unfilled at that chain time.
async fn unfilled(scene: Scene, seconds: u64) -> Scene {
    scene.show(scene.opened(10)).await;
    scene.run_once().await;
    scene.pass(seconds);
    scene.run_once().await;
    scene
}

fn one_chain() -> impl FnOnce(&mut causeway_domain::Order) {
    |order| {
        order.terms.destination_chain_id = ORIGIN;
        order.to = crate::scene::token(ORIGIN, 14);
    }
}

#[tokio::test]
async fn fill_deadline_follows_the_destination_chains_time() {
    let scene = unfilled(Scene::new().await, FILL_UNTIL).await;
    assert_eq!(scene.status().await, OrderStatus::Published);
    scene.pass(FILL_UNTIL + 1);
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::RefundPending);
}

#[tokio::test]
async fn unfilled_order_is_refunded_with_attestations() {
    let scene = unfilled(Scene::new().await, FILL_UNTIL + 1).await;
    let (terms, signatures) = (scene.terms, Vec::new());
    let action = ChainAction::RefundUnfilled { terms, destination_time: FILL_UNTIL + 1, signatures };
    assert_eq!(
        *scene.relayer.sent_actions.lock().unwrap(),
        [(format!("unfilled:{:#x}", scene.terms.id()), action)]
    );
}

#[tokio::test]
async fn refund_to_an_address_without_token_account_waits_until_the_address_holds_the_token() {
    let (token, refund_to) = (Address::Solana([5; 32]), Address::Solana([7; 32]));
    let token = TokenId::from_address(SOLANA_CHAIN_ID, token).unwrap();
    let mut scene = Scene::with(|order| {
        (order.from, order.refund_to) = (token, refund_to);
        order.terms.origin_chain_id = SOLANA_CHAIN_ID.get();
    })
    .await;
    scene.is_gas_dear = true;
    let watch = Arc::<FakeWatch>::default();
    scene.watches.insert(SOLANA_CHAIN_ID, Arc::clone(&watch));
    scene.executor.decisions.lock().unwrap().push_back(Ok((Decision::Waive, None)));
    let is_waived = || scene.executor.calls().iter().any(|call| call.starts_with("waive"));
    scene.show(scene.opened(10)).await;
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::RefundPending);
    assert!(!is_waived(), "a stranger would close the account and keep its rent");

    watch.put(refund_to, token, 1);
    scene.cursors.set(SOLANA_CHAIN_ID, cursor(20, 20));
    scene.run_once().await;
    assert!(is_waived(), "{:?}", scene.executor.calls());
}

#[tokio::test]
async fn order_that_attesters_saw_filled_is_not_refunded() {
    let mut scene = Scene::new().await;
    scene.attesters.filled = true;
    let scene = unfilled(scene, FILL_UNTIL + 1).await;
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new());
    assert_eq!(scene.status().await, OrderStatus::RefundPending);
    assert!(scene.order().await.due_at.is_some(), "it stays due");
}

#[tokio::test]
async fn same_chain_refund_needs_only_the_deadline() {
    let scene = unfilled(Scene::with(one_chain()).await, FILL_UNTIL + 1).await;
    let (purpose, action) = scene.relayer.sent_actions.lock().unwrap()[0].clone();
    assert_eq!(purpose, format!("refund:{:#x}", scene.terms.id()));
    assert_eq!(action, ChainAction::Refund { terms: scene.terms });
}

#[tokio::test]
async fn refund_after_the_grace_period_needs_no_signature() {
    let scene = unfilled(Scene::new().await, REFUND_AFTER + 1).await;
    assert_eq!(scene.relayer.purposes(), [format!("refund:{:#x}", scene.terms.id())]);
}

#[tokio::test]
async fn order_that_attesters_saw_filled_is_not_refunded_after_the_grace_period() {
    let mut scene = Scene::new().await;
    scene.attesters.filled = true;
    let scene = unfilled(scene, REFUND_AFTER + 1).await;
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new(), "the filler is still owed the deposit");
    assert!(scene.order().await.due_at.is_some(), "it stays due");
}

#[tokio::test]
async fn fill_confirmed_during_a_pending_refund_is_claimed() {
    let scene = Scene::new().await;
    scene.executor.decisions.lock().unwrap().push_back(Ok((Decision::Waive, None)));
    *scene.executor.refuses_to.lock().unwrap() = Some("waive");
    scene.show(scene.opened(10)).await;
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::RefundPending);
    scene.show(scene.filled()).await;
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.failure_reason), (OrderStatus::Filled, None));
    assert_eq!(scene.executor.calls().last().unwrap(), "claim (filled waive)");
    scene.show(scene.claimed()).await;
    scene.run_once().await;
    assert_eq!(scene.order().await.due_at, None, "nothing is left");
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new());
}

#[tokio::test]
async fn failed_waiver_falls_back_to_attestations_after_the_deadline() {
    let scene = Scene::new().await;
    scene.executor.decisions.lock().unwrap().push_back(Ok((Decision::Waive, None)));
    *scene.executor.refuses_to.lock().unwrap() = Some("waive");
    scene.show(scene.opened(10)).await;
    scene.run_once().await;
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new());
    scene.pass(FILL_UNTIL + 1);
    scene.run_once().await;
    assert_eq!(scene.relayer.purposes(), [format!("unfilled:{:#x}", scene.terms.id())]);
}

#[tokio::test]
async fn reverted_refund_is_sent_at_most_five_times() {
    let scene = Scene::new().await;
    let first = format!("unfilled:{:#x}", scene.terms.id());
    let purposes: Vec<String> =
        (1..=5).map(|n| if n == 1 { first.clone() } else { format!("{first}:{n}") }).collect();
    for purpose in &purposes[..4] {
        scene.relayer.ends(purpose, Progress::Reverted("0xdead".to_owned()));
    }
    let scene = unfilled(scene, FILL_UNTIL + 1).await;
    assert_eq!(scene.relayer.purposes(), purposes);
    scene.relayer.ends(&purposes[4], Progress::Reverted("0xdead".to_owned()));
    scene.relayer.sent_actions.lock().unwrap().clear();
    scene.run_once().await;
    assert_eq!(scene.relayer.purposes(), purposes, "and not a sixth time");
    assert_eq!(scene.status().await, OrderStatus::RefundPending);
}
