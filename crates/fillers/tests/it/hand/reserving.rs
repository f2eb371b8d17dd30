use std::time::Duration;

use causeway_domain::ports::{Hand, Reservation, ReservationKind};
use causeway_domain::{Order, RawAmount};

use super::scene::{Scene, now, secs};
use crate::world::{BASE, ETHEREUM, decimal, eth, raw, sell, shares, usdc, weth};

fn reservation(order: &Order, kind: ReservationKind) -> Reservation {
    Reservation {
        filler: "inventory".to_owned(),
        token: order.to,
        amount: RawAmount::new(order.terms.amount_out),
        holder: order.id.to_string(),
        kind,
        expires_at: (kind == ReservationKind::Build).then(|| order.valid_before + secs(60)),
    }
}

#[tokio::test]
async fn rule_14_builds_hold_a_fifth_of_the_book_and_end_by_themselves() {
    let scene = Scene::new();
    let orders = [scene.for_weth("6000"), scene.for_weth("6000")];
    scene.hold_weth("10");
    for order in &orders {
        scene.hand.hold(order, now()).await.unwrap();
    }
    // A fifth is 2 WETH, and each takes about 1.7.
    assert_eq!(scene.promises.all(), [reservation(&orders[0], ReservationKind::Build)]);
    scene.hand.hold(&orders[1], orders[0].valid_before + secs(60)).await.unwrap();
    assert_eq!(scene.promises.all(), [reservation(&orders[1], ReservationKind::Build)]);
}

#[tokio::test]
async fn rule_14_a_deposit_that_was_seen_takes_over_its_build_and_may_take_all_that_is_held() {
    let scene = Scene::new();
    let orders = [scene.for_weth("15000"), scene.for_weth("15000"), scene.for_weth("15000")];
    scene.hold_weth("10");
    scene.hand.hold(&orders[0], now()).await.unwrap();
    assert_eq!(scene.promises.all(), [], "4.3 WETH are more than a fifth");
    for order in &orders {
        scene.hand.reserve(order, now()).await.unwrap();
        scene.hand.reserve(order, now() + secs(9)).await.unwrap();
    }
    let held = [0, 1].map(|at: usize| reservation(&orders[at], ReservationKind::Order));
    assert_eq!(scene.promises.all(), held, "the third finds too little, which is no error");
    scene.hand.release(&orders[0]).await.unwrap();
    scene.hand.release(&orders[0]).await.unwrap();
    assert_eq!(scene.promises.all(), [held[1].clone()]);
}

#[tokio::test]
async fn a_build_becomes_an_order() {
    let scene = Scene::new();
    let order = scene.usual();
    scene.hand.hold(&order, now()).await.unwrap();
    assert_eq!(scene.promises.all(), [reservation(&order, ReservationKind::Build)]);
    scene.hand.reserve(&order, now()).await.unwrap();
    assert_eq!(scene.promises.all(), [reservation(&order, ReservationKind::Order)]);
    scene.hand.hold(&order, now()).await.unwrap();
    assert_eq!(scene.promises.all(), [reservation(&order, ReservationKind::Order)]);
}

#[tokio::test]
async fn shares_of_a_vault_reserve_what_they_cost_and_a_little_more() {
    let scene = Scene::new();
    let mut order = scene.order(&sell(&usdc(ETHEREUM), &shares(BASE), "1000"));
    order.terms.amount_out = decimal("1000", 18).get();
    scene.hand.hold(&order, now()).await.unwrap();
    let all = scene.promises.all();
    let [held] = all.as_slice() else { panic!("{all:?}") };
    // At 1.05 a share.
    assert_eq!((held.token, held.amount), (usdc(BASE).id, decimal("1051.05", 6)));
    // The rate moves a little: the deposit reserves at the new one, and once.
    let rate = |assets: u64| {
        let mut vaults = scene.world.figures.vaults.lock().unwrap();
        let rate = vaults.get_mut(&shares(BASE).id).unwrap().as_mut().unwrap();
        rate.assets = raw(assets);
    };
    rate(1_060_000);
    scene.hand.reserve(&order, now()).await.unwrap();
    assert_eq!(scene.promises.all()[0].amount, decimal("1061.06", 6));
    rate(1_070_000);
    scene.hand.reserve(&order, now()).await.unwrap();
    let held: Vec<_> = scene.promises.all().iter().map(|held| held.amount).collect();
    assert_eq!(held, [decimal("1061.06", 6)], "what is set aside stays");
}

#[tokio::test]
async fn what_is_not_known_is_not_set_aside_and_no_fault_of_the_payer() {
    let scene = Scene::new();
    let to_vault = scene.order(&sell(&usdc(ETHEREUM), &shares(BASE), "1000"));
    scene.world.figures.vaults.lock().unwrap().insert(shares(BASE).id, None);
    scene.hand.hold(&to_vault, now()).await.unwrap();
    scene.hand.reserve(&to_vault, now()).await.unwrap();
    assert_eq!(scene.promises.all(), []);
}

#[tokio::test(start_paused = true)]
async fn a_book_that_is_too_old_sets_nothing_aside() {
    let scene = Scene::new();
    let orders = [scene.usual(), scene.order(&sell(&eth(ETHEREUM), &weth(BASE), "1"))];
    tokio::time::advance(Duration::from_hours(2)).await;
    for order in &orders {
        scene.hand.hold(order, now()).await.unwrap();
        scene.hand.reserve(order, now()).await.unwrap();
    }
    assert_eq!(scene.promises.all(), []);
}
