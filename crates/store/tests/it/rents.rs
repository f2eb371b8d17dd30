use causeway_domain::ports::{ChainStore, OrderStore};
use causeway_domain::{OrderId, OrderStatus, RentedAccount, SOLANA_CHAIN_ID, TokenId};
use causeway_store::Store;

use crate::sample::placed;
use crate::test_database::TestDatabase;

on_both_engines!(
    rented_accounts_are_due_when_they_may_be_closed,
    a_claimed_rent_is_not_claimed_again_until_due,
    a_postponed_rent_waits_and_a_forgotten_one_is_removed,
    orders_from_before_the_rents_table_are_due_first,
);

async fn due(store: &Store, time: u64, again: u64) -> Vec<(OrderId, RentedAccount)> {
    let due = store.claim_rents(SOLANA_CHAIN_ID, time, again, 10).await.unwrap();
    due.into_iter().map(|rent| (rent.order.id, rent.account)).collect()
}

/// An order within Solana.
async fn within(store: &Store, open_deadline: u64, refund_at: u64) -> OrderId {
    let order = placed(store, |order| {
        order.from = TokenId::native(SOLANA_CHAIN_ID);
        order.to = TokenId::native(SOLANA_CHAIN_ID);
        (order.terms.open_deadline, order.terms.refund_at) = (open_deadline, refund_at);
    });
    order.await.id
}

async fn rented_accounts_are_due_when_they_may_be_closed(database: &TestDatabase) {
    let store = database.store().await;
    let id = within(&store, 100, 200).await;
    assert_eq!(due(&store, 99, 99).await, []);
    assert_eq!(due(&store, 100, 1_000).await, [(id.clone(), RentedAccount::Order)]);
    assert_eq!(due(&store, 200, 1_000).await, [(id.clone(), RentedAccount::Fill)]);
    let both = [(id.clone(), RentedAccount::Order), (id, RentedAccount::Fill)];
    let mut again = due(&store, 1_000, 1_000).await;
    again.sort_by_key(|(_, account)| *account == RentedAccount::Fill);
    assert_eq!(again, both);
    let ethereum = causeway_domain::ChainId::new(1).unwrap();
    assert_eq!(store.claim_rents(ethereum, u64::MAX, u64::MAX, 10).await.unwrap(), []);
}

async fn a_claimed_rent_is_not_claimed_again_until_due(database: &TestDatabase) {
    let (store, other) = (database.store().await, database.store().await);
    let mut ids = Vec::new();
    for due in [30, 10, 20] {
        ids.push(within(&store, due, 9_000).await);
    }
    let first = store.claim_rents(SOLANA_CHAIN_ID, 50, 110, 2).await.unwrap();
    let first: Vec<OrderId> = first.into_iter().map(|rent| rent.order.id).collect();
    assert_eq!(first, [ids[1].clone(), ids[2].clone()], "longest due first");
    assert_eq!(due(&other, 50, 110).await, [(ids[0].clone(), RentedAccount::Order)]);
    assert_eq!(due(&other, 109, 110).await, []);
    assert_eq!(due(&other, 110, 170).await.len(), 3, "whoever took them may have died");
}

async fn a_postponed_rent_waits_and_a_forgotten_one_is_removed(database: &TestDatabase) {
    let store = database.store().await;
    let id = within(&store, 100, 200).await;
    store.postpone_rent(&id, RentedAccount::Order, 500).await.unwrap();
    store.remove_rent(&id, RentedAccount::Fill).await.unwrap();
    assert_eq!(due(&store, 499, 499).await, []);
    assert_eq!(due(&store, 500, 500).await, [(id.clone(), RentedAccount::Order)]);
    store.remove_rent(&id, RentedAccount::Order).await.unwrap();
    store.remove_rent(&id, RentedAccount::Order).await.unwrap();
    store.postpone_rent(&id, RentedAccount::Order, 0).await.unwrap();
    assert_eq!(due(&store, u64::MAX, 0).await, []);
    assert!(store.order(&id).await.unwrap().is_some(), "the order stays");
}

async fn orders_from_before_the_rents_table_are_due_first(database: &TestDatabase) {
    let store = database.store().await;
    let id = within(&store, 100, 200).await;
    placed(&store, |order| order.status = OrderStatus::Failed).await;
    store.close().await;
    // As the version before has left it.
    let mut raw = database.raw().await;
    raw.run("DROP TABLE rents").await;
    raw.run("DELETE FROM _sqlx_migrations WHERE version = 15").await;
    let store = database.store().await;
    let mut found = due(&store, 0, 10).await;
    found.sort_by_key(|(_, account)| *account == RentedAccount::Fill);
    assert_eq!(found, [(id.clone(), RentedAccount::Order), (id, RentedAccount::Fill)]);
}
