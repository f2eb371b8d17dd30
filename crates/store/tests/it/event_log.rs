use std::time::Duration;

use causeway_domain::ports::OrderStore;
use causeway_domain::{EventKind, RowKey};
use tokio::time::timeout;

use crate::sample::{event, now, placed};
use crate::test_database::TestDatabase;

on_both_engines!(
    events_of_all_orders_are_listed_oldest_first_after_a_key,
    waiting_for_a_commit_ends_with_the_commit_and_not_before,
);

async fn events_of_all_orders_are_listed_oldest_first_after_a_key(database: &TestDatabase) {
    let (store, reader) = (database.store().await, database.store().await);
    let (one, two) = (placed(&store, |_| ()).await, placed(&store, |_| ()).await);
    let line = event(&one, EventKind::Note, now());
    assert!(store.update_order(&one, std::slice::from_ref(&line)).await.unwrap());
    let start = RowKey::new(0).unwrap();
    let lines = reader.events_after(start, 100).await.unwrap();
    let orders: Vec<_> = lines.iter().map(|(_, order)| order.clone()).collect();
    assert_eq!(orders, [one.id.clone(), two.id, one.id], "each history begins with the creation");
    assert!(lines.is_sorted_by_key(|(key, _)| *key));
    assert_eq!(reader.events_after(lines[1].0, 100).await.unwrap(), lines[2..]);
    assert_eq!(reader.events_after(start, 2).await.unwrap(), lines[..2]);
}

async fn waiting_for_a_commit_ends_with_the_commit_and_not_before(database: &TestDatabase) {
    let store = std::sync::Arc::new(database.store().await);
    let seen = OrderStore::commits(store.as_ref());
    assert!(timeout(Duration::from_millis(50), store.wait_for_commit_after(seen)).await.is_err());
    let waiting = store.clone();
    let woken = tokio::spawn(async move { waiting.wait_for_commit_after(seen).await });
    placed(&store, |order| order.updated_at = now()).await;
    timeout(Duration::from_secs(10), woken).await.expect("the commit was notified").unwrap();
    // An earlier commit is not waited for.
    timeout(Duration::from_secs(10), store.wait_for_commit_after(seen)).await.expect("there was a commit");
}
