use alloy_primitives::{B256, U256};
use causeway_domain::ports::{OpenTransfer, OrderStore, Owed, StoreError};
use causeway_domain::{Order, OrderStatus, RawAmount, RefundCause, RowKey, TokenId};
use causeway_store::Store;
use jiff::Timestamp;

use crate::outbox::chain;
use crate::sample::{AUTHOR, confirmed_tx, days_ago, evm, now, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    open_transfers_are_paged_oldest_first,
    a_transfer_is_listed_as_open_and_later_as_ended,
    ended_transfers_are_listed_from_the_requested_time,
    only_unpaid_fills_are_owed,
    the_owed_amount_is_the_input_without_the_referrer_fee,
);

fn awaiting(order: &mut Order) {
    order.deposit_address = Some(evm(AUTHOR));
}

async fn keys(store: &Store, ended: Option<Timestamp>, after: Option<RowKey>, limit: u32) -> Vec<RowKey> {
    let transfers = store.transfers(chain(1), ended, after, limit).await.unwrap();
    transfers.into_iter().map(|transfer| transfer.key).collect()
}

async fn open_transfers_are_paged_oldest_first(database: &TestDatabase) {
    let store = database.store().await;
    let mut expected = Vec::new();
    for _ in 0..7 {
        placed(&store, |_| ()).await;
        expected.push(placed(&store, awaiting).await);
    }
    placed(&store, |order| {
        awaiting(order);
        order.from = TokenId::native(chain(10));
    })
    .await;
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = store.transfers(chain(1), None, after, 3).await.unwrap();
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 3);
        after = Some(last.key);
        seen.extend(page);
    }
    let transfer = |order: Order| OpenTransfer {
        order: order.id,
        key: order.key,
        address: evm(AUTHOR),
        token: order.from,
    };
    assert_eq!(seen, expected.into_iter().map(transfer).collect::<Vec<_>>());
}

async fn a_transfer_is_listed_as_open_and_later_as_ended(database: &TestDatabase) {
    let store = database.store().await;
    let since = Some(days_ago(1));
    for status in OrderStatus::ALL {
        let order = placed(&store, |order| {
            awaiting(order);
            order.status = status;
        })
        .await;
        let before = RowKey::new(order.key.get() - 1);
        let waits = status == OrderStatus::Created;
        assert_eq!(!keys(&store, None, before, 9).await.is_empty(), waits, "{status}");
        assert_eq!(keys(&store, since, before, 9).await.is_empty(), waits, "{status}");
    }
}

async fn ended_transfers_are_listed_from_the_requested_time(database: &TestDatabase) {
    let store = database.store().await;
    let mut ended = Vec::new();
    for days in [9, 3, 2, 0] {
        let order = placed(&store, |order| {
            awaiting(order);
            order.status = OrderStatus::Filled;
            order.created_at = days_ago(days);
        })
        .await;
        ended.push(order.key);
    }
    assert_eq!(keys(&store, Some(Timestamp::UNIX_EPOCH), None, 9).await, ended);
    assert_eq!(keys(&store, Some(days_ago(4)), None, 9).await, ended[1..]);
    assert_eq!(keys(&store, Some(days_ago(4)), None, 2).await, ended[1..3]);
    assert_eq!(keys(&store, Some(days_ago(4)), Some(ended[2]), 2).await, ended[3..]);
    assert_eq!(keys(&store, Some(days_ago(-1)), None, 9).await, []);
    assert_eq!(store.transfers(chain(10), Some(days_ago(4)), None, 9).await.unwrap(), []);
}

async fn only_unpaid_fills_are_owed(database: &TestDatabase) {
    let store = database.store().await;
    for status in OrderStatus::ALL {
        let mut order = placed(&store, |order| order.status = status).await;
        let owed = matches!(status, OrderStatus::Published | OrderStatus::Filled);
        assert_eq!(store.owed().await.unwrap().len(), usize::from(owed), "{status}");
        match status {
            OrderStatus::Published => order.evidence.refund = Some((confirmed_tx("a"), RefundCause::Expired)),
            _ => order.evidence.claim = Some(confirmed_tx("b")),
        }
        assert!(store.update_order(&order, &[]).await.unwrap());
        assert_eq!(store.owed().await.unwrap(), [], "{status}");
    }
    let mut order = placed(&store, |order| order.status = OrderStatus::Deposited).await;
    assert_eq!(store.owed().await.unwrap(), []);
    order = order.transition_to(OrderStatus::Published, now()).unwrap();
    assert!(store.update_order(&order, &[]).await.unwrap());
    assert_eq!(store.owed().await.unwrap().len(), 1);
}

async fn the_owed_amount_is_the_input_without_the_referrer_fee(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |order| order.status = OrderStatus::Filled).await;
    let amount = RawAmount::new(U256::MAX - U256::from(11));
    let (filler, refund_at) = (order.filler.clone(), order.terms.refund_at);
    let owed = Owed { filler, token: order.from, amount, deposited_in: None, refund_at };
    assert_eq!(store.owed().await.unwrap(), [owed]);
    placed(&store, |order| {
        order.status = OrderStatus::Filled;
        order.terms.referrer_fee = U256::MAX;
        order.terms.amount_in = U256::from(1);
        order.intent_id = B256::ZERO;
    })
    .await;
    assert!(matches!(store.owed().await, Err(StoreError::Corrupt(_))));
}
