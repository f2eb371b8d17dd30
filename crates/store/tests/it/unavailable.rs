use std::time::{Duration, Instant};

use causeway_domain::ports::{Health, OrderStore, StoreError};
use causeway_store::{Location, OpenError, Options, Store};

use crate::sample::{order, placed, put};
use crate::test_database::{Schema, TestDatabase};

#[tokio::test]
async fn a_locked_file_is_unavailable_until_it_is_released() {
    let database = TestDatabase::sqlite(Schema::None).await;
    let options = Options { busy_timeout: Duration::from_millis(100), ..Options::default() };
    let store = database.store_with(options).await;
    let order = order();
    let stall = database.stall().await;
    let error = put(&store, &order).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    assert_eq!(store.order(&order.id).await.unwrap(), None);
    stall.release().await;
    put(&store, &order).await.unwrap();
    assert_eq!(store.order(&order.id).await.unwrap(), Some(order));
}

#[tokio::test]
async fn a_removed_file_is_unhealthy() {
    let database = TestDatabase::sqlite(Schema::None).await;
    let store = database.store().await;
    let Location::Sqlite(path) = &database.location else { unreachable!("a SQLite test database is a file") };
    std::fs::remove_file(path).unwrap();
    assert!(matches!(store.check().await, Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn a_file_that_is_not_a_database_is_rejected() {
    let database = TestDatabase::sqlite(Schema::None).await;
    let path = database.sibling("letter.txt");
    std::fs::write(&path, "Dear reader, ".repeat(500)).unwrap();
    let error = Store::open(&Location::Sqlite(path)).await.unwrap_err();
    assert!(matches!(error, OpenError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn an_unreachable_server_fails_fast_and_without_the_password() {
    let location = Location::Postgres("postgres://ann:hunter2@127.0.0.1:1/swaps".parse().unwrap());
    let start = Instant::now();
    let error = Store::open(&location).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(error.to_string(), "cannot open the database at ann@127.0.0.1:1/swaps");
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[tokio::test]
async fn connections_closed_by_the_server_are_replaced() {
    let Some(database) = TestDatabase::postgres(Schema::None).await else { return };
    let store = database.store().await;
    let before = placed(&store, |_| ()).await;
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    database.raw().await.run(cut).await;
    let after = placed(&store, |_| ()).await;
    for order in [before, after] {
        assert_eq!(store.order(&order.id).await.unwrap(), Some(order));
    }
    database.remove().await;
}
