use std::sync::Arc;

use causeway_domain::fiat::Payout;
use causeway_domain::ports::OrderStore as _;
use causeway_domain::{
    ConfirmedTx, CustodyNotice, EventKind, JoinedOrder, JoinedTerms, Order, OrderStatus, ProviderOrder,
    ProviderTerms, RawAmount, Slippage,
};
use tokio::task::JoinSet;

use crate::fiat_sample::{base_usdc, jump_plan};
use crate::sample::{event, evm, now, order, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    what_an_order_says_of_its_provider_round_trips_and_is_updated,
    nothing_of_ours_is_owed_for_an_order_that_a_provider_settles,
    rule_22_a_transfer_of_a_provider_counts_for_one_order,
    a_second_leg_round_trips_and_what_the_version_before_writes_leaves_it,
    rule_21_of_processes_that_decide_together_one_creates_the_second_swap,
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
        joined: None,
    }));
}

/// The same with a second leg that has begun.
fn joined(order: &mut Order) {
    settled_by_provider(order);
    let plan = jump_plan();
    let terms = JoinedTerms {
        hub: base_usdc(),
        hub_amount: RawAmount::new(plan.order.rate_in),
        filler: plan.filler.clone(),
        refund_to: evm("0x00000000000000000000000000000000000000dd"),
    };
    let delivered = ConfirmedTx {
        chain: base_usdc().chain(),
        tx: "0xde".to_owned(),
        block: 7,
        time: 1_800_000_000,
        amount: terms.hub_amount,
    };
    let joined = JoinedOrder { terms, plan, delivered: Some(delivered), arrived_at: None };
    order.provider.as_mut().unwrap().joined = Some(Box::new(joined));
}

async fn a_second_leg_round_trips_and_what_the_version_before_writes_leaves_it(database: &TestDatabase) {
    let store = database.store().await;
    let mut order = placed(&store, joined).await;
    assert_eq!(store.order(&order.id).await.unwrap().as_ref(), Some(&order));
    let joined = order.provider.as_mut().unwrap().joined.as_mut().unwrap();
    (joined.delivered, joined.arrived_at) = (None, Some(now()));
    joined.plan.swap = Some(order.id.clone());
    joined.plan.returned_tx = Some("0xba".to_owned());
    assert!(store.update_order(&order, &[]).await.unwrap());
    let stored = store.order(&order.id).await.unwrap().unwrap();
    assert_eq!(stored.provider, order.provider);
    // It knows the column of the provider, and writes what it has read of it.
    let before = "orders SET provider = provider, version = version + 1, status = 'refund_pending'";
    database.raw().await.run(&format!("UPDATE {before}")).await;
    let stored = store.order(&order.id).await.unwrap().unwrap();
    assert_eq!((stored.status, stored.provider), (OrderStatus::RefundPending, order.provider));
}

async fn rule_21_of_processes_that_decide_together_one_creates_the_second_swap(database: &TestDatabase) {
    let stores = [Arc::new(database.store().await), Arc::new(database.store().await)];
    let first = placed(&stores[0], joined).await;
    let mut work = JoinSet::new();
    for turn in 0..20 {
        let (store, first) = (Arc::clone(&stores[turn % 2]), first.clone());
        work.spawn(async move {
            let swap = order();
            let built = event(&swap, EventKind::Status(swap.status), swap.created_at);
            store.create_second_swap(&first.id, first.version, &swap, &built).await.unwrap()
        });
    }
    let winners = work.join_all().await.into_iter().filter(|created| *created).count();
    assert_eq!((winners, database.raw().await.count("orders").await), (1, 2));
    let current = stores[1].order(&first.id).await.unwrap().unwrap();
    assert_eq!(current.version, first.version + 1, "whoever decided before decides again");
    assert!(!stores[0].update_order(&first, &[]).await.unwrap());
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
