use std::sync::Arc;
use std::time::Duration;

use causeway_domain::Order;
use causeway_domain::ports::{OrderStore, StoreError};
use causeway_store::{Options, Store};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use crate::sample::{order, placed, put};
use crate::test_database::TestDatabase;

on_both_engines!(
    at_256_writers_one_commit_serves_at_least_20_writes,
    with_a_batch_of_one_every_write_has_its_own_commit,
    one_bad_write_does_not_fail_its_neighbours,
    conflicting_batches_of_two_replicas_both_commit,
    a_full_queue_makes_writers_wait_and_loses_none,
    a_write_completes_after_its_caller_is_dropped,
    closing_finishes_queued_writes_and_refuses_new_ones,
);

fn put_later(store: &Arc<Store>, order: Order) -> JoinHandle<Result<(), StoreError>> {
    let store = Arc::clone(store);
    tokio::spawn(async move { put(&store, &order).await })
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..500 {
        if holds() {
            return;
        }
        sleep(Duration::from_millis(10)).await;
    }
    panic!("timed out waiting until {what}");
}

async fn at_256_writers_one_commit_serves_at_least_20_writes(database: &TestDatabase) {
    let store = Arc::new(database.store().await);
    let mut clients = JoinSet::new();
    for _ in 0..256 {
        let store = Arc::clone(&store);
        clients.spawn(async move {
            for _ in 0..10 {
                put(&store, &order()).await.unwrap();
            }
        });
    }
    clients.join_all().await;
    let (writes, commits) = (store.writes(), store.commits());
    println!("{writes} writes in {commits} commits");
    assert_eq!(writes, 2_560);
    assert!(commits * 20 <= writes, "{writes} writes took {commits} commits");
}

async fn with_a_batch_of_one_every_write_has_its_own_commit(database: &TestDatabase) {
    let store = Arc::new(database.store_with(Options { max_batch: 1, ..Options::default() }).await);
    let writes: Vec<_> = (0..40).map(|_| put_later(&store, order())).collect();
    for write in writes {
        write.await.unwrap().unwrap();
    }
    assert_eq!((store.writes(), store.commits()), (40, 40));
}

async fn one_bad_write_does_not_fail_its_neighbours(database: &TestDatabase) {
    let store = Arc::new(database.store().await);
    let stored = placed(&store, |_| ()).await;
    // An intent belongs to one order.
    let conflicting = || Order { intent_id: stored.intent_id, ..order() };

    let stall = database.stall().await;
    // One write keeps the writer busy, so that the others gather in one batch.
    let mut good = vec![put_later(&store, order())];
    sleep(Duration::from_millis(100)).await;
    let mut bad = vec![put_later(&store, conflicting())];
    for turn in 0..60 {
        good.push(put_later(&store, order()));
        if turn % 20 == 0 {
            bad.push(put_later(&store, conflicting()));
        }
    }
    until("all have queued", || store.queued() == 64).await;
    stall.release().await;
    for write in good {
        write.await.unwrap().unwrap();
    }
    for write in bad {
        assert!(matches!(write.await.unwrap(), Err(StoreError::Conflict(_))));
    }
    assert_eq!(database.raw().await.count("orders").await, 62);
    assert_eq!(database.raw().await.count("events").await, 62, "the bad ones left nothing behind");
}

async fn conflicting_batches_of_two_replicas_both_commit(database: &TestDatabase) {
    let (one, two) = (Arc::new(database.store().await), Arc::new(database.store().await));
    let mut orders = Vec::new();
    for _ in 0..30 {
        orders.push(placed(&one, |_| ()).await);
    }
    let update = |store: &Arc<Store>, order: Order| {
        let store = Arc::clone(store);
        tokio::spawn(async move { u32::from(store.update_order(&order, &[]).await.unwrap()) })
    };
    // Each writer is kept busy with a new order, so that its updates gather behind it in one batch.
    let stall = database.stall().await;
    let busy = [put_later(&one, order()), put_later(&two, order())];
    sleep(Duration::from_millis(100)).await;
    let mut updates: Vec<_> = orders.iter().map(|order| update(&one, order.clone())).collect();
    updates.extend(orders.iter().rev().map(|order| update(&two, order.clone())));
    until("all have queued", || one.queued() == 30 && two.queued() == 30).await;
    stall.release().await;
    for write in busy {
        write.await.unwrap().unwrap();
    }
    let mut won = 0;
    for write in updates {
        won += write.await.unwrap();
    }
    assert_eq!(won, 30);
}

async fn a_full_queue_makes_writers_wait_and_loses_none(database: &TestDatabase) {
    let options = Options { max_batch: 2, queue: 4, ..Options::default() };
    let store = Arc::new(database.store_with(options).await);
    let stall = database.stall().await;
    let writes: Vec<_> = (0..20).map(|_| put_later(&store, order())).collect();
    until("the queue is full", || store.queued() == 4).await;
    sleep(Duration::from_millis(100)).await;
    assert_eq!(store.queued(), 4);
    assert!(writes.iter().all(|write| !write.is_finished()));
    stall.release().await;
    for write in writes {
        write.await.unwrap().unwrap();
    }
    assert_eq!(store.queued(), 0);
    assert_eq!(database.raw().await.count("orders").await, 20);
}

async fn a_write_completes_after_its_caller_is_dropped(database: &TestDatabase) {
    let store = database.store().await;
    let order = order();
    let stall = database.stall().await;
    assert!(timeout(Duration::from_millis(100), put(&store, &order)).await.is_err());
    stall.release().await;
    store.close().await;
    assert_eq!(database.store().await.order(&order.id).await.unwrap(), Some(order));
}

async fn closing_finishes_queued_writes_and_refuses_new_ones(database: &TestDatabase) {
    let store = Arc::new(database.store_with(Options { max_batch: 1, ..Options::default() }).await);
    let stall = database.stall().await;
    let writes: Vec<_> = (0..10).map(|_| put_later(&store, order())).collect();
    until("all have queued", || store.queued() == 9).await;
    let closing = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.close().await }
    });
    sleep(Duration::from_millis(50)).await;
    assert!(put(&store, &order()).await.unwrap_err().is_retryable());
    stall.release().await;
    closing.await.unwrap();
    for write in writes {
        write.await.unwrap().unwrap();
    }
    assert_eq!(database.raw().await.count("orders").await, 10);
}
