use std::sync::Arc;

use alloy_primitives::B256;
use causeway_domain::ports::{ChainStore, FinalityTier, OrderStore};
use causeway_domain::{Fact, Order, OrderStatus};
use causeway_store::Store;
use tokio::task::JoinSet;

use crate::facts::{arrival, cursor_at, opened, record};
use crate::outbox::chain;
use crate::sample::{AUTHOR, evm, now, placed, seconds};
use crate::test_database::TestDatabase;

on_both_engines!(
    a_fact_makes_its_order_due_and_rejects_stale_updates,
    a_known_fact_wakes_no_order_unless_its_finality_tier_rises,
    an_arrival_makes_its_order_due_once_and_rejects_stale_updates,
    a_fact_of_an_unknown_order_is_stored,
    a_fact_makes_an_idle_order_due,
    concurrent_facts_and_updates_lose_no_fact,
    a_postponed_order_changes_in_nothing_else_and_a_stale_worker_postpones_nothing,
);

async fn stored(store: &Store, order: &Order) -> Order {
    store.order(&order.id).await.unwrap().unwrap()
}

/// Whether the order can be claimed now.
async fn is_due(store: &Store, order: &Order) -> bool {
    let now = now();
    store.claim_due(now, now + seconds(60), 100).await.unwrap().iter().any(|due| due.id == order.id)
}

async fn a_fact_makes_its_order_due_and_rejects_stale_updates(database: &TestDatabase) {
    let (store, worker) = (database.store().await, database.store().await);
    let order = placed(&store, |_| ()).await;
    let other = placed(&store, |order| order.due_at = None).await;
    let held = worker.claim_due(now(), now() + seconds(60), 1).await.unwrap().remove(0);
    assert!(!is_due(&store, &order).await);

    record(&store, FinalityTier::Standard, 5, &[opened(&order, "a", 5)]).await;
    let stale = held.transition_to(OrderStatus::Failed, now()).unwrap();
    assert!(!worker.update_order(&stale, &[]).await.unwrap());
    let updated = stored(&store, &order).await;
    assert_eq!((updated.status, updated.version), (OrderStatus::Created, 1));
    assert!(is_due(&worker, &order).await);
    assert_eq!(stored(&store, &other).await, other);
}

async fn a_known_fact_wakes_no_order_unless_its_finality_tier_rises(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |order| order.due_at = None).await;
    let facts = [opened(&order, "a", 5)];
    for (tier, version) in [
        (FinalityTier::Standard, 1),
        (FinalityTier::Standard, 1),
        (FinalityTier::Large, 2),
        (FinalityTier::Standard, 2),
    ] {
        record(&store, tier, 5, &facts).await;
        assert_eq!(stored(&store, &order).await.version, version);
    }
}

async fn an_arrival_makes_its_order_due_once_and_rejects_stale_updates(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |order| order.deposit_address = Some(evm(AUTHOR))).await;
    assert!(is_due(&store, &order).await);
    for _ in 0..2 {
        store.record_arrival(&arrival(&order, 5), now()).await.unwrap();
        assert_eq!(stored(&store, &order).await.version, 1);
    }
    assert!(!store.update_order(&order, &[]).await.unwrap());
    assert!(is_due(&store, &order).await);
    store.record_arrival(&arrival(&order, 6), now()).await.unwrap();
    assert_eq!(stored(&store, &order).await.version, 2);
}

async fn a_fact_of_an_unknown_order_is_stored(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |_| ()).await;
    let stranger = Fact { intent_id: B256::repeat_byte(1), ..opened(&order, "a", 5) };
    record(&store, FinalityTier::Standard, 5, std::slice::from_ref(&stranger)).await;
    assert_eq!(store.facts(stranger.intent_id).await.unwrap(), [(stranger, FinalityTier::Standard)]);
    assert_eq!(stored(&store, &order).await, order);
}

async fn a_fact_makes_an_idle_order_due(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |order| (order.due_at, order.status) = (None, OrderStatus::Failed)).await;
    assert!(!is_due(&store, &order).await);
    let moment = now();
    store
        .record_facts(chain(1), FinalityTier::Standard, cursor_at(5), &[opened(&order, "a", 5)], moment)
        .await
        .unwrap();
    assert_eq!(stored(&store, &order).await.due_at, Some(moment));
    assert!(is_due(&store, &order).await);
}

async fn a_postponed_order_changes_in_nothing_else_and_a_stale_worker_postpones_nothing(
    database: &TestDatabase,
) {
    let store = database.store().await;
    let order = placed(&store, |_| ()).await;
    let held = store.claim_due(now(), now() + seconds(60), 1).await.unwrap().remove(0);
    let later = Order { due_at: Some(now() + seconds(5)), ..held };
    assert!(store.postpone(&later).await.unwrap());
    assert_eq!(stored(&store, &order).await, Order { due_at: later.due_at, ..order.clone() });
    assert!(!is_due(&store, &order).await, "not before that");
    let due = store.claim_due(now() + seconds(6), now() + seconds(7), 1).await.unwrap();
    assert_eq!(due.len(), 1, "its lease ended");

    record(&store, FinalityTier::Standard, 5, &[opened(&order, "a", 5)]).await;
    assert!(!store.postpone(&later).await.unwrap(), "a fact came meanwhile");
    assert!(is_due(&store, &order).await);
    let woken = stored(&store, &order).await;
    assert!(store.postpone(&Order { due_at: None, ..woken }).await.unwrap());
    assert_eq!(stored(&store, &order).await.due_at, None);
}

/// Workers on two replicas write how many facts they have seen, as a worker writes the evidence that it has read.
async fn concurrent_facts_and_updates_lose_no_fact(database: &TestDatabase) {
    const FACTS: u64 = 30;
    let replicas = [database.store().await, database.store().await].map(Arc::new);
    let order = placed(&replicas[0], |order| order.due_at = None).await;
    let mut work = JoinSet::new();
    for (turn, store) in (0..4).zip(replicas.iter().cycle()) {
        let (store, id) = (Arc::clone(store), order.id.clone());
        work.spawn(async move {
            if turn < 2 {
                for block in (1..=FACTS).filter(|block| block % 2 == turn) {
                    let order = store.order(&id).await.unwrap().unwrap();
                    record(&store, FinalityTier::Large, block, &[opened(&order, &block.to_string(), block)])
                        .await;
                }
                return;
            }
            loop {
                let mut due = store.claim_due(now(), now() + seconds(60), 1).await.unwrap();
                let Some(mut order) = due.pop() else {
                    let order = store.order(&id).await.unwrap().unwrap();
                    let all = order.failure_reason == Some(FACTS.to_string());
                    if all {
                        return;
                    }
                    tokio::task::yield_now().await;
                    continue;
                };
                let seen = store.facts(order.intent_id).await.unwrap().len();
                (order.failure_reason, order.due_at) = (Some(seen.to_string()), None);
                store.update_order(&order, &[]).await.unwrap();
            }
        });
    }
    work.join_all().await;
    let order = stored(&replicas[0], &order).await;
    assert_eq!((order.failure_reason, order.due_at), (Some(FACTS.to_string()), None));
}
