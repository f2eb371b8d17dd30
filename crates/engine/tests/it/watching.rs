use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::B256;
use causeway_domain::ports::{Arrival, FactStore as _};
use causeway_domain::{DepositMethod, OrderStatus, TokenId};
use causeway_engine::{WatchAddresses, WatchPolicy};
use jiff::SignedDuration;

use crate::fake_chain::FakeWatch;
use crate::followed::Followed;
use crate::scene::{AMOUNT_IN, OPEN_UNTIL, ORIGIN, Scene, add_order, address, input, raw, token};

const POLICY: WatchPolicy = WatchPolicy {
    open_every: Duration::ZERO,
    ended_every: Duration::ZERO,
    stuck_every: Duration::from_hours(1),
    ended_for: SignedDuration::from_hours(1),
    recent_for: SignedDuration::from_hours(1),
    at_once: 400,
    longest: Duration::from_secs(1),
};

/// A token that somebody may send by mistake.
fn stray() -> TokenId {
    token(ORIGIN, 0x77)
}

/// The origin's addresses as one process watches them, with the memory of its start.
fn watched(scene: &Scene, watch: &Arc<FakeWatch>) -> Followed {
    watched_by(scene, watch, POLICY)
}

fn watched_by(scene: &Scene, watch: &Arc<FakeWatch>, policy: WatchPolicy) -> Followed {
    let (orders, facts, marks) = (scene.store.clone(), scene.store.clone(), Arc::clone(&scene.marks));
    let tokens = vec![input(), stray()];
    let addresses = WatchAddresses::new(watch.clone(), orders, facts, marks, tokens, policy);
    Followed::new(scene, scene.store.clone(), Some(addresses))
}

/// Looks once, as of that block, and ends.
async fn look_anew(scene: &Scene, watch: &Arc<FakeWatch>, block: u64) {
    look(scene, watch, &[block]).await;
}

async fn look(scene: &Scene, watch: &Arc<FakeWatch>, blocks: &[u64]) {
    let followed = watched(scene, watch);
    for block in blocks {
        followed.stands(*block, Vec::new());
    }
    followed.heard().await;
    followed.end().await;
}

async fn arrivals(scene: &Scene) -> Vec<Arrival> {
    scene.store.arrivals(address(0xda)).await.unwrap()
}

fn arrival(scene: &Scene, balance: u64, gained: u64, block: u64, tx: Option<&str>) -> Arrival {
    Arrival {
        order: scene.id.clone(),
        address: address(0xda),
        token: input(),
        balance: raw(balance),
        gained: raw(gained),
        block,
        tx: tx.map(str::to_owned),
    }
}

#[tokio::test]
async fn too_little_is_noted_and_waits_for_the_rest() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.bring(address(0xda), input(), 400, 5);
    look(&scene, &watch, &[5, 6, 7]).await;
    assert_eq!(arrivals(&scene).await, [arrival(&scene, 400, 400, 5, Some("0xb5"))], "once");
    scene.turn().await;
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new());
    watch.bring(address(0xda), input(), 600, 8);
    look_anew(&scene, &watch, 8).await;
    assert_eq!(arrivals(&scene).await[1..], [arrival(&scene, AMOUNT_IN, 600, 8, Some("0xb8"))]);
    scene.turn().await;
    assert_eq!(scene.relayer.purposes(), [format!("sweep:{:#x}", scene.terms.id())]);
}

#[tokio::test]
async fn too_little_goes_back_when_the_time_to_deposit_is_over() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.bring(address(0xda), input(), 400, 5);
    look_anew(&scene, &watch, 5).await;
    scene.pass(OPEN_UNTIL + 1);
    scene.turn().await;
    assert_eq!(scene.status().await, OrderStatus::Failed);
    assert_eq!(scene.relayer.purposes(), [format!("giveback:{:#x}:5", scene.terms.id())]);
}

#[tokio::test]
async fn nothing_is_swept_after_the_time_to_deposit_and_what_comes_late_goes_back() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    scene.pass(OPEN_UNTIL + 1);
    scene.worker().turn(jiff::Timestamp::now() + SignedDuration::from_hours(48)).await.unwrap();
    let order = scene.order().await;
    assert_eq!((order.status, order.due_at), (OrderStatus::Failed, None));
    watch.bring(address(0xda), input(), AMOUNT_IN, 1_100);
    look_anew(&scene, &watch, 1_100).await;
    scene.turn().await;
    assert_eq!(scene.relayer.purposes(), [format!("giveback:{:#x}:1100", scene.terms.id())]);
}

#[tokio::test]
async fn what_is_over_the_amount_goes_back_after_the_sweep() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.bring(address(0xda), input(), 1_500, 5);
    look_anew(&scene, &watch, 5).await;
    scene.turn().await;
    let sweep = format!("sweep:{:#x}", scene.terms.id());
    assert_eq!(scene.relayer.purposes(), std::slice::from_ref(&sweep), "nothing goes back before it");
    scene.show(scene.opened(7)).await;
    watch.put(address(0xda), input(), 500);
    scene.turn().await;
    assert_eq!(scene.relayer.purposes(), std::slice::from_ref(&sweep), "the look is from before the sweep");
    look_anew(&scene, &watch, 9).await;
    assert_eq!(arrivals(&scene).await[1..], [arrival(&scene, 500, 0, 9, None)]);
    scene.turn().await;
    assert_eq!(scene.relayer.purposes(), [sweep, format!("giveback:{:#x}:9", scene.terms.id())]);
}

#[tokio::test]
async fn the_same_amount_once_more_is_noticed_also_when_nobody_looked_in_between() {
    for restarts in [false, true] {
        let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
        let mut followed = watched(&scene, &watch);
        watch.bring(address(0xda), input(), AMOUNT_IN, 5);
        followed.stands(5, Vec::new());
        followed.heard().await;
        scene.show(scene.opened(7)).await;
        scene.turn().await;
        // The sweep took all, and as much came again.
        watch.put(address(0xda), input(), 0);
        watch.bring(address(0xda), input(), AMOUNT_IN, 8);
        if restarts {
            followed.end().await;
            followed = watched(&scene, &watch);
        }
        followed.stands(9, Vec::new());
        followed.stands(10, Vec::new());
        followed.heard().await;
        let again = arrival(&scene, AMOUNT_IN, AMOUNT_IN, 9, Some("0xb8"));
        assert_eq!(arrivals(&scene).await[1..], [again], "once; restarts: {restarts}");
        scene.turn().await;
        let back = format!("giveback:{:#x}:9", scene.terms.id());
        assert_eq!(scene.relayer.purposes().last(), Some(&back));
        followed.end().await;
    }
}

#[tokio::test]
async fn what_comes_again_after_it_was_given_back_is_given_back_again() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    scene.pass(OPEN_UNTIL + 1);
    scene.worker().turn(jiff::Timestamp::now() + SignedDuration::from_hours(48)).await.unwrap();
    watch.bring(address(0xda), input(), 700, 1_100);
    look_anew(&scene, &watch, 1_100).await;
    scene.turn().await;
    // It went back, and as much came again, between two looks.
    watch.put(address(0xda), input(), 0);
    watch.bring(address(0xda), input(), 700, 1_105);
    look_anew(&scene, &watch, 1_110).await;
    look_anew(&scene, &watch, 1_111).await;
    assert_eq!(arrivals(&scene).await[1..], [arrival(&scene, 700, 700, 1_110, Some("0xb1105"))], "once");
    scene.turn().await;
    let id = format!("{:#x}", scene.terms.id());
    assert_eq!(scene.relayer.purposes(), [format!("giveback:{id}:1100"), format!("giveback:{id}:1110")]);
}

#[tokio::test]
async fn other_tokens_are_looked_for_once_the_order_waits_no_more() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.bring(address(0xda), stray(), 33, 5);
    look_anew(&scene, &watch, 5).await;
    assert_eq!(arrivals(&scene).await, []);
    scene.show(scene.opened(7)).await;
    scene.turn().await;
    look_anew(&scene, &watch, 9).await;
    let came = arrivals(&scene).await;
    assert_eq!(came.len(), 1);
    assert_eq!((came[0].token, came[0].balance), (stray(), raw(33)));
}

#[tokio::test]
async fn a_restart_with_an_empty_memory_notes_nothing_twice() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.bring(address(0xda), input(), 400, 5);
    for block in [5, 6, 7] {
        look_anew(&scene, &watch, block).await;
    }
    assert_eq!(arrivals(&scene).await.len(), 1);
}

#[tokio::test]
async fn what_could_not_be_returned_and_is_still_there_is_tried_again_after_a_while() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    scene.pass(OPEN_UNTIL + 1);
    scene.worker().turn(jiff::Timestamp::now() + SignedDuration::from_hours(48)).await.unwrap();
    watch.bring(address(0xda), input(), AMOUNT_IN, 1_100);
    let followed = watched_by(&scene, &watch, WatchPolicy { stuck_every: Duration::ZERO, ..POLICY });
    for block in [1_100, 1_101] {
        followed.stands(block, Vec::new());
    }
    followed.heard().await;
    followed.end().await;
    let blocks: Vec<u64> = arrivals(&scene).await.iter().map(|arrival| arrival.block).collect();
    assert_eq!(blocks, [1_100, 1_101]);
    scene.turn().await;
    assert_eq!(scene.relayer.purposes(), [format!("giveback:{:#x}:1101", scene.terms.id())]);
}

/// More orders for plain transfers, to addresses of their own.
async fn unpaid(scene: &Scene, addresses: impl IntoIterator<Item = u8>) {
    for byte in addresses {
        add_order(&scene.store, &scene.row_keys, |order| {
            order.method = DepositMethod::Transfer;
            order.deposit_address = Some(address(byte));
            order.terms.nonce = B256::repeat_byte(byte);
        })
        .await;
    }
}

#[tokio::test]
async fn however_many_builds_are_not_paid_for_a_look_ends_in_time_and_every_address_has_its_turn() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    unpaid(&scene, 0x10..0x18).await;
    watch.bring(address(0x17), input(), 400, 5);
    // No time at all: each look is at one address.
    let followed = watched_by(&scene, &watch, WatchPolicy { longest: Duration::ZERO, at_once: 4, ..POLICY });
    let seen = async || scene.store.arrivals(address(0x17)).await.unwrap().len();
    for block in 5..13 {
        followed.stands(block, Vec::new());
    }
    followed.heard().await;
    assert_eq!(seen().await, 0, "eight looks are at the eight others");
    followed.stands(13, Vec::new());
    followed.heard().await;
    assert_eq!(seen().await, 1);
    followed.end().await;
}

#[tokio::test]
async fn an_address_that_cannot_be_read_keeps_no_other_from_being_seen() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    unpaid(&scene, [0x10]).await;
    *watch.broken.lock().unwrap() = Some(address(0xda));
    watch.bring(address(0x10), input(), 400, 5);
    let followed = watched_by(&scene, &watch, WatchPolicy { at_once: 1, ..POLICY });
    for block in 5..8 {
        followed.stands(block, Vec::new());
    }
    followed.heard().await;
    assert_eq!(scene.store.arrivals(address(0x10)).await.unwrap().len(), 1);
    watch.bring(address(0xda), input(), 300, 6);
    *watch.broken.lock().unwrap() = None;
    for block in 8..11 {
        followed.stands(block, Vec::new());
    }
    followed.heard().await;
    assert_eq!(arrivals(&scene).await, [arrival(&scene, 300, 300, 9, Some("0xb6"))], "in the next lap");
    followed.end().await;
}

#[tokio::test]
async fn addresses_of_long_ago_are_looked_at_more_rarely_and_not_forgotten() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    scene.pass(OPEN_UNTIL + 1);
    scene.worker().turn(jiff::Timestamp::now() + SignedDuration::from_hours(48)).await.unwrap();
    let every = Duration::from_millis(50);
    let policy = WatchPolicy { ended_every: every, recent_for: SignedDuration::ZERO, ..POLICY };
    let followed = watched_by(&scene, &watch, policy);
    followed.stands(1_099, Vec::new());
    followed.heard().await;
    watch.bring(address(0xda), input(), AMOUNT_IN, 1_100);
    tokio::time::sleep(every * 2).await;
    followed.stands(1_100, Vec::new());
    followed.heard().await;
    assert_eq!(arrivals(&scene).await, []);
    tokio::time::sleep(every * 10).await;
    followed.stands(1_101, Vec::new());
    followed.heard().await;
    assert_eq!(arrivals(&scene).await.len(), 1);
    followed.end().await;
}
