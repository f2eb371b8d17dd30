use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{Creation, OperatorStore, OrderStore, Pruned, QuoteStore, StoreError};
use causeway_domain::{EventKind, Quote};
use causeway_store::Store;
use tokio::task::JoinSet;

use crate::sample::{days_ago, event, now, order, quote, route};
use crate::test_database::TestDatabase;

on_both_engines!(
    quotes_of_one_commit_share_rows_and_are_found_by_other_replicas,
    a_damaged_record_leaves_its_batch_readable,
    a_truncated_batch_is_corrupt,
    the_same_quote_twice_in_one_commit_is_written_once,
    a_quote_of_another_replica_is_not_written_twice_and_a_conflicting_id_is_rejected,
    a_quote_gets_its_own_row_when_an_order_or_a_route_references_it,
    a_batch_is_pruned_when_its_newest_quote_is_old_and_referenced_quotes_stay,
);

/// Writes quotes while the writer is held up, so that they share commits.
async fn put_together(database: &TestDatabase, store: &Arc<Store>, quotes: &[Quote]) {
    let stall = database.stall().await;
    let mut writes = JoinSet::new();
    for quote in quotes {
        let (store, quote) = (Arc::clone(store), quote.clone());
        writes.spawn(async move { store.put_quote(&quote).await.unwrap() });
    }
    // Those that came first are on their way into the store, which is stalled; the others gather behind them.
    tokio::time::sleep(Duration::from_millis(100)).await;
    stall.release().await;
    writes.join_all().await;
}

async fn quotes_of_one_commit_share_rows_and_are_found_by_other_replicas(database: &TestDatabase) {
    let (here, there) = (Arc::new(database.store().await), database.store().await);
    let quotes: Vec<Quote> = (0..60).map(|_| quote(&["a", "b"])).collect();
    put_together(database, &here, &quotes).await;
    let rows = database.raw().await.count("quote_batches").await;
    assert!(rows < 20, "{rows} rows for 60 quotes");
    assert_eq!(database.raw().await.count("quotes").await, 0);
    for quote in quotes {
        assert_eq!(there.quote(&quote.id).await.unwrap(), Some(quote));
    }
}

async fn a_damaged_record_leaves_its_batch_readable(database: &TestDatabase) {
    let store = Arc::new(database.store().await);
    let quotes: Vec<Quote> = (0..12).map(|_| quote(&["a", "b"])).collect();
    put_together(database, &store, &quotes).await;
    // Past the first byte, which says how to read the rest, and past the id.
    database.raw().await.corrupt_records(40).await;
    let (mut corrupt, mut whole) = (0, 0);
    for quote in quotes {
        match store.quote(&quote.id).await {
            Ok(found) => {
                assert_eq!(found, Some(quote));
                whole += 1;
            }
            Err(StoreError::Corrupt(_)) => corrupt += 1,
            Err(error) => panic!("{error:?}"),
        }
    }
    // The first of each batch was hit.
    assert_eq!(corrupt, database.raw().await.count("quote_batches").await);
    assert!(whole > 0);
}

async fn a_truncated_batch_is_corrupt(database: &TestDatabase) {
    let store = database.store().await;
    let quote = quote(&["a"]);
    store.put_quote(&quote).await.unwrap();
    database.raw().await.run("UPDATE quote_batches SET quotes = SUBSTR(quotes, 1, 5)").await;
    let error = store.quote(&quote.id).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
    let order = order(&quote, "a");
    let error = store.create_order(&order, &event(&order, EventKind::Note, now())).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
}

async fn the_same_quote_twice_in_one_commit_is_written_once(database: &TestDatabase) {
    let store = Arc::new(database.store().await);
    let (busy, twice) = (quote(&["a"]), quote(&["a"]));
    put_together(database, &store, &[busy, twice.clone(), twice.clone(), twice.clone()]).await;
    assert_eq!(database.raw().await.batched().await, 2);
    assert_eq!(store.quote(&twice.id).await.unwrap(), Some(twice));
}

async fn a_quote_of_another_replica_is_not_written_twice_and_a_conflicting_id_is_rejected(
    database: &TestDatabase,
) {
    let (here, there) = (database.store().await, database.store().await);
    let first = quote(&["a"]);
    // Ids of one moment, which may share a batch.
    let at = |tail: char| {
        let kept = first.id.as_str().len() - 1;
        let id = format!("{}{tail}", &first.id.as_str()[..kept]).parse().unwrap();
        Quote { id, ..quote(&["a"]) }
    };
    let quotes = ['0', '1', '2', '3'].map(at);
    for (store, quote) in [&here, &there, &here, &there].into_iter().zip(&quotes) {
        store.put_quote(quote).await.unwrap();
    }
    for store in [&here, &there] {
        for quote in &quotes {
            store.put_quote(quote).await.unwrap();
            let other = Quote { integrator: Some("another-0a1b2c3d".to_owned()), ..quote.clone() };
            let error = store.put_quote(&other).await.unwrap_err();
            assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
        }
    }
    assert_eq!(database.raw().await.batched().await, 4);
    for quote in quotes {
        assert_eq!(here.quote(&quote.id).await.unwrap(), Some(quote));
    }
}

async fn a_quote_gets_its_own_row_when_an_order_or_a_route_references_it(database: &TestDatabase) {
    let store = database.store().await;
    let (ordered, joined, other) = (quote(&["a", "b"]), quote(&["a"]), quote(&["a"]));
    for quote in [&ordered, &joined, &other] {
        store.put_quote(quote).await.unwrap();
    }
    let order = order(&ordered, "b");
    let event = event(&order, EventKind::Note, now());
    assert_eq!(store.create_order(&order, &event).await.unwrap(), Creation::Created);
    store.add_route(&joined.id, &route("z")).await.unwrap();
    assert_eq!(database.raw().await.count("quotes").await, 2);
    assert_eq!(store.quote(&ordered.id).await.unwrap(), Some(ordered));
    assert_eq!(store.quote(&joined.id).await.unwrap().unwrap().routes.len(), 2);
    assert_eq!(store.quote(&other.id).await.unwrap(), Some(other));
}

async fn a_batch_is_pruned_when_its_newest_quote_is_old_and_referenced_quotes_stay(database: &TestDatabase) {
    let store = Arc::new(database.store().await);
    let mut quotes: Vec<Quote> = (0..10).map(|_| quote(&["a"])).collect();
    for quote in &mut quotes {
        quote.created_at = days_ago(5);
    }
    put_together(database, &store, &quotes).await;
    let ordered = quotes.pop().unwrap();
    let order = order(&ordered, "a");
    store.create_order(&order, &event(&order, EventKind::Note, now())).await.unwrap();
    assert_eq!(store.prune(days_ago(6), days_ago(6), 100).await.unwrap(), Pruned::default());
    let pruned = store.prune(days_ago(4), days_ago(6), 100).await.unwrap();
    assert_eq!(pruned, Pruned { quotes: 9, events: 0 });
    assert_eq!(database.raw().await.count("quote_batches").await, 0);
    for quote in quotes {
        assert_eq!(store.quote(&quote.id).await.unwrap(), None);
    }
    assert_eq!(store.quote(&ordered.id).await.unwrap(), Some(ordered));
}
