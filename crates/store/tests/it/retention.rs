use causeway_domain::ports::{OperatorStore, OrderStore, Pruned};
use causeway_domain::{EventKind, Order, OrderStatus};

use crate::sample::{confirmed_tx, days_ago, event, evm, now, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    events_of_an_open_order_are_not_pruned,
    pruning_removes_no_more_than_its_limit,
    an_unused_order_is_pruned,
    a_transfer_that_nobody_paid_is_pruned_when_its_address_is_not_watched_any_more,
    an_announced_or_open_order_is_not_pruned,
);

async fn events_of_an_open_order_are_not_pruned(database: &TestDatabase) {
    let store = database.store().await;
    let open = placed(&store, |order| order.created_at = days_ago(9)).await;
    let mut closed = Vec::new();
    for status in [OrderStatus::Filled, OrderStatus::Refunded, OrderStatus::Failed] {
        let order = placed(&store, |order| {
            order.created_at = days_ago(9);
            order.status = status;
        })
        .await;
        assert!(store.update_order(&order, &[event(&order, EventKind::Note, now())]).await.unwrap());
        closed.push(order);
    }
    let pruned = store.prune(days_ago(9), days_ago(8), 100).await.unwrap();
    assert_eq!(pruned, Pruned { events: 3, ..Pruned::default() });
    assert_eq!(store.order_events(&open.id).await.unwrap().len(), 1);
    for order in closed {
        assert_eq!(store.order_events(&order.id).await.unwrap().len(), 1);
        assert!(store.order(&order.id).await.unwrap().is_some());
    }
}

async fn pruning_removes_no_more_than_its_limit(database: &TestDatabase) {
    let store = database.store().await;
    for days in [5, 4, 6] {
        placed(&store, unused).await;
        placed(&store, |order| {
            order.created_at = days_ago(days);
            order.status = OrderStatus::Filled;
        })
        .await;
    }
    let mut swept = Vec::new();
    for _ in 0..3 {
        swept.push(store.prune(days_ago(1), days_ago(2), 2).await.unwrap());
    }
    let of = |count| Pruned { orders: count, events: count, ..Pruned::default() };
    assert_eq!(swept, [of(2), of(1), of(0)]);
}

/// Makes an order built but unused: it failed two days ago without a deposit.
fn unused(order: &mut Order) {
    order.status = OrderStatus::Failed;
    order.announced = false;
    order.due_at = None;
    order.updated_at = days_ago(2);
}

async fn an_unused_order_is_pruned(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, unused).await;
    assert_eq!(store.prune(days_ago(3), days_ago(3), 100).await.unwrap(), Pruned::default());
    assert!(store.order(&order.id).await.unwrap().is_some());
    let pruned = store.prune(days_ago(1), days_ago(3), 100).await.unwrap();
    assert_eq!(pruned, Pruned { orders: 1, ..Pruned::default() });
    for table in ["orders", "events"] {
        assert_eq!(database.raw().await.count(table).await, 0, "{table}");
    }
}

async fn a_transfer_that_nobody_paid_is_pruned_when_its_address_is_not_watched_any_more(
    database: &TestDatabase,
) {
    let store = database.store().await;
    let changes: [fn(&mut Order); 4] = [
        |order| order.created_at = days_ago(8),
        |order| order.status = OrderStatus::Refunded,
        |order| order.deposit_address = None,
        |order| order.evidence.deposit = Some(confirmed_tx("0xaa")),
    ];
    let unpaid = |order: &mut Order| {
        unused(order);
        order.announced = true;
        order.deposit_address = Some(evm("0x00000000000000000000000000000000000000d9"));
        order.created_at = days_ago(10);
        order.updated_at = days_ago(10);
    };
    for change in changes {
        let order = placed(&store, |order| {
            unpaid(order);
            change(order);
        })
        .await;
        store.prune(days_ago(1), days_ago(30), 100).await.unwrap();
        assert!(store.order(&order.id).await.unwrap().is_some());
    }
    let order = placed(&store, unpaid).await;
    store.prune(days_ago(1), days_ago(30), 100).await.unwrap();
    assert!(store.order(&order.id).await.unwrap().is_none());
}

async fn an_announced_or_open_order_is_not_pruned(database: &TestDatabase) {
    let store = database.store().await;
    let changes: [fn(&mut Order); 4] = [
        |order| order.announced = true,
        |order| order.status = OrderStatus::Created,
        |order| order.due_at = Some(now()),
        |order| order.updated_at = now(),
    ];
    for change in changes {
        let order = placed(&store, |order| {
            unused(order);
            change(order);
        })
        .await;
        assert_eq!(store.prune(days_ago(1), days_ago(3), 100).await.unwrap(), Pruned::default());
        assert_eq!(store.order(&order.id).await.unwrap(), Some(order));
    }
}
