use causeway_domain::RawAmount;
use causeway_domain::ports::{
    ChainStore, FinalityTier, InventoryStore, OrderStore, Outbox, OutboxPut, ReservationKind,
    ReservationLimit, Reserved,
};

use crate::facts::{arrival, cursor_at, opened};
use crate::outbox::{chain, outgoing, signer};
use crate::reservations::{of, units};
use crate::sample::{now, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    forgetting_chains_removes_outbox_and_reservations,
    forgetting_chains_removes_facts_and_orders,
);

async fn forgetting_chains_removes_outbox_and_reservations(database: &TestDatabase) {
    let store = database.store().await;
    let sent = outgoing(7, "fill");
    let held = of(ReservationKind::Order, "a", 5);
    let limit = ReservationLimit { total: units(5), builds: RawAmount::ZERO };
    for _ in 0..2 {
        assert_eq!(store.put(&sent).await.unwrap(), OutboxPut::Written);
        assert_eq!(store.reserve(&held, limit, now()).await.unwrap(), Reserved::Written);
        store.forget_chains().await.unwrap();
        assert_eq!(store.open(sent.chain, sent.signer).await.unwrap(), []);
        assert_eq!(store.for_purpose(sent.chain, "fill").await.unwrap(), None);
        assert_eq!(store.highest_nonce(chain(8453), signer()).await.unwrap(), None);
        assert_eq!(store.all_reserved(&held.filler, now()).await.unwrap(), []);
        for table in ["outbox", "attempts", "reservations"] {
            assert_eq!(database.raw().await.count(table).await, 0, "{table}");
        }
    }
}

async fn forgetting_chains_removes_facts_and_orders(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |order| order.deposit_address = Some(signer())).await;
    let (one, block) = (chain(1), cursor_at(5));
    store.record_facts(one, FinalityTier::Large, block, &[opened(&order, "a", 5)], now()).await.unwrap();
    store.record_arrival(&arrival(&order, 5), now()).await.unwrap();
    store.forget_chains().await.unwrap();
    assert_eq!(store.order(&order.id).await.unwrap(), None);
    assert_eq!(store.cursor(one, FinalityTier::Standard).await.unwrap(), None);
    for table in ["orders", "events", "facts", "chain_cursors", "arrivals"] {
        assert_eq!(database.raw().await.count(table).await, 0, "{table}");
    }
}
