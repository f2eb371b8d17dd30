use causeway_domain::ports::{OrderStore, QuoteStore, StoreError};
use causeway_domain::{Address, EventKind, Order, TokenId};
use causeway_store::Store;

use crate::fresh::Fresh;
use crate::outbox::chain;
use crate::sample::{AUTHOR, event, evm, now, order, placed, quote, shown};

on_both_engines!(
    an_order_is_found_by_its_route_and_by_its_intent,
    an_intent_belongs_to_one_order,
    an_order_is_found_by_the_transaction_that_was_told_or_shown,
    a_deposit_that_the_chain_shows_wins_over_one_that_was_told,
    a_transaction_is_told_for_one_order_of_a_chain,
    of_orders_that_are_told_the_same_transaction_at_the_same_moment_one_wins,
    every_order_with_a_deposit_address_is_found_newest_first,
);

async fn tell(store: &Store, order: &mut Order, tx: &str) -> Result<bool, StoreError> {
    order.told_tx = Some(tx.to_owned());
    let told = store.update_order(order, &[]).await;
    order.version += u32::from(matches!(told, Ok(true)));
    told
}

async fn an_order_is_found_by_its_route_and_by_its_intent(fresh: &Fresh) {
    let store = fresh.store().await;
    let (order, other) = (placed(&store, |_| ()).await, placed(&store, |_| ()).await);
    assert_eq!(store.order_of_route(&order.quote, &order.route).await.unwrap().as_ref(), Some(&order));
    assert_eq!(store.order_of_intent(other.intent).await.unwrap().as_ref(), Some(&other));
    assert_eq!(store.order_of_route(&order.quote, &"b".parse().unwrap()).await.unwrap(), None);
    assert_eq!(store.order_of_intent(alloy_primitives::B256::ZERO).await.unwrap(), None);
}

async fn an_intent_belongs_to_one_order(fresh: &Fresh) {
    let store = fresh.store().await;
    let first = placed(&store, |_| ()).await;
    let quote = quote(&["a"]);
    store.put_quote(&quote).await.unwrap();
    let second = Order { terms: first.terms, intent: first.intent, ..order(&quote, "a") };
    let error = store.create_order(&second, &event(&second, EventKind::Note, now())).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
    assert_eq!(store.order_of_intent(first.intent).await.unwrap(), Some(first));
}

async fn an_order_is_found_by_the_transaction_that_was_told_or_shown(fresh: &Fresh) {
    let store = fresh.store().await;
    let mut order = placed(&store, |_| ()).await;
    assert!(tell(&store, &mut order, "told").await.unwrap());
    assert_eq!(store.order_of_deposit(chain(1), "told").await.unwrap().as_ref(), Some(&order));
    assert_eq!(store.order_of_deposit(chain(10), "told").await.unwrap(), None);
    // A wallet may have sent it anew with a higher fee.
    order.evidence.deposit = Some(shown("sped up"));
    assert!(store.update_order(&order, &[]).await.unwrap());
    order.version += 1;
    for tx in ["told", "sped up"] {
        assert_eq!(store.order_of_deposit(chain(1), tx).await.unwrap().as_ref(), Some(&order), "{tx}");
    }
    assert_eq!(store.order_of_deposit(chain(1), "other").await.unwrap(), None);
}

async fn a_deposit_that_the_chain_shows_wins_over_one_that_was_told(fresh: &Fresh) {
    let store = fresh.store().await;
    let mut liar = placed(&store, |_| ()).await;
    assert!(tell(&store, &mut liar, "0xfeed").await.unwrap());
    let payer = placed(&store, |order| order.evidence.deposit = Some(shown("0xfeed"))).await;
    assert_eq!(store.order_of_deposit(chain(1), "0xfeed").await.unwrap(), Some(payer));
}

async fn a_transaction_is_told_for_one_order_of_a_chain(fresh: &Fresh) {
    let store = fresh.store().await;
    let (mut one, mut two) = (placed(&store, |_| ()).await, placed(&store, |_| ()).await);
    let mut elsewhere = placed(&store, |order| order.from = TokenId::native(chain(10))).await;
    assert!(tell(&store, &mut one, "0xfeed").await.unwrap());
    assert!(tell(&store, &mut one, "0xfeed").await.unwrap(), "the same again is no news");
    let before = two.clone();
    let error = tell(&store, &mut two, "0xfeed").await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(words) if words.contains("told")), "{error:?}");
    assert_eq!(store.order(&two.id).await.unwrap(), Some(before));
    assert!(tell(&store, &mut two, "0xbeef").await.unwrap());
    assert!(tell(&store, &mut elsewhere, "0xfeed").await.unwrap());
}

async fn of_orders_that_are_told_the_same_transaction_at_the_same_moment_one_wins(fresh: &Fresh) {
    let (one, two) = (fresh.store().await, fresh.store().await);
    let mut orders = Vec::new();
    for _ in 0..4 {
        orders.push(placed(&one, |_| ()).await);
    }
    let tell = async |store: &Store, order: &Order| {
        let told = Order { told_tx: Some("0xfeed".to_owned()), ..order.clone() };
        match store.update_order(&told, &[]).await {
            Ok(won) => u8::from(won),
            Err(StoreError::Conflict(_)) => 0,
            Err(error) => panic!("{error:?}"),
        }
    };
    let (a, b, c, d) = tokio::join!(
        tell(&one, &orders[0]),
        tell(&two, &orders[1]),
        tell(&one, &orders[2]),
        tell(&two, &orders[3])
    );
    assert_eq!(a + b + c + d, 1);
    let count = fresh.raw().await.count("orders WHERE told_tx IS NOT NULL").await;
    assert_eq!(count, 1);
}

async fn every_order_with_a_deposit_address_is_found_newest_first(fresh: &Fresh) {
    let store = fresh.store().await;
    let at = |address| move |order: &mut Order| order.deposit_address = Some(address);
    placed(&store, |_| ()).await;
    let one = placed(&store, at(evm(AUTHOR))).await;
    let solana = placed(&store, at(Address::Solana([7; 32]))).await;
    let two = placed(&store, at(evm(AUTHOR))).await;
    assert_eq!(store.orders_at(evm(&AUTHOR.to_lowercase())).await.unwrap(), [two, one]);
    assert_eq!(store.orders_at(Address::Solana([7; 32])).await.unwrap(), [solana]);
    assert_eq!(store.orders_at(Address::Solana([8; 32])).await.unwrap(), []);
}
