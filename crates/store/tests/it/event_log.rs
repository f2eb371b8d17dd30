use std::time::Duration;

use causeway_domain::ports::{EventLog, OrderStore as _};
use causeway_domain::{EventKind, RowKey};
use tokio::time::timeout;

use crate::fresh::Fresh;
use crate::sample::{event, now, placed};

on_both_engines!(
    lines_of_all_orders_come_oldest_first_after_a_key,
    whoever_waits_for_a_commit_is_woken_by_it_and_not_before,
);

async fn lines_of_all_orders_come_oldest_first_after_a_key(fresh: &Fresh) {
    let (store, reader) = (fresh.store().await, fresh.store().await);
    let (one, two) = (placed(&store, |_| ()).await, placed(&store, |_| ()).await);
    let line = event(&one, EventKind::Note, now());
    assert!(store.update_order(&one, std::slice::from_ref(&line)).await.unwrap());
    let start = RowKey::new(0).unwrap();
    let lines = reader.lines_after(start, 100).await.unwrap();
    let orders: Vec<_> = lines.iter().map(|(_, order)| order.clone()).collect();
    assert_eq!(orders, [one.id.clone(), two.id, one.id], "the story of each begins with its creation");
    assert!(lines.is_sorted_by_key(|(key, _)| *key));
    assert_eq!(reader.lines_after(lines[1].0, 100).await.unwrap(), lines[2..]);
    assert_eq!(reader.lines_after(start, 2).await.unwrap(), lines[..2]);
}

async fn whoever_waits_for_a_commit_is_woken_by_it_and_not_before(fresh: &Fresh) {
    let store = std::sync::Arc::new(fresh.store().await);
    let seen = EventLog::commits(store.as_ref());
    assert!(timeout(Duration::from_millis(50), store.committed_since(seen)).await.is_err());
    let waiting = store.clone();
    let woken = tokio::spawn(async move { waiting.committed_since(seen).await });
    placed(&store, |order| order.updated_at = now()).await;
    timeout(Duration::from_secs(10), woken).await.expect("the commit was told").unwrap();
    // What was committed before somebody asked is not waited for.
    timeout(Duration::from_secs(10), store.committed_since(seen)).await.expect("there was a commit");
}
