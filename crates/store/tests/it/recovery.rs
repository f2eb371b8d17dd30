use causeway_domain::ports::{BookMarks, Care, FactStore, OrderStore, RecoveryStore};
use causeway_domain::{IntentState, OrderId, OrderStatus};

use crate::facts::{mark, opened};
use crate::fresh::Fresh;
use crate::outbox::chain;
use crate::sample::{now, placed};

on_both_engines!(
    what_the_book_was_not_told_is_told_once,
    a_hidden_order_is_no_matter_of_the_book,
    openings_come_in_the_order_of_their_time_page_by_page,
    orders_that_did_not_come_from_the_chain_are_counted,
);

async fn what_the_book_was_not_told_is_told_once(fresh: &Fresh) {
    let store = fresh.store().await;
    let mut order = placed(&store, |order| {
        order.announced = true;
        order.status = OrderStatus::Deposited;
    })
    .await;
    let ids = |orders: Vec<causeway_domain::Order>| -> Vec<OrderId> {
        orders.into_iter().map(|order| order.id).collect()
    };
    assert_eq!(ids(store.untold(10).await.unwrap()), [order.id.clone()]);
    store.note_told(&[(order.id.clone(), IntentState::Open)]).await.unwrap();
    assert_eq!(ids(store.untold(10).await.unwrap()), []);
    order.status = OrderStatus::Published;
    assert!(store.update_order(&order, &[]).await.unwrap(), "a note does not grow the version");
    assert_eq!(ids(store.untold(10).await.unwrap()), [order.id.clone()]);
    // Written by a version that did not know where intents stand.
    fresh.raw().await.run("UPDATE orders SET intent_state = -1, booked_state = 0").await;
    assert_eq!(ids(store.untold(10).await.unwrap()), [order.id.clone()]);
    store.note_told(&[(order.id, IntentState::Locked)]).await.unwrap();
    assert_eq!(ids(store.untold(10).await.unwrap()), []);
}

async fn a_hidden_order_is_no_matter_of_the_book(fresh: &Fresh) {
    let store = fresh.store().await;
    placed(&store, |order| {
        order.announced = false;
        order.status = OrderStatus::Failed;
    })
    .await;
    assert_eq!(store.untold(10).await.unwrap(), []);
}

async fn openings_come_in_the_order_of_their_time_page_by_page(fresh: &Fresh) {
    let store = fresh.store().await;
    let mut facts = Vec::new();
    for (tx, time) in [("b", 30), ("a", 30), ("c", 20), ("d", 40)] {
        let order = placed(&store, |_| {}).await;
        let mut fact = opened(&order, tx, 5);
        // On Solana the place counts within its transaction, so several of one block may share it.
        fact.place.index = 0;
        fact.place.time = time;
        facts.push(fact);
    }
    let of = facts[0].place.chain;
    store.record_facts(of, Care::Usual, mark(9), &facts, now()).await.unwrap();
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

async fn orders_that_did_not_come_from_the_chain_are_counted(fresh: &Fresh) {
    let store = fresh.store().await;
    assert_eq!(store.orders_beside("recovered").await.unwrap(), 0);
    let order = placed(&store, |_| {}).await;
    assert_eq!(store.orders_beside("recovered").await.unwrap(), 1);
    assert_eq!(store.orders_beside(order.route.as_str()).await.unwrap(), 0);
}
