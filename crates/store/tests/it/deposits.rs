use causeway_domain::ports::{OrderStore, StoreError};
use causeway_domain::{Address, EventKind, Order, TokenId};
use causeway_store::Store;

use crate::outbox::chain;
use crate::sample::{AUTHOR, confirmed_tx, event, evm, now, order, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    an_order_is_found_by_its_route_and_by_its_intent,
    an_intent_belongs_to_one_order,
    an_order_is_found_by_its_submitted_or_observed_transaction,
    an_observed_deposit_wins_over_a_submitted_one,
    a_transaction_is_submitted_for_one_order_of_a_chain,
    concurrent_submissions_of_one_transaction_have_one_winner,
    orders_of_a_deposit_address_are_listed_newest_first,
);

async fn submit(store: &Store, order: &mut Order, tx: &str) -> Result<bool, StoreError> {
    order.submitted_tx = Some(tx.to_owned());
    let updated = store.update_order(order, &[]).await;
    order.version += u32::from(matches!(updated, Ok(true)));
    updated
}

async fn an_order_is_found_by_its_route_and_by_its_intent(database: &TestDatabase) {
    let store = database.store().await;
    let (order, other) = (placed(&store, |_| ()).await, placed(&store, |_| ()).await);
    assert_eq!(store.order_of_route(&order.quote, &order.route).await.unwrap().as_ref(), Some(&order));
    assert_eq!(store.order_of_intent(other.intent_id).await.unwrap().as_ref(), Some(&other));
    assert_eq!(store.order_of_route(&order.quote, &"b".parse().unwrap()).await.unwrap(), None);
    assert_eq!(store.order_of_intent(alloy_primitives::B256::ZERO).await.unwrap(), None);
}

async fn an_intent_belongs_to_one_order(database: &TestDatabase) {
    let store = database.store().await;
    let first = placed(&store, |_| ()).await;
    let second = Order { terms: first.terms, intent_id: first.intent_id, ..order() };
    let error = store.create_order(&second, &event(&second, EventKind::Note, now())).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
    assert_eq!(store.order_of_intent(first.intent_id).await.unwrap(), Some(first));
}

async fn an_order_is_found_by_its_submitted_or_observed_transaction(database: &TestDatabase) {
    let store = database.store().await;
    let mut order = placed(&store, |_| ()).await;
    assert!(submit(&store, &mut order, "submitted").await.unwrap());
    assert_eq!(store.order_of_deposit(chain(1), "submitted").await.unwrap().as_ref(), Some(&order));
    assert_eq!(store.order_of_deposit(chain(10), "submitted").await.unwrap(), None);
    // A wallet may have sent it anew with a higher fee.
    order.evidence.deposit = Some(confirmed_tx("sped up"));
    assert!(store.update_order(&order, &[]).await.unwrap());
    order.version += 1;
    for tx in ["submitted", "sped up"] {
        assert_eq!(store.order_of_deposit(chain(1), tx).await.unwrap().as_ref(), Some(&order), "{tx}");
    }
    assert_eq!(store.order_of_deposit(chain(1), "other").await.unwrap(), None);
}

async fn an_observed_deposit_wins_over_a_submitted_one(database: &TestDatabase) {
    let store = database.store().await;
    let mut liar = placed(&store, |_| ()).await;
    assert!(submit(&store, &mut liar, "0xfeed").await.unwrap());
    let payer = placed(&store, |order| order.evidence.deposit = Some(confirmed_tx("0xfeed"))).await;
    assert_eq!(store.order_of_deposit(chain(1), "0xfeed").await.unwrap(), Some(payer));
}

async fn a_transaction_is_submitted_for_one_order_of_a_chain(database: &TestDatabase) {
    let store = database.store().await;
    let (mut one, mut two) = (placed(&store, |_| ()).await, placed(&store, |_| ()).await);
    let mut elsewhere = placed(&store, |order| order.from = TokenId::native(chain(10))).await;
    assert!(submit(&store, &mut one, "0xfeed").await.unwrap());
    assert!(submit(&store, &mut one, "0xfeed").await.unwrap(), "submitting it again is allowed");
    let before = two.clone();
    let error = submit(&store, &mut two, "0xfeed").await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(words) if words.contains("submitted")), "{error:?}");
    assert_eq!(store.order(&two.id).await.unwrap(), Some(before));
    assert!(submit(&store, &mut two, "0xbeef").await.unwrap());
    assert!(submit(&store, &mut elsewhere, "0xfeed").await.unwrap());
}

async fn concurrent_submissions_of_one_transaction_have_one_winner(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    let mut orders = Vec::new();
    for _ in 0..4 {
        orders.push(placed(&one, |_| ()).await);
    }
    let submit = async |store: &Store, order: &Order| {
        let submitted = Order { submitted_tx: Some("0xfeed".to_owned()), ..order.clone() };
        match store.update_order(&submitted, &[]).await {
            Ok(won) => u8::from(won),
            Err(StoreError::Conflict(_)) => 0,
            Err(error) => panic!("{error:?}"),
        }
    };
    let (a, b, c, d) = tokio::join!(
        submit(&one, &orders[0]),
        submit(&two, &orders[1]),
        submit(&one, &orders[2]),
        submit(&two, &orders[3])
    );
    assert_eq!(a + b + c + d, 1);
    let count = database.raw().await.count("orders WHERE submitted_tx IS NOT NULL").await;
    assert_eq!(count, 1);
}

async fn orders_of_a_deposit_address_are_listed_newest_first(database: &TestDatabase) {
    let store = database.store().await;
    let at = |address| move |order: &mut Order| order.deposit_address = Some(address);
    placed(&store, |_| ()).await;
    let one = placed(&store, at(evm(AUTHOR))).await;
    let solana = placed(&store, at(Address::Solana([7; 32]))).await;
    let two = placed(&store, at(evm(AUTHOR))).await;
    assert_eq!(store.orders_at(evm(&AUTHOR.to_lowercase())).await.unwrap(), [two, one]);
    assert_eq!(store.orders_at(Address::Solana([7; 32])).await.unwrap(), [solana]);
    assert_eq!(store.orders_at(Address::Solana([8; 32])).await.unwrap(), []);
}
