use std::sync::Arc;

use alloy_primitives::B256;
use causeway_domain::ports::{Care, FactStore, OrderStore};
use causeway_domain::{Fact, Order, OrderStatus};
use causeway_store::Store;
use tokio::task::JoinSet;

use crate::facts::{arrival, mark, opened, record};
use crate::fresh::Fresh;
use crate::outbox::chain;
use crate::sample::{AUTHOR, evm, now, placed, seconds};

on_both_engines!(
    a_fact_makes_its_order_due_and_beats_a_worker_that_has_not_seen_it,
    a_fact_that_stands_already_wakes_nobody_and_a_higher_care_does,
    an_arrival_makes_its_order_due_once_and_beats_a_worker_that_has_not_seen_it,
    a_fact_of_no_order_of_ours_is_kept_and_wakes_nobody,
    an_order_that_needs_nothing_any_more_is_woken_too,
    facts_and_workers_at_the_same_moment_lose_no_fact,
);

async fn stored(store: &Store, order: &Order) -> Order {
    store.order(&order.id).await.unwrap().unwrap()
}

/// Whether somebody may take the order now.
async fn is_due(store: &Store, order: &Order) -> bool {
    let now = now();
    store.claim_due(now, now + seconds(60), 100).await.unwrap().iter().any(|due| due.id == order.id)
}

async fn a_fact_makes_its_order_due_and_beats_a_worker_that_has_not_seen_it(fresh: &Fresh) {
    let (store, worker) = (fresh.store().await, fresh.store().await);
    let order = placed(&store, |_| ()).await;
    let other = placed(&store, |order| order.due_at = None).await;
    let held = worker.claim_due(now(), now() + seconds(60), 1).await.unwrap().remove(0);
    assert!(!is_due(&store, &order).await);

    record(&store, Care::Usual, 5, &[opened(&order, "a", 5)]).await;
    let stale = held.become_status(OrderStatus::Failed, now()).unwrap();
    assert!(!worker.update_order(&stale, &[]).await.unwrap());
    let woken = stored(&store, &order).await;
    assert_eq!((woken.status, woken.version), (OrderStatus::Created, 1));
    assert!(is_due(&worker, &order).await);
    assert_eq!(stored(&store, &other).await, other);
}

async fn a_fact_that_stands_already_wakes_nobody_and_a_higher_care_does(fresh: &Fresh) {
    let store = fresh.store().await;
    let order = placed(&store, |order| order.due_at = None).await;
    let told = [opened(&order, "a", 5)];
    for (care, version) in [(Care::Usual, 1), (Care::Usual, 1), (Care::Large, 2), (Care::Usual, 2)] {
        record(&store, care, 5, &told).await;
        assert_eq!(stored(&store, &order).await.version, version);
    }
}

async fn an_arrival_makes_its_order_due_once_and_beats_a_worker_that_has_not_seen_it(fresh: &Fresh) {
    let store = fresh.store().await;
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

async fn a_fact_of_no_order_of_ours_is_kept_and_wakes_nobody(fresh: &Fresh) {
    let store = fresh.store().await;
    let order = placed(&store, |_| ()).await;
    let stranger = Fact { intent: B256::repeat_byte(1), ..opened(&order, "a", 5) };
    record(&store, Care::Usual, 5, std::slice::from_ref(&stranger)).await;
    assert_eq!(store.facts(stranger.intent).await.unwrap(), [(stranger, Care::Usual)]);
    assert_eq!(stored(&store, &order).await, order);
}

async fn an_order_that_needs_nothing_any_more_is_woken_too(fresh: &Fresh) {
    let store = fresh.store().await;
    let order = placed(&store, |order| (order.due_at, order.status) = (None, OrderStatus::Failed)).await;
    assert!(!is_due(&store, &order).await);
    let moment = now();
    store.record_facts(chain(1), Care::Usual, mark(5), &[opened(&order, "a", 5)], moment).await.unwrap();
    assert_eq!(stored(&store, &order).await.due_at, Some(moment));
    assert!(is_due(&store, &order).await);
}

/// Workers on two replicas write how many facts they have seen, as a worker writes the evidence that it has read.
async fn facts_and_workers_at_the_same_moment_lose_no_fact(fresh: &Fresh) {
    const FACTS: u64 = 30;
    let replicas = [fresh.store().await, fresh.store().await].map(Arc::new);
    let order = placed(&replicas[0], |order| order.due_at = None).await;
    let mut work = JoinSet::new();
    for (turn, store) in (0..4).zip(replicas.iter().cycle()) {
        let (store, id) = (Arc::clone(store), order.id.clone());
        work.spawn(async move {
            if turn < 2 {
                for block in (1..=FACTS).filter(|block| block % 2 == turn) {
                    let order = store.order(&id).await.unwrap().unwrap();
                    record(&store, Care::Large, block, &[opened(&order, &block.to_string(), block)]).await;
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
                let seen = store.facts(order.intent).await.unwrap().len();
                (order.failure_reason, order.due_at) = (Some(seen.to_string()), None);
                store.update_order(&order, &[]).await.unwrap();
            }
        });
    }
    work.join_all().await;
    let order = stored(&replicas[0], &order).await;
    assert_eq!((order.failure_reason, order.due_at), (Some(FACTS.to_string()), None));
}
