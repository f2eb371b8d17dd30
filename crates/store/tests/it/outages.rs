use std::time::{Duration, Instant};

use causeway_domain::ports::{Health, QuoteStore, StoreError};
use causeway_store::{Location, OpenError, Options, Store};

use crate::fresh::Fresh;
use crate::sample::quote;

#[tokio::test]
async fn a_file_that_another_process_holds_is_unavailable_until_it_lets_go() {
    let fresh = Fresh::sqlite();
    let options = Options { busy_timeout: Duration::from_millis(100), ..Options::default() };
    let store = fresh.store_with(options).await;
    let quote = quote(&["a"]);
    let stall = fresh.stall().await;
    let error = store.put_quote(&quote).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    assert_eq!(store.quote(&quote.id).await.unwrap(), None);
    stall.let_go().await;
    store.put_quote(&quote).await.unwrap();
    assert_eq!(store.quote(&quote.id).await.unwrap(), Some(quote));
}

#[tokio::test]
async fn a_file_that_was_removed_is_not_healthy() {
    let fresh = Fresh::sqlite();
    let store = fresh.store().await;
    let Location::Sqlite(path) = &fresh.location else { unreachable!("a fresh SQLite is a file") };
    std::fs::remove_file(path).unwrap();
    assert!(matches!(store.check().await, Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let fresh = Fresh::sqlite();
    let path = fresh.beside("letter.txt");
    std::fs::write(&path, "Dear reader, ".repeat(500)).unwrap();
    let error = Store::open(&Location::Sqlite(path)).await.unwrap_err();
    assert!(matches!(error, OpenError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn a_server_that_is_away_is_told_soon_and_without_the_password() {
    let location = Location::Postgres("postgres://ann:hunter2@127.0.0.1:1/swaps".parse().unwrap());
    let start = Instant::now();
    let error = Store::open(&location).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(error.to_string(), "cannot open the database at ann@127.0.0.1:1/swaps");
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[tokio::test]
async fn connections_that_the_server_cut_are_replaced() {
    let Some(fresh) = Fresh::postgres().await else { return };
    let store = fresh.store().await;
    let before = quote(&["a"]);
    store.put_quote(&before).await.unwrap();
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    fresh.raw().await.run(cut).await;
    let after = quote(&["a"]);
    store.put_quote(&after).await.unwrap();
    for quote in [before, after] {
        assert_eq!(store.quote(&quote.id).await.unwrap(), Some(quote));
    }
    fresh.remove().await;
}
