use causeway_domain::fiat::Payout;
use causeway_domain::ports::OrderStore as _;
use causeway_domain::{CustodyNotice, Order, OrderStatus, ProviderOrder, ProviderTerms, RawAmount, Slippage};

use crate::sample::{evm, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    what_an_order_says_of_its_provider_round_trips_and_is_updated,
    nothing_of_ours_is_owed_for_an_order_that_a_provider_settles,
    rule_22_a_transfer_of_a_provider_counts_for_one_order,
);

fn settled_by_provider(order: &mut Order) {
    order.status = OrderStatus::Published;
    order.provider = Some(Box::new(ProviderOrder {
        terms: ProviderTerms { tool: "across".to_owned(), slippage: Slippage::DEFAULT },
        notice: CustodyNotice { held_by: "a bridge".to_owned(), refunds: "slowly".to_owned() },
        target: evm("0x00000000000000000000000000000000000000aa"),
        spender: Some(evm("0x00000000000000000000000000000000000000bb")),
        word: None,
        named_deposit: None,
    }));
}

async fn what_an_order_says_of_its_provider_round_trips_and_is_updated(database: &TestDatabase) {
    let store = database.store().await;
    let mut order = placed(&store, settled_by_provider).await;
    assert_eq!(store.order(&order.id).await.unwrap().as_ref(), Some(&order));
    if let Some(provider) = order.provider.as_mut() {
        provider.set_word("PENDING WAIT_DESTINATION_TRANSACTION");
    }
    assert!(store.update_order(&order, &[]).await.unwrap());
    assert_eq!(store.order(&order.id).await.unwrap().unwrap().provider, order.provider);
}

async fn nothing_of_ours_is_owed_for_an_order_that_a_provider_settles(database: &TestDatabase) {
    let store = database.store().await;
    placed(&store, settled_by_provider).await;
    assert_eq!(store.owed().await.unwrap(), []);
    let ours = placed(&store, |order| order.status = OrderStatus::Published).await;
    let owed = store.owed().await.unwrap();
    assert_eq!(owed.iter().map(|owed| &owed.filler).collect::<Vec<_>>(), [&ours.filler]);
}

async fn rule_22_a_transfer_of_a_provider_counts_for_one_order(database: &TestDatabase) {
    let store = database.store().await;
    let first = placed(&store, settled_by_provider).await;
    let second = placed(&store, settled_by_provider).await;
    let payout = |index| Payout {
        token: first.to,
        tx: "0xab".to_owned(),
        index,
        amount: RawAmount::new(alloy_primitives::U256::from(7)),
    };
    assert!(store.take_payout(&first.id, &payout(3)).await.unwrap());
    assert!(store.take_payout(&first.id, &payout(3)).await.unwrap(), "again, after a crash");
    assert!(!store.take_payout(&second.id, &payout(3)).await.unwrap());
    assert!(
        store.take_payout(&second.id, &payout(4)).await.unwrap(),
        "another transfer of the same transaction"
    );
}
