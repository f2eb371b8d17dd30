use std::sync::Arc;

use causeway_domain::ports::{Loss, Losses};
use causeway_domain::{OrderId, UsdAmount};
use causeway_store::Store;
use jiff::Timestamp;
use tokio::task::JoinSet;

use crate::fresh::Fresh;
use crate::reservations::units;

on_both_engines!(
    rule_14_a_day_costs_no_more_than_it_may,
    an_order_is_borne_once,
    losses_of_a_day_ago_count_no_more,
    rule_14_losses_at_the_same_moment_stay_within_the_limit_together,
);

fn dollars(cents: u64) -> UsdAmount {
    UsdAmount::from_cents(units(cents))
}

fn loss(filler: &str, cents: u64) -> Loss {
    Loss { filler: filler.to_owned(), order: OrderId::random().unwrap(), amount: dollars(cents) }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

/// Bears within 100 cents since then.
async fn bear(store: &Store, loss: &Loss, since: i64, now: i64) -> bool {
    store.bear(loss, dollars(100), at(since), at(now)).await.unwrap()
}

async fn rule_14_a_day_costs_no_more_than_it_may(fresh: &Fresh) {
    let store = fresh.store().await;
    assert!(bear(&store, &loss("north", 60), 0, 10).await);
    assert!(!bear(&store, &loss("north", 41), 0, 11).await);
    assert!(bear(&store, &loss("north", 40), 0, 12).await, "what was refused was not written");
    assert!(!bear(&store, &loss("north", 1), 0, 13).await);
    assert!(bear(&store, &loss("south", 100), 0, 14).await, "each filler bears its own");
}

async fn an_order_is_borne_once(fresh: &Fresh) {
    let store = fresh.store().await;
    let once = loss("north", 100);
    for _ in 0..2 {
        assert!(bear(&store, &once, 0, 10).await);
    }
}

async fn losses_of_a_day_ago_count_no_more(fresh: &Fresh) {
    let store = fresh.store().await;
    assert!(bear(&store, &loss("north", 100), 0, 10).await);
    assert!(!bear(&store, &loss("north", 1), 10, 20).await, "that moment is within the day");
    assert!(bear(&store, &loss("north", 100), 11, 20).await);
}

async fn rule_14_losses_at_the_same_moment_stay_within_the_limit_together(fresh: &Fresh) {
    let stores = [Arc::new(fresh.store().await), Arc::new(fresh.store().await)];
    let mut bearing = JoinSet::new();
    for number in 0..20 {
        let store = Arc::clone(&stores[number % 2]);
        bearing.spawn(async move { bear(&store, &loss("north", 30), 0, 10).await });
    }
    let borne = bearing.join_all().await;
    assert_eq!(borne.into_iter().filter(|borne| *borne).count(), 3);
}
