use causeway_domain::ports::{Deed, Progress};
use causeway_domain::{Decision, OrderStatus};

use crate::scene::{FILL_UNTIL, ORIGIN, REFUND_AFTER, Scene};

/// An order that was to be delivered and was not, by that second of the chains' time.
async fn undelivered(scene: Scene, seconds: u64) -> Scene {
    scene.show(scene.opened(10)).await;
    scene.turn().await;
    scene.pass(seconds);
    scene.turn().await;
    scene
}

fn one_chain() -> impl FnOnce(&mut causeway_domain::Order) {
    |order| {
        order.terms.destination_chain_id = ORIGIN;
        order.to = crate::scene::token(ORIGIN, 14);
    }
}

#[tokio::test]
async fn a_deadline_is_over_when_the_destination_says_so_and_not_a_second_earlier() {
    let scene = undelivered(Scene::new().await, FILL_UNTIL).await;
    assert_eq!(scene.status().await, OrderStatus::Published);
    scene.pass(FILL_UNTIL + 1);
    scene.turn().await;
    assert_eq!(scene.status().await, OrderStatus::RefundPending);
}

#[tokio::test]
async fn what_nobody_delivered_goes_back_by_the_attesters_word() {
    let scene = undelivered(Scene::new().await, FILL_UNTIL + 1).await;
    let (terms, signatures) = (scene.terms, Vec::new());
    let deed = Deed::RefundUnfilled { terms, destination_time: FILL_UNTIL + 1, signatures };
    assert_eq!(*scene.relayer.carried.lock().unwrap(), [(format!("unfilled:{:#x}", scene.terms.id()), deed)]);
}

#[tokio::test]
async fn nothing_goes_back_that_the_attesters_saw_delivered() {
    let mut scene = Scene::new().await;
    scene.attesters.filled = true;
    let scene = undelivered(scene, FILL_UNTIL + 1).await;
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new());
    assert_eq!(scene.status().await, OrderStatus::RefundPending);
    assert!(scene.order().await.due_at.is_some(), "somebody goes on looking");
}

#[tokio::test]
async fn on_one_chain_the_deadline_itself_is_enough() {
    let scene = undelivered(Scene::with(one_chain()).await, FILL_UNTIL + 1).await;
    let (purpose, deed) = scene.relayer.carried.lock().unwrap()[0].clone();
    assert_eq!(purpose, format!("refund:{:#x}", scene.terms.id()));
    assert_eq!(deed, Deed::Refund { terms: scene.terms });
}

#[tokio::test]
async fn after_the_grace_no_signature_is_needed() {
    let scene = undelivered(Scene::new().await, REFUND_AFTER + 1).await;
    assert_eq!(scene.relayer.purposes(), [format!("refund:{:#x}", scene.terms.id())]);
}

#[tokio::test]
async fn after_the_grace_nothing_goes_back_that_the_attesters_saw_delivered() {
    let mut scene = Scene::new().await;
    scene.attesters.filled = true;
    let scene = undelivered(scene, REFUND_AFTER + 1).await;
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new(), "whoever delivered is still to be paid");
    assert!(scene.order().await.due_at.is_some(), "somebody goes on looking");
}

#[tokio::test]
async fn a_delivery_that_is_shown_while_the_deposit_was_to_go_back_is_paid_for() {
    let scene = Scene::new().await;
    scene.hand.decisions.lock().unwrap().push_back(Ok((Decision::Waive, None)));
    *scene.hand.refuses_to.lock().unwrap() = Some("waive");
    scene.show(scene.opened(10)).await;
    scene.turn().await;
    assert_eq!(scene.status().await, OrderStatus::RefundPending);
    scene.show(scene.filled()).await;
    scene.turn().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.failure_reason), (OrderStatus::Filled, None));
    assert_eq!(scene.hand.calls().last().unwrap(), "claim (filled waive)");
    scene.show(scene.claimed()).await;
    scene.turn().await;
    assert_eq!(scene.order().await.due_at, None, "nothing is left");
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new());
}

#[tokio::test]
async fn who_declined_and_cannot_give_back_is_passed_over_once_the_deadline_is_over() {
    let scene = Scene::new().await;
    scene.hand.decisions.lock().unwrap().push_back(Ok((Decision::Waive, None)));
    *scene.hand.refuses_to.lock().unwrap() = Some("waive");
    scene.show(scene.opened(10)).await;
    scene.turn().await;
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new());
    scene.pass(FILL_UNTIL + 1);
    scene.turn().await;
    assert_eq!(scene.relayer.purposes(), [format!("unfilled:{:#x}", scene.terms.id())]);
}

#[tokio::test]
async fn a_refund_that_failed_in_a_block_is_sent_anew_five_times_in_all() {
    let scene = Scene::new().await;
    let first = format!("unfilled:{:#x}", scene.terms.id());
    let purposes: Vec<String> =
        (1..=5).map(|n| if n == 1 { first.clone() } else { format!("{first}:{n}") }).collect();
    for purpose in &purposes[..4] {
        scene.relayer.ends(purpose, Progress::Reverted("0xdead".to_owned()));
    }
    let scene = undelivered(scene, FILL_UNTIL + 1).await;
    assert_eq!(scene.relayer.purposes(), purposes);
    scene.relayer.ends(&purposes[4], Progress::Reverted("0xdead".to_owned()));
    scene.relayer.carried.lock().unwrap().clear();
    scene.turn().await;
    assert_eq!(scene.relayer.purposes(), purposes, "and not a sixth time");
    assert_eq!(scene.status().await, OrderStatus::RefundPending);
}
