use std::sync::Arc;

use alloy_primitives::B256;
use causeway_domain::ports::{
    InventoryStore, OrderStore as _, Outbox, OutboxPut, Outgoing, OutgoingEnd, Reservation, ReservationLimit,
    Reserved, StoreError,
};
use causeway_domain::{Order, OrderStatus};
use tokio::task::JoinSet;

use crate::outbox::{add, attempt, chain, end, for_purpose, outgoing, put, signer};
use crate::reservations::{build, limit, order, reserved, units};
use crate::sample::{now, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    concurrent_uses_of_one_nonce_have_one_winner,
    concurrent_transactions_of_one_purpose_have_one_winner_that_all_get,
    concurrent_attempts_and_end_keep_acknowledged_attempts,
    rule_14_concurrent_reservations_fill_the_limit_exactly,
    builds_that_become_orders_concurrently_keep_the_total,
    rule_14_a_late_reservation_never_outlives_its_order,
);

/// Puts all of them through three replicas at once.
async fn put_all(
    database: &TestDatabase,
    all: impl IntoIterator<Item = Outgoing>,
) -> Vec<(Outgoing, OutboxPut)> {
    let replicas = [database.store().await, database.store().await, database.store().await].map(Arc::new);
    let mut puts = JoinSet::new();
    for (store, outgoing) in replicas.iter().cycle().zip(all) {
        let store = Arc::clone(store);
        puts.spawn(async move {
            let answer = store.put(&outgoing).await.unwrap();
            (outgoing, answer)
        });
    }
    puts.join_all().await
}

async fn concurrent_uses_of_one_nonce_have_one_winner(database: &TestDatabase) {
    let answers = put_all(database, (0..60).map(|turn| outgoing(5, &format!("fill {turn}")))).await;
    let (won, lost): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|(_, answer)| *answer == OutboxPut::Written);
    assert_eq!(won.len(), 1);
    assert!(lost.iter().all(|(_, answer)| *answer == OutboxPut::NonceTaken));
    let store = database.store().await;
    assert_eq!(store.open(chain(8453), signer()).await.unwrap(), [won[0].0.clone()]);
    assert_eq!(database.raw().await.count("attempts").await, 1);
}

async fn concurrent_transactions_of_one_purpose_have_one_winner_that_all_get(database: &TestDatabase) {
    let answers = put_all(database, (0..60).map(|nonce| outgoing(nonce, "fill"))).await;
    let (won, lost): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|(_, answer)| *answer == OutboxPut::Written);
    assert_eq!(won.len(), 1);
    let existing = OutboxPut::Existing(Box::new(won[0].0.clone()));
    assert!(lost.iter().all(|(_, answer)| *answer == existing));
    assert_eq!(database.raw().await.count("outbox").await, 1);
}

async fn concurrent_attempts_and_end_keep_acknowledged_attempts(database: &TestDatabase) {
    let replicas = [database.store().await, database.store().await].map(Arc::new);
    let sent = outgoing(1, "fill");
    put(&replicas[0], &sent).await;
    let mut work = JoinSet::new();
    for turn in 0..40 {
        let (store, sent) = (Arc::clone(&replicas[turn % 2]), sent.clone());
        work.spawn(async move {
            if turn == 20 {
                end(&store, &sent, OutgoingEnd::Reverted(sent.attempts[0].hash)).await;
                return None;
            }
            let attempt = attempt(&format!("attempt {turn}"));
            match add(&store, &sent, &attempt).await {
                Ok(()) => Some(attempt.hash),
                Err(StoreError::Conflict(_)) => None,
                Err(error) => panic!("{error:?}"),
            }
        });
    }
    let mut acknowledged: Vec<B256> = work.join_all().await.into_iter().flatten().collect();
    acknowledged.push(sent.attempts[0].hash);
    acknowledged.sort_unstable();
    let stored = for_purpose(&replicas[1], &sent).await.unwrap();
    let mut stored: Vec<B256> = stored.attempts.iter().map(|attempt| attempt.hash).collect();
    stored.sort_unstable();
    assert_eq!(stored, acknowledged);
    assert!(add(&replicas[1], &sent, &attempt("late")).await.is_err());
}

/// Reserves all at once through three replicas, and counts what was written.
async fn reserve_all(database: &TestDatabase, all: Vec<Reservation>, limit: ReservationLimit) -> usize {
    let replicas = [database.store().await, database.store().await, database.store().await].map(Arc::new);
    let mut work = JoinSet::new();
    for (store, reservation) in replicas.iter().cycle().zip(all) {
        let store = Arc::clone(store);
        work.spawn(async move { store.reserve(&reservation, limit, now()).await.unwrap() });
    }
    let answers = work.join_all().await;
    assert!(!answers.contains(&Reserved::Existing));
    answers.into_iter().filter(|answer| *answer == Reserved::Written).count()
}

async fn rule_14_concurrent_reservations_fill_the_limit_exactly(database: &TestDatabase) {
    let orders = (0..100).map(|turn| order(&format!("order {turn}"), 1)).collect();
    assert_eq!(reserve_all(database, orders, limit(37, 0)).await, 37);
    let store = database.store().await;
    assert_eq!(reserved(&store).await, units(37));
    assert_eq!(database.raw().await.count("reservations").await, 37);
}

async fn builds_that_become_orders_concurrently_keep_the_total(database: &TestDatabase) {
    let store = database.store().await;
    let holders: Vec<String> = (0..40).map(|turn| format!("order {turn}")).collect();
    for holder in &holders {
        let held = store.reserve(&build(holder, 1), limit(100, 40), now()).await.unwrap();
        assert_eq!(held, Reserved::Written);
    }
    // Each wants two more, so twenty of them fit.
    let orders = holders.iter().map(|holder| order(holder, 3)).collect();
    assert_eq!(reserve_all(database, orders, limit(80, 0)).await, 20);
    assert_eq!(reserved(&store).await, units(80));
}

async fn rule_14_a_late_reservation_never_outlives_its_order(database: &TestDatabase) {
    let [ours, theirs] = [database.store().await, database.store().await].map(Arc::new);
    let mut work = JoinSet::new();
    for _ in 0..60 {
        let (ours, theirs) = (Arc::clone(&ours), Arc::clone(&theirs));
        let held = placed(&ours, |order| order.status = OrderStatus::Published).await;
        work.spawn(async move {
            let reservation = order(held.id.as_str(), 1);
            // One replica brings the order to its end and releases what it holds; the other sees its deposit only now.
            let end = async {
                let filled = Order { status: OrderStatus::Filled, ..held.clone() };
                assert!(ours.update_order(&filled, &[]).await.unwrap());
                ours.release(&reservation.filler, held.id.as_str()).await.unwrap();
            };
            let (answer, ()) = tokio::join!(theirs.reserve(&reservation, limit(100, 0), now()), end);
            assert!(matches!(answer.unwrap(), Reserved::Written | Reserved::Existing));
        });
    }
    work.join_all().await;
    assert_eq!(reserved(&ours).await, units(0));
}
