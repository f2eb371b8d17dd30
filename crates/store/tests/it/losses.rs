use std::sync::Arc;

use causeway_domain::ports::{InventoryStore, Loss, LossKind, Outflow};
use causeway_domain::{ChainId, OrderId, UsdAmount};
use causeway_store::Store;
use jiff::Timestamp;
use tokio::task::JoinSet;

use crate::reservations::units;
use crate::test_database::TestDatabase;

on_both_engines!(
    rule_14_losses_stay_within_the_daily_limit,
    the_loss_of_an_order_is_recorded_once,
    losses_before_the_period_do_not_count,
    rule_14_concurrent_losses_stay_within_the_limit,
    rule_25_fees_that_were_spent_count_into_the_daily_loss,
    rule_30_outflows_are_recorded_once_and_forgotten_after_their_window,
);

fn dollars(cents: u64) -> UsdAmount {
    UsdAmount::from_cents(units(cents))
}

fn loss(filler: &str, cents: u64) -> Loss {
    let (filler, order) = (filler.to_owned(), OrderId::random().unwrap());
    Loss { filler, order, kind: LossKind::Price, amount: dollars(cents) }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

/// Records a loss within a limit of 100 cents since then.
async fn record(store: &Store, loss: &Loss, since: i64, now: i64) -> bool {
    store.record_loss(loss, dollars(100), at(since), at(now)).await.unwrap()
}

async fn rule_14_losses_stay_within_the_daily_limit(database: &TestDatabase) {
    let store = database.store().await;
    assert!(record(&store, &loss("north", 60), 0, 10).await);
    assert!(!record(&store, &loss("north", 41), 0, 11).await);
    assert!(record(&store, &loss("north", 40), 0, 12).await, "a rejected loss is not written");
    assert!(!record(&store, &loss("north", 1), 0, 13).await);
    assert!(record(&store, &loss("south", 100), 0, 14).await, "each filler has its own limit");
}

async fn the_loss_of_an_order_is_recorded_once(database: &TestDatabase) {
    let store = database.store().await;
    let once = loss("north", 100);
    for _ in 0..2 {
        assert!(record(&store, &once, 0, 10).await);
    }
}

async fn rule_25_fees_that_were_spent_count_into_the_daily_loss(database: &TestDatabase) {
    let store = database.store().await;
    let priced = loss("north", 50);
    assert!(record(&store, &priced, 0, 10).await);
    for kind in [LossKind::RevertedFill, LossKind::Waiver, LossKind::Waiver] {
        store.record_spent(&Loss { kind, ..priced.clone() }, at(11)).await.unwrap();
    }
    assert!(!record(&store, &loss("north", 1), 0, 12).await, "50 + 50 + 50 cents are beyond the limit");
    assert!(!record(&store, &loss("north", 50), 11, 12).await, "the fees alone leave nothing");
    assert!(record(&store, &loss("north", 100), 12, 13).await, "the day after");
}

async fn rule_30_outflows_are_recorded_once_and_forgotten_after_their_window(database: &TestDatabase) {
    let store = database.store().await;
    let outflow = |purpose: &str, value| Outflow {
        filler: "north".to_owned(),
        purpose: purpose.to_owned(),
        chain: ChainId::new(10).unwrap(),
        value: dollars(value),
        fees: dollars(3),
    };
    let (first, second) = (outflow("fill:1", 700), outflow("fill:2", 900));
    for (one, now) in [(&first, 10), (&first, 20), (&second, 30)] {
        store.record_outflow(one, at(0), at(now)).await.unwrap();
    }
    let purposes = |all: Vec<Outflow>| {
        let mut purposes: Vec<String> = all.into_iter().map(|one| one.purpose).collect();
        purposes.sort();
        purposes
    };
    assert_eq!(purposes(store.outflows(at(10)).await.unwrap()), ["fill:1", "fill:2"]);
    assert_eq!(store.outflows(at(11)).await.unwrap(), [second]);
    store.record_outflow(&outflow("claim:1", 0), at(25), at(40)).await.unwrap();
    assert_eq!(purposes(store.outflows(at(0)).await.unwrap()), ["claim:1", "fill:2"]);
}

async fn losses_before_the_period_do_not_count(database: &TestDatabase) {
    let store = database.store().await;
    assert!(record(&store, &loss("north", 100), 0, 10).await);
    assert!(!record(&store, &loss("north", 1), 10, 20).await, "the start is within the period");
    assert!(record(&store, &loss("north", 100), 11, 20).await);
}

async fn rule_14_concurrent_losses_stay_within_the_limit(database: &TestDatabase) {
    let stores = [Arc::new(database.store().await), Arc::new(database.store().await)];
    let mut recording = JoinSet::new();
    for number in 0..20 {
        let store = Arc::clone(&stores[number % 2]);
        recording.spawn(async move { record(&store, &loss("north", 30), 0, 10).await });
    }
    let recorded = recording.join_all().await;
    assert_eq!(recorded.into_iter().filter(|recorded| *recorded).count(), 3);
}
