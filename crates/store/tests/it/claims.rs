use std::collections::HashSet;
use std::sync::Arc;

use causeway_domain::ports::OrderStore;
use causeway_domain::{OrderId, OrderStatus};
use causeway_store::Store;
use jiff::Timestamp;
use tokio::task::JoinSet;

use crate::sample::{now, placed, seconds};
use crate::test_database::TestDatabase;

on_both_engines!(
    the_longest_due_are_claimed_first,
    orders_that_are_not_due_are_not_claimed,
    a_leased_order_is_not_claimed_until_the_lease_ends,
    an_update_ends_the_lease,
    concurrent_claims_are_disjoint,
    an_unreadable_order_does_not_block_claims_of_others,
    an_order_that_has_ended_is_claimed_while_it_is_due,
);

async fn claim(store: &Store, at: Timestamp, limit: u32) -> Vec<OrderId> {
    let claimed = store.claim_due(at, at + seconds(30), limit).await.unwrap();
    claimed.into_iter().map(|order| order.id).collect()
}

async fn the_longest_due_are_claimed_first(database: &TestDatabase) {
    let store = database.store().await;
    let now = now();
    let recent = placed(&store, |order| order.due_at = Some(now - seconds(1))).await;
    let oldest = placed(&store, |order| order.due_at = Some(now - seconds(9))).await;
    let middle = placed(&store, |order| order.due_at = Some(now - seconds(5))).await;
    let claimed = store.claim_due(now, now + seconds(30), 2).await.unwrap();
    assert_eq!(claimed, [oldest, middle]);
    assert_eq!(claim(&store, now, 2).await, [recent.id]);
}

async fn orders_that_are_not_due_are_not_claimed(database: &TestDatabase) {
    let store = database.store().await;
    let now = now();
    let later = placed(&store, |order| order.due_at = Some(now + seconds(1))).await;
    placed(&store, |order| order.due_at = None).await;
    assert_eq!(claim(&store, now, 10).await, []);
    assert_eq!(claim(&store, now + seconds(1), 10).await, [later.id]);
}

async fn a_leased_order_is_not_claimed_until_the_lease_ends(database: &TestDatabase) {
    let (mine, theirs) = (database.store().await, database.store().await);
    let order = placed(&mine, |_| ()).await;
    let now = now();
    assert_eq!(claim(&mine, now, 10).await.first(), Some(&order.id));
    assert_eq!(claim(&theirs, now, 10).await, []);
    assert_eq!(claim(&theirs, now + seconds(29), 10).await, []);
    assert_eq!(claim(&theirs, now + seconds(30), 10).await, [order.id]);
}

async fn an_update_ends_the_lease(database: &TestDatabase) {
    let store = database.store().await;
    let mut order = placed(&store, |_| ()).await;
    let now = now();
    assert_eq!(claim(&store, now, 10).await.len(), 1);
    order.due_at = Some(now + seconds(2));
    assert!(store.update_order(&order, &[]).await.unwrap());
    assert_eq!(claim(&store, now, 10).await, []);
    assert_eq!(claim(&store, now + seconds(2), 10).await, [order.id]);
}

async fn concurrent_claims_are_disjoint(database: &TestDatabase) {
    let store = database.store().await;
    for _ in 0..120 {
        placed(&store, |_| ()).await;
    }
    let now = now();
    let mut workers = JoinSet::new();
    for _ in 0..4 {
        let replica = Arc::new(database.store().await);
        for _ in 0..3 {
            let replica = Arc::clone(&replica);
            workers.spawn(async move {
                let mut mine = Vec::new();
                loop {
                    let claimed = claim(&replica, now, 7).await;
                    if claimed.is_empty() {
                        return mine;
                    }
                    mine.extend(claimed);
                }
            });
        }
    }
    let all: Vec<OrderId> = workers.join_all().await.into_iter().flatten().collect();
    assert_eq!(all.len(), 120);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 120);
}

async fn an_unreadable_order_does_not_block_claims_of_others(database: &TestDatabase) {
    let store = database.store().await;
    let now = now();
    let damaged = placed(&store, |order| order.due_at = Some(now - seconds(9))).await;
    let sound = placed(&store, |order| order.due_at = Some(now)).await;
    database
        .raw()
        .await
        .run(&format!("UPDATE orders SET status = 'stolen' WHERE id = '{}'", damaged.id))
        .await;
    assert_eq!(claim(&store, now, 10).await, [sound.id]);
}

async fn an_order_that_has_ended_is_claimed_while_it_is_due(database: &TestDatabase) {
    let store = database.store().await;
    for status in OrderStatus::ALL {
        let order = placed(&store, |order| order.status = status).await;
        assert_eq!(claim(&store, now(), 10).await, [order.id], "{status}");
    }
}
