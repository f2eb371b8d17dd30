use alloy_primitives::U256;
use causeway_domain::ports::{
    InventoryStore, Reservation, ReservationKind, ReservationLimit, Reserved, StoreError,
};
use causeway_domain::{ChainId, OrderStatus, RawAmount, SOLANA_CHAIN_ID, TokenId};
use causeway_store::Store;

use crate::sample::{now, placed, seconds};
use crate::test_database::TestDatabase;

on_both_engines!(
    a_reservation_counts_until_it_is_released,
    the_same_holder_again_is_written_once,
    another_amount_for_the_same_holder_is_rejected,
    an_order_replaces_the_reservation_of_its_build,
    a_build_never_replaces_the_reservation_of_an_order,
    rule_14_builds_stay_within_their_share_of_the_book,
    rule_14_a_reservation_over_the_limit_changes_nothing,
    a_build_counts_until_it_expires,
    an_order_never_expires,
    an_order_that_has_ended_reserves_nothing,
    every_filler_and_token_has_a_book_of_its_own,
    names_with_nul_identify_the_same_holder,
    an_unreadable_reservation_is_corrupt,
);

const FILLER: &str = "inventory ‘north’";

pub(crate) fn units(count: u64) -> RawAmount {
    RawAmount::new(U256::from(count))
}

pub(crate) fn ether() -> TokenId {
    TokenId::native(ChainId::new(1).unwrap())
}

pub(crate) fn of(kind: ReservationKind, holder: &str, amount: u64) -> Reservation {
    let (filler, holder) = (FILLER.to_owned(), holder.to_owned());
    Reservation { filler, token: ether(), amount: units(amount), holder, kind, expires_at: None }
}

pub(crate) fn build(holder: &str, amount: u64) -> Reservation {
    of(ReservationKind::Build, holder, amount)
}

pub(crate) fn order(holder: &str, amount: u64) -> Reservation {
    of(ReservationKind::Order, holder, amount)
}

pub(crate) fn limit(total: u64, builds: u64) -> ReservationLimit {
    ReservationLimit { total: units(total), builds: units(builds) }
}

const fn over(reserved: RawAmount) -> Reserved {
    Reserved::OverLimit { reserved }
}

/// Reserves within 100, of which builds may have 20.
async fn reserve(store: &Store, reservation: &Reservation) -> Reserved {
    store.reserve(reservation, limit(100, 20), now()).await.unwrap()
}

pub(crate) async fn reserved(store: &Store) -> RawAmount {
    store.reserved(FILLER, ether(), now()).await.unwrap()
}

async fn a_reservation_counts_until_it_is_released(database: &TestDatabase) {
    let store = database.store().await;
    assert_eq!(reserved(&store).await, RawAmount::ZERO);
    assert_eq!(reserve(&store, &order("a", 60)).await, Reserved::Written);
    assert_eq!(reserve(&store, &build("b", 10)).await, Reserved::Written);
    assert_eq!(reserved(&store).await, units(70));
    store.release(FILLER, "a").await.unwrap();
    assert_eq!(reserved(&store).await, units(10));
    for holder in ["a", "b", "nobody"] {
        store.release(FILLER, holder).await.unwrap();
    }
    assert_eq!(store.all_reserved(FILLER, now()).await.unwrap(), []);
    let all = Reservation { amount: RawAmount::new(U256::MAX), ..order("c", 0) };
    let unlimited = ReservationLimit { total: all.amount, builds: all.amount };
    assert_eq!(store.reserve(&all, unlimited, now()).await.unwrap(), Reserved::Written);
    assert_eq!(reserved(&store).await, all.amount);
    assert_eq!(store.reserve(&order("d", 1), unlimited, now()).await.unwrap(), over(all.amount));
}

async fn the_same_holder_again_is_written_once(database: &TestDatabase) {
    let store = database.store().await;
    for reservation in [build("a", 20), order("b", 80)] {
        assert_eq!(reserve(&store, &reservation).await, Reserved::Written);
        for _ in 0..3 {
            assert_eq!(reserve(&store, &reservation).await, Reserved::Existing);
        }
        // What is held stays held, even when the limit is smaller now.
        let answer = store.reserve(&reservation, limit(1, 1), now()).await.unwrap();
        assert_eq!(answer, Reserved::Existing);
    }
    assert_eq!(reserved(&store).await, units(100));
}

async fn another_amount_for_the_same_holder_is_rejected(database: &TestDatabase) {
    let store = database.store().await;
    reserve(&store, &build("a", 5)).await;
    reserve(&store, &order("b", 5)).await;
    for other in [build("a", 6), build("a", 4), order("b", 6), build("b", 4)] {
        let error = store.reserve(&other, limit(100, 20), now()).await.unwrap_err();
        assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
    }
    assert_eq!(reserved(&store).await, units(10));
    store.release(FILLER, "a").await.unwrap();
    assert_eq!(reserve(&store, &build("a", 6)).await, Reserved::Written);
}

async fn an_order_replaces_the_reservation_of_its_build(database: &TestDatabase) {
    let store = database.store().await;
    let soon = now() + seconds(60);
    let held = Reservation { expires_at: Some(soon), ..build("a", 20) };
    assert_eq!(reserve(&store, &held).await, Reserved::Written);
    assert_eq!(reserve(&store, &order("b", 70)).await, Reserved::Written);
    // Its own build does not stand in its way, what others hold does.
    assert_eq!(reserve(&store, &order("a", 31)).await, over(units(70)));
    assert_eq!(reserved(&store).await, units(90));
    assert_eq!(reserve(&store, &order("a", 30)).await, Reserved::Written);
    assert_eq!(reserved(&store).await, units(100));
    assert_eq!(store.reserved(FILLER, ether(), soon + seconds(1)).await.unwrap(), units(100));
    assert_eq!(database.raw().await.count("reservations").await, 2);
    // The part of the builds is free again.
    store.release(FILLER, "b").await.unwrap();
    assert_eq!(reserve(&store, &build("c", 20)).await, Reserved::Written);
}

async fn a_build_never_replaces_the_reservation_of_an_order(database: &TestDatabase) {
    let store = database.store().await;
    reserve(&store, &order("a", 50)).await;
    let soon = now() + seconds(60);
    let weaker = Reservation { expires_at: Some(soon), ..build("a", 50) };
    assert_eq!(reserve(&store, &weaker).await, Reserved::Existing);
    assert_eq!(store.reserved(FILLER, ether(), soon + seconds(1)).await.unwrap(), units(50));
    assert_eq!(reserve(&store, &build("b", 20)).await, Reserved::Written);
}

async fn rule_14_builds_stay_within_their_share_of_the_book(database: &TestDatabase) {
    let store = database.store().await;
    assert_eq!(reserve(&store, &build("a", 21)).await, over(RawAmount::ZERO));
    assert_eq!(reserve(&store, &build("a", 12)).await, Reserved::Written);
    assert_eq!(reserve(&store, &order("b", 50)).await, Reserved::Written);
    assert_eq!(reserve(&store, &build("c", 9)).await, over(units(62)));
    assert_eq!(reserve(&store, &build("c", 8)).await, Reserved::Written);
    assert_eq!(reserve(&store, &build("d", 1)).await, over(units(70)));
    assert_eq!(reserve(&store, &order("d", 30)).await, Reserved::Written);
}

async fn rule_14_a_reservation_over_the_limit_changes_nothing(database: &TestDatabase) {
    let store = database.store().await;
    assert_eq!(reserve(&store, &order("a", 101)).await, over(RawAmount::ZERO));
    assert_eq!(reserve(&store, &order("a", 95)).await, Reserved::Written);
    assert_eq!(reserve(&store, &order("b", 6)).await, over(units(95)));
    assert_eq!(reserve(&store, &build("b", 6)).await, over(units(95)));
    assert_eq!(reserved(&store).await, units(95));
    assert_eq!(reserve(&store, &order("b", 5)).await, Reserved::Written);
    assert_eq!(reserve(&store, &order("c", 0)).await, Reserved::Written);
    // A limit that has shrunk below what is held lets nothing more in.
    assert_eq!(store.reserve(&order("d", 0), limit(99, 0), now()).await.unwrap(), over(units(100)));
}

async fn a_build_counts_until_it_expires(database: &TestDatabase) {
    let store = database.store().await;
    let (before, at) = (now() + seconds(59), now() + seconds(60));
    let first = Reservation { expires_at: Some(at), ..build("a", 20) };
    assert_eq!(reserve(&store, &first).await, Reserved::Written);
    assert_eq!(store.reserved(FILLER, ether(), before).await.unwrap(), units(20));
    assert_eq!(store.reserved(FILLER, ether(), at).await.unwrap(), RawAmount::ZERO);
    assert_eq!(store.all_reserved(FILLER, before).await.unwrap(), [(ether(), units(20))]);
    assert_eq!(store.all_reserved(FILLER, at).await.unwrap(), []);
    let second = build("b", 20);
    assert_eq!(store.reserve(&second, limit(100, 20), before).await.unwrap(), over(units(20)));
    assert_eq!(store.reserve(&second, limit(100, 20), at).await.unwrap(), Reserved::Written);
    // Its holder has to ask anew, in whatever amount, and finds the room taken.
    assert_eq!(store.reserve(&build("a", 7), limit(100, 20), at).await.unwrap(), over(units(20)));
    assert_eq!(store.reserve(&order("a", 80), limit(100, 20), at).await.unwrap(), Reserved::Written);
}

async fn an_order_never_expires(database: &TestDatabase) {
    let store = database.store().await;
    let past = now() - seconds(60);
    let order = Reservation { expires_at: Some(past), ..order("a", 40) };
    assert_eq!(reserve(&store, &order).await, Reserved::Written);
    assert_eq!(reserve(&store, &build("b", 1)).await, Reserved::Written);
    assert_eq!(reserved(&store).await, units(41));
}

async fn an_order_that_has_ended_reserves_nothing(database: &TestDatabase) {
    let store = database.store().await;
    for status in OrderStatus::ALL {
        let held = placed(&store, |order| order.status = status).await;
        let answer = reserve(&store, &order(held.id.as_str(), 1)).await;
        let (expected, units_held) =
            if status.is_terminal() { (Reserved::Existing, 0) } else { (Reserved::Written, 1) };
        assert_eq!((answer, reserved(&store).await), (expected, units(units_held)), "{status}");
        store.release(FILLER, held.id.as_str()).await.unwrap();
    }
}

async fn every_filler_and_token_has_a_book_of_its_own(database: &TestDatabase) {
    let store = database.store().await;
    let sol = TokenId::native(SOLANA_CHAIN_ID);
    let south = || "south".to_owned();
    let ours = [order("a", 100), Reservation { token: sol, ..order("a", 99) }];
    let theirs = Reservation { filler: south(), ..order("a", 98) };
    for reservation in ours.iter().chain([&theirs]) {
        assert_eq!(reserve(&store, reservation).await, Reserved::Written);
    }
    assert_eq!(
        store.all_reserved(FILLER, now()).await.unwrap(),
        [(ether(), units(100)), (sol, units(99))],
        "in the order of the tokens"
    );
    assert_eq!(store.all_reserved("south", now()).await.unwrap(), [(ether(), units(98))]);
    assert_eq!(store.reserved("south", sol, now()).await.unwrap(), RawAmount::ZERO);
    store.release(FILLER, "a").await.unwrap();
    assert_eq!(store.all_reserved(FILLER, now()).await.unwrap(), []);
    assert_eq!(store.reserved("south", ether(), now()).await.unwrap(), units(98));
}

async fn names_with_nul_identify_the_same_holder(database: &TestDatabase) {
    let store = database.store().await;
    let odd = Reservation { filler: "no\0rth".to_owned(), ..order("a\0", 7) };
    assert_eq!(reserve(&store, &odd).await, Reserved::Written);
    assert_eq!(reserve(&store, &odd).await, Reserved::Existing);
    assert_eq!(store.reserved("no\0rth", ether(), now()).await.unwrap(), units(7));
    store.release("no\0rth", "a\0").await.unwrap();
    assert_eq!(store.all_reserved("no\0rth", now()).await.unwrap(), []);
}

async fn an_unreadable_reservation_is_corrupt(database: &TestDatabase) {
    let store = database.store().await;
    reserve(&store, &order("a", 7)).await;
    let mut raw = database.raw().await;
    raw.run("UPDATE reservations SET kind = 'wish'").await;
    let error = store.reserve(&order("b", 1), limit(100, 20), now()).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
    raw.run("UPDATE reservations SET kind = 'order', amount = '-7'").await;
    assert!(matches!(store.reserved(FILLER, ether(), now()).await, Err(StoreError::Corrupt(_))));
    assert!(matches!(store.all_reserved(FILLER, now()).await, Err(StoreError::Corrupt(_))));
}
