use causeway_domain::ports::{ChainStore as _, FinalityTier, OrderSearch, OrderStore as _, SearchTerm};
use causeway_domain::{Address, FactKind, Order, OrderId, RawAmount, RowKey};
use causeway_store::Store;

use crate::facts::{arrival, fact, opened, record};
use crate::sample::{evm, now, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    an_order_is_found_by_each_of_its_transactions,
    an_order_is_found_by_each_of_its_addresses_and_paged,
    an_order_that_is_not_announced_is_found_by_nothing,
);

async fn search(store: &Store, term: SearchTerm, before: Option<RowKey>, limit: u32) -> Vec<OrderId> {
    let found = store.search_orders(&OrderSearch { term, before, limit }).await.unwrap();
    found.into_iter().map(|order| order.id).collect()
}

async fn by_transaction(store: &Store, tx: &str) -> Vec<OrderId> {
    search(store, SearchTerm::Transaction(tx.to_owned()), None, 10).await
}

fn announced(order: &mut Order) {
    order.announced = true;
}

async fn an_order_is_found_by_each_of_its_transactions(database: &TestDatabase) {
    let store = database.store().await;
    let address = evm("0x00000000000000000000000000000000000000a1");
    let order = placed(&store, |order| {
        announced(order);
        order.submitted_tx = Some("0xtold".to_owned());
        order.deposit_address = Some(address);
    })
    .await;
    placed(&store, announced).await;
    let amount = RawAmount::ZERO;
    let filled = fact(&order, FactKind::Filled(amount), "0xfill", 11);
    let claimed = fact(&order, FactKind::Claimed(amount), "0xclaim", 12);
    record(&store, FinalityTier::Large, 20, &[opened(&order, "0xopen", 10), filled, claimed]).await;
    store.record_arrival(&arrival(&order, 9), now()).await.unwrap();
    for tx in ["0xtold", "0xopen", "0xfill", "0xclaim", "0xbeef"] {
        assert_eq!(by_transaction(&store, tx).await, std::slice::from_ref(&order.id), "{tx}");
    }
    assert_eq!(by_transaction(&store, "0xnone").await, []);
}

async fn an_order_is_found_by_each_of_its_addresses_and_paged(database: &TestDatabase) {
    let store = database.store().await;
    let one = |last: u8| evm(&format!("0x{}{last:02x}", "0".repeat(38)));
    let (author, recipient, refund_to, deposit) = (one(1), one(2), one(3), one(4));
    let mut ids = Vec::new();
    for turn in 0..3 {
        let order = placed(&store, |order| {
            announced(order);
            order.author = author;
            order.recipient = recipient;
            order.refund_to = refund_to;
            order.deposit_address = (turn == 0).then_some(deposit);
        });
        ids.insert(0, order.await);
    }
    let ids_of = |orders: &[Order]| orders.iter().map(|order| order.id.clone()).collect::<Vec<_>>();
    let find = async |address: Address, before, limit| {
        search(&store, SearchTerm::Address(address), before, limit).await
    };
    for address in [author, recipient, refund_to] {
        assert_eq!(find(address, None, 10).await, ids_of(&ids), "newest first");
        assert_eq!(find(address, None, 2).await, ids_of(&ids[..2]));
        assert_eq!(find(address, Some(ids[1].key), 2).await, ids_of(&ids[2..]));
    }
    assert_eq!(find(deposit, None, 10).await, ids_of(&ids[2..]));
    assert_eq!(find(one(9), None, 10).await, []);
}

async fn an_order_that_is_not_announced_is_found_by_nothing(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |order| {
        order.announced = false;
        order.submitted_tx = Some("0xtold".to_owned());
    })
    .await;
    record(&store, FinalityTier::Large, 20, &[opened(&order, "0xopen", 10)]).await;
    for tx in ["0xtold", "0xopen"] {
        assert_eq!(by_transaction(&store, tx).await, []);
    }
    for address in [order.author, order.recipient, order.refund_to] {
        assert_eq!(search(&store, SearchTerm::Address(address), None, 10).await, []);
    }
}
