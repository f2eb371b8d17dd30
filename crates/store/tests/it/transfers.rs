use alloy_primitives::{B256, U256};
use causeway_domain::ports::{OpenTransfer, OrderStore, Owed, StoreError};
use causeway_domain::{Order, OrderStatus, RawAmount, RefundCause, RowKey, TokenId};
use causeway_store::Store;
use jiff::Timestamp;

use crate::fresh::Fresh;
use crate::outbox::chain;
use crate::sample::{AUTHOR, days_ago, evm, now, placed, shown};

on_both_engines!(
    transfers_that_wait_are_told_page_by_page_oldest_first,
    a_transfer_is_told_while_it_waits_and_afterwards_among_the_ended,
    ended_transfers_are_told_from_the_asked_day_on,
    exactly_what_was_delivered_and_not_paid_is_owed,
    what_is_owed_is_the_input_without_the_referrers_part,
);

fn awaiting(order: &mut Order) {
    order.deposit_address = Some(evm(AUTHOR));
}

async fn keys(store: &Store, ended: Option<Timestamp>, after: Option<RowKey>, limit: u32) -> Vec<RowKey> {
    let transfers = store.transfers(chain(1), ended, after, limit).await.unwrap();
    transfers.into_iter().map(|transfer| transfer.key).collect()
}

async fn transfers_that_wait_are_told_page_by_page_oldest_first(fresh: &Fresh) {
    let store = fresh.store().await;
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

async fn a_transfer_is_told_while_it_waits_and_afterwards_among_the_ended(fresh: &Fresh) {
    let store = fresh.store().await;
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

async fn ended_transfers_are_told_from_the_asked_day_on(fresh: &Fresh) {
    let store = fresh.store().await;
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

async fn exactly_what_was_delivered_and_not_paid_is_owed(fresh: &Fresh) {
    let store = fresh.store().await;
    for status in OrderStatus::ALL {
        let mut order = placed(&store, |order| order.status = status).await;
        let owed = matches!(status, OrderStatus::Published | OrderStatus::Filled);
        assert_eq!(store.owed().await.unwrap().len(), usize::from(owed), "{status}");
        match status {
            OrderStatus::Published => order.evidence.refund = Some((shown("a"), RefundCause::Expired)),
            _ => order.evidence.claim = Some(shown("b")),
        }
        assert!(store.update_order(&order, &[]).await.unwrap());
        assert_eq!(store.owed().await.unwrap(), [], "{status}");
    }
    let mut order = placed(&store, |order| order.status = OrderStatus::Deposited).await;
    assert_eq!(store.owed().await.unwrap(), []);
    order = order.become_status(OrderStatus::Published, now()).unwrap();
    assert!(store.update_order(&order, &[]).await.unwrap());
    assert_eq!(store.owed().await.unwrap().len(), 1);
}

async fn what_is_owed_is_the_input_without_the_referrers_part(fresh: &Fresh) {
    let store = fresh.store().await;
    let order = placed(&store, |order| order.status = OrderStatus::Filled).await;
    let amount = RawAmount::new(U256::MAX - U256::from(11));
    let owed = Owed { filler: order.filler.clone(), token: order.from, amount };
    assert_eq!(store.owed().await.unwrap(), [owed]);
    placed(&store, |order| {
        order.status = OrderStatus::Filled;
        order.terms.referrer_fee = U256::MAX;
        order.terms.amount_in = U256::from(1);
        order.intent = B256::ZERO;
    })
    .await;
    assert!(matches!(store.owed().await, Err(StoreError::Corrupt(_))));
}
