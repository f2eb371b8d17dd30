use causeway_domain::OrderStatus;
use causeway_domain::ports::{Arrival, ChainAction, ChainStore as _, Progress};
use jiff::Timestamp;

use crate::scene::{OPEN_UNTIL, Scene, address, input, raw};

/// A failed order with a balance at its deposit address.
async fn failed() -> Scene {
    let scene = Scene::transfer().await;
    arrive(&scene, 400, 5).await;
    scene.pass(OPEN_UNTIL + 1);
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::Failed);
    scene
}

async fn arrive(scene: &Scene, balance: u64, block: u64) {
    let (order, address) = (scene.id.clone(), address(0xda));
    let (balance, gained) = (raw(balance), raw(balance));
    let arrival = Arrival { order, address, token: input(), balance, gained, block, tx: None };
    scene.store.record_arrival(&arrival, Timestamp::now()).await.unwrap();
}

#[tokio::test]
async fn failed_order_is_complete_once_its_balance_is_returned() {
    let scene = failed().await;
    let purpose = format!("giveback:{:#x}:5", scene.terms.id());
    let action = ChainAction::ReturnBalance { terms: scene.terms, tokens: vec![input().address()] };
    assert_eq!(*scene.relayer.sent_actions.lock().unwrap(), [(purpose.clone(), action)]);
    assert!(scene.order().await.due_at.is_some(), "it is on its way");
    scene.relayer.ends(&purpose, Progress::Succeeded("0x77".to_owned()));
    scene.run_once().await;
    assert_eq!(scene.order().await.due_at, None);
    arrive(&scene, 0, 9).await;
    scene.run_once().await;
    assert_eq!(scene.order().await.due_at, None);
    arrive(&scene, 30, 12).await;
    scene.run_once().await;
    assert_eq!(scene.relayer.purposes().last().unwrap(), &format!("giveback:{:#x}:12", scene.terms.id()));
}

#[tokio::test]
async fn reverted_return_is_sent_again() {
    let scene = failed().await;
    let first = format!("giveback:{:#x}:5", scene.terms.id());
    scene.relayer.ends(&first, Progress::Reverted("0xdead".to_owned()));
    scene.run_once().await;
    assert_eq!(scene.relayer.purposes()[1..], [first.clone(), format!("{first}:2")]);
    scene.relayer.ends(&format!("{first}:2"), Progress::Succeeded("0x77".to_owned()));
    scene.run_once().await;
    assert_eq!(scene.order().await.due_at, None);
}

#[tokio::test]
async fn rule_16_a_balance_that_is_worth_less_than_its_return_is_left_to_others() {
    let mut scene = Scene::transfer().await;
    scene.is_gas_dear = true;
    arrive(&scene, 400, 5).await;
    scene.pass(OPEN_UNTIL + 1);
    scene.run_once().await;
    let order = scene.order().await;
    assert_eq!((order.status, order.due_at), (OrderStatus::Failed, None));
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new());
}
