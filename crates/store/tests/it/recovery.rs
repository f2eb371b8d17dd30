use causeway_domain::ports::{ChainStore, FinalityTier, OrderStore};
use causeway_domain::{IntentState, OrderId, OrderStatus};

use crate::facts::{cursor_at, opened};
use crate::outbox::chain;
use crate::sample::{now, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    a_changed_intent_state_is_booked_once,
    an_unannounced_order_is_not_booked,
    openings_are_paged_in_order_of_time,
    orders_of_other_routes_are_counted,
);

async fn a_changed_intent_state_is_booked_once(database: &TestDatabase) {
    let store = database.store().await;
    let mut order = placed(&store, |order| {
        order.announced = true;
        order.status = OrderStatus::Deposited;
    })
    .await;
    let ids = |orders: Vec<causeway_domain::Order>| -> Vec<OrderId> {
        orders.into_iter().map(|order| order.id).collect()
    };
    assert_eq!(ids(store.unrecorded(10).await.unwrap()), [order.id.clone()]);
    store.mark_recorded(&[(order.id.clone(), IntentState::Open)]).await.unwrap();
    assert_eq!(ids(store.unrecorded(10).await.unwrap()), []);
    order.status = OrderStatus::Published;
    assert!(store.update_order(&order, &[]).await.unwrap(), "booking does not change the version");
    assert_eq!(ids(store.unrecorded(10).await.unwrap()), [order.id.clone()]);
    // As written by a version without intent states.
    database.raw().await.run("UPDATE orders SET intent_state = -1, booked_state = 0").await;
    assert_eq!(ids(store.unrecorded(10).await.unwrap()), [order.id.clone()]);
    store.mark_recorded(&[(order.id, IntentState::Locked)]).await.unwrap();
    assert_eq!(ids(store.unrecorded(10).await.unwrap()), []);
}

async fn an_unannounced_order_is_not_booked(database: &TestDatabase) {
    let store = database.store().await;
    placed(&store, |order| {
        order.announced = false;
        order.status = OrderStatus::Failed;
    })
    .await;
    assert_eq!(store.unrecorded(10).await.unwrap(), []);
}

async fn openings_are_paged_in_order_of_time(database: &TestDatabase) {
    let store = database.store().await;
    let mut facts = Vec::new();
    for (tx, time) in [("b", 30), ("a", 30), ("c", 20), ("d", 40)] {
        let order = placed(&store, |_| {}).await;
        let mut fact = opened(&order, tx, 5);
        // On Solana the index counts within its transaction, so several facts of one block may share it.
        fact.place.index = 0;
        fact.place.time = time;
        facts.push(fact);
    }
    let of = facts[0].place.chain;
    store.record_facts(of, FinalityTier::Standard, cursor_at(9), &facts, now()).await.unwrap();
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = store.openings(after.as_ref(), 1).await.unwrap();
        let Some(fact) = page.into_iter().next() else { break };
        seen.push(fact.place.tx.clone());
        after = Some(fact.place);
    }
    assert_eq!(seen, ["c", "a", "b", "d"]);
    assert_eq!(of, chain(1));
}

async fn orders_of_other_routes_are_counted(database: &TestDatabase) {
    let store = database.store().await;
    assert_eq!(store.count_orders_except_route("recovered").await.unwrap(), 0);
    let order = placed(&store, |_| {}).await;
    assert_eq!(store.count_orders_except_route("recovered").await.unwrap(), 1);
    assert_eq!(store.count_orders_except_route(order.route.as_str()).await.unwrap(), 0);
}
