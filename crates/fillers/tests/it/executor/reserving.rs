use std::time::Duration;

use causeway_domain::ports::{OrderExecutor, Reservation, ReservationKind};
use causeway_domain::{Order, RawAmount};

use super::fixture::{ExecutorFixture, now, secs};
use crate::fixture::{BASE, ETHEREUM, decimal, eth, raw, sell, shares, usdc, weth};

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
async fn rule_14_builds_hold_a_fifth_of_the_book_and_expire() {
    let fixture = ExecutorFixture::new();
    let orders = [fixture.for_weth("6000"), fixture.for_weth("6000")];
    fixture.hold_weth("10");
    for order in &orders {
        fixture.executor.hold(order, now()).await.unwrap();
    }
    // A fifth is 2 WETH, and each takes about 1.7.
    assert_eq!(fixture.store.all_reservations(), [reservation(&orders[0], ReservationKind::Build)]);
    fixture.executor.hold(&orders[1], orders[0].valid_before + secs(60)).await.unwrap();
    assert_eq!(fixture.store.all_reservations(), [reservation(&orders[1], ReservationKind::Build)]);
}

#[tokio::test]
async fn rule_14_a_deposit_takes_over_its_build_and_may_reserve_the_whole_balance() {
    let fixture = ExecutorFixture::new();
    let orders = [fixture.for_weth("15000"), fixture.for_weth("15000"), fixture.for_weth("15000")];
    fixture.hold_weth("10");
    fixture.executor.hold(&orders[0], now()).await.unwrap();
    assert_eq!(fixture.store.all_reservations(), [], "4.3 WETH are more than a fifth");
    for order in &orders {
        fixture.executor.reserve(order, now()).await.unwrap();
        fixture.executor.reserve(order, now() + secs(9)).await.unwrap();
    }
    let held = [0, 1].map(|at: usize| reservation(&orders[at], ReservationKind::Order));
    assert_eq!(fixture.store.all_reservations(), held, "the third exceeds the balance, which is no error");
    fixture.executor.release(&orders[0]).await.unwrap();
    fixture.executor.release(&orders[0]).await.unwrap();
    assert_eq!(fixture.store.all_reservations(), [held[1].clone()]);
}

#[tokio::test]
async fn build_reservation_becomes_an_order_reservation() {
    let fixture = ExecutorFixture::new();
    let order = fixture.cross_chain();
    fixture.executor.hold(&order, now()).await.unwrap();
    assert_eq!(fixture.store.all_reservations(), [reservation(&order, ReservationKind::Build)]);
    fixture.executor.reserve(&order, now()).await.unwrap();
    assert_eq!(fixture.store.all_reservations(), [reservation(&order, ReservationKind::Order)]);
    fixture.executor.hold(&order, now()).await.unwrap();
    assert_eq!(fixture.store.all_reservations(), [reservation(&order, ReservationKind::Order)]);
}

#[tokio::test]
async fn vault_shares_reserve_their_cost_with_a_margin() {
    let fixture = ExecutorFixture::new();
    let mut order = fixture.order(&sell(&usdc(ETHEREUM), &shares(BASE), "1000"));
    order.terms.amount_out = decimal("1000", 18).get();
    fixture.executor.hold(&order, now()).await.unwrap();
    let all = fixture.store.all_reservations();
    let [held] = all.as_slice() else { panic!("{all:?}") };
    // At 1.05 a share.
    assert_eq!((held.token, held.amount), (usdc(BASE).id, decimal("1051.05", 6)));
    // The rate moves a little: the deposit reserves at the new one, and once.
    let rate = |assets: u64| {
        let mut vaults = fixture.setup.feeds.vaults.lock().unwrap();
        let rate = vaults.get_mut(&shares(BASE).id).unwrap().as_mut().unwrap();
        rate.assets = raw(assets);
    };
    rate(1_060_000);
    fixture.executor.reserve(&order, now()).await.unwrap();
    assert_eq!(fixture.store.all_reservations()[0].amount, decimal("1061.06", 6));
    rate(1_070_000);
    fixture.executor.reserve(&order, now()).await.unwrap();
    let held: Vec<_> = fixture.store.all_reservations().iter().map(|held| held.amount).collect();
    assert_eq!(held, [decimal("1061.06", 6)], "the reservation stays");
}

#[tokio::test]
async fn unknown_vault_rate_reserves_nothing_without_an_error() {
    let fixture = ExecutorFixture::new();
    let to_vault = fixture.order(&sell(&usdc(ETHEREUM), &shares(BASE), "1000"));
    fixture.setup.feeds.vaults.lock().unwrap().insert(shares(BASE).id, None);
    fixture.executor.hold(&to_vault, now()).await.unwrap();
    fixture.executor.reserve(&to_vault, now()).await.unwrap();
    assert_eq!(fixture.store.all_reservations(), []);
}

#[tokio::test(start_paused = true)]
async fn stale_book_reserves_nothing() {
    let fixture = ExecutorFixture::new();
    let orders = [fixture.cross_chain(), fixture.order(&sell(&eth(ETHEREUM), &weth(BASE), "1"))];
    tokio::time::advance(Duration::from_hours(2)).await;
    for order in &orders {
        fixture.executor.hold(order, now()).await.unwrap();
        fixture.executor.reserve(order, now()).await.unwrap();
    }
    assert_eq!(fixture.store.all_reservations(), []);
}
