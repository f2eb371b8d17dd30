use std::sync::Arc;

use alloy_primitives::U256;
use causeway_domain::ports::{InventoryStore, Loss, LossKind, Outflow, OutflowSum};
use causeway_domain::{ChainId, OrderId, RawAmount, UsdAmount};
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
    rule_14_what_is_forgotten_leaves_the_total_of_its_filler,
    rule_14_losses_that_another_version_writes_or_forgets_are_added_up_within_minutes,
    rule_30_outflows_are_recorded_once_and_forgotten_after_their_window,
    rule_30_outflows_are_added_up_by_filler_and_chain,
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

fn outflow(filler: &str, chain: u64, purpose: &str, value: u64) -> Outflow {
    Outflow {
        filler: filler.to_owned(),
        purpose: purpose.to_owned(),
        chain: ChainId::new(chain).unwrap(),
        value: dollars(value),
        fees: dollars(3),
    }
}

/// What has left since then, as filler, chain, value and fees in cents.
async fn sums(store: &Store, since: i64) -> Vec<(String, u64, u128, u128)> {
    let sum = |OutflowSum { filler, chain, value, fees }: OutflowSum| {
        (filler, chain.get(), value.cents().get().to(), fees.cents().get().to())
    };
    let mut sums: Vec<_> =
        store.outflow_sums(at(since), at(1_000)).await.unwrap().into_iter().map(sum).collect();
    sums.sort();
    sums
}

async fn rule_30_outflows_are_recorded_once_and_forgotten_after_their_window(database: &TestDatabase) {
    let store = database.store().await;
    let (first, second) = (outflow("north", 10, "fill:1", 700), outflow("north", 10, "fill:2", 900));
    for (one, now) in [(&first, 10), (&first, 20), (&second, 30)] {
        store.record_outflow(one, at(0), at(now)).await.unwrap();
    }
    let north = |value, fees| vec![("north".to_owned(), 10, value, fees)];
    assert_eq!(sums(&store, 10).await, north(1_600, 6));
    assert_eq!(sums(&store, 11).await, north(900, 3));
    assert_eq!(sums(&store, 31).await, []);
    assert_eq!(store.outflow_sums(at(0), at(10)).await.unwrap(), [], "not what left at the end of the time");
    store.record_outflow(&outflow("north", 10, "claim:1", 0), at(25), at(40)).await.unwrap();
    assert_eq!(sums(&store, 0).await, north(900, 6), "the first is forgotten");
}

async fn rule_30_outflows_are_added_up_by_filler_and_chain(database: &TestDatabase) {
    const LARGEST: u64 = 10_000_000_000_000;
    let store = database.store().await;
    for (turn, (filler, chain, value)) in
        [("north", 1, 5), ("north", 10, 7), ("south", 1, 11), ("north", 1, LARGEST), ("south", 1, 0)]
            .into_iter()
            .enumerate()
    {
        store
            .record_outflow(&outflow(filler, chain, &format!("fill:{turn}"), value), at(0), at(1))
            .await
            .unwrap();
    }
    let largest = u128::from(LARGEST);
    let mut expected = [
        ("north".to_owned(), 1, largest + 5, 6),
        ("north".to_owned(), 10, 7, 3),
        ("south".to_owned(), 1, 11, 6),
    ];
    assert_eq!(sums(&store, 0).await, expected);
    // More than that counts as that much, which opens every breaker.
    let huge = Outflow {
        value: UsdAmount::from_cents(RawAmount::new(U256::MAX)),
        ..outflow("north", 10, "fill:huge", 0)
    };
    store.record_outflow(&huge, at(0), at(1)).await.unwrap();
    expected[1] = ("north".to_owned(), 10, largest + 7, 6);
    assert_eq!(sums(&store, 0).await, expected);
}

async fn rule_14_what_is_forgotten_leaves_the_total_of_its_filler(database: &TestDatabase) {
    let store = database.store().await;
    for (cents, now) in [(30, 10), (30, 20), (40, 30)] {
        assert!(record(&store, &loss("north", cents), 0, now).await);
    }
    assert!(record(&store, &loss("south", 100), 0, 30).await);
    assert!(!record(&store, &loss("north", 31), 15, 40).await, "the first of them made room for 30");
    assert!(record(&store, &loss("north", 30), 15, 40).await);
    assert!(!record(&store, &loss("north", 1), 15, 40).await);
    assert!(!record(&store, &loss("south", 1), 15, 40).await, "each filler has its own total");
    assert!(record(&store, &loss("north", 70), 31, 50).await, "and 30 of them are left");
    assert!(!record(&store, &loss("north", 1), 31, 50).await);
    assert!(record(&store, &loss("north", 100), 1_000, 1_000).await, "nothing is left");
}

async fn rule_14_losses_that_another_version_writes_or_forgets_are_added_up_within_minutes(
    database: &TestDatabase,
) {
    // As the version before writes: without the total.
    const WRITE: &str = "INSERT INTO losses (filler, order_id, kind, cents, recorded_at) \
         VALUES ('north', 'o', 'price', '60', 1800000011000)";
    let store = database.store().await;
    assert!(record(&store, &loss("north", 40), 0, 10).await);
    database.raw().await.run(WRITE).await;
    assert!(!record(&store, &loss("north", 1), 0, 10 + 600).await, "ten minutes later they are 100");
    database.raw().await.run("DELETE FROM losses").await;
    assert!(!record(&store, &loss("north", 1), 0, 10 + 1_199).await);
    assert!(record(&store, &loss("north", 100), 0, 10 + 1_200).await, "and again they are none");
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
