use causeway_domain::ports::{Health, OrderStore};
use causeway_store::{OpenError, Store};
use tokio::task::JoinSet;

use crate::sample::{order, placed, put};
use crate::test_database::TestDatabase;

on_both_engines!(
    empty:
    migrating_again_changes_nothing,
    concurrent_starts_all_succeed,
    a_database_of_a_newer_version_is_rejected_with_advice,
    a_database_with_other_migrations_is_rejected,
    an_open_store_is_healthy,
);

async fn migrating_again_changes_nothing(database: &TestDatabase) {
    let store = database.store().await;
    let order = placed(&store, |_| ()).await;
    store.close().await;
    let applied = database.raw().await.count("_sqlx_migrations").await;
    let store = database.store().await;
    assert_eq!(store.order(&order.id).await.unwrap(), Some(order));
    assert_eq!(database.raw().await.count("_sqlx_migrations").await, applied);
}

async fn concurrent_starts_all_succeed(database: &TestDatabase) {
    let mut starts = JoinSet::new();
    for _ in 0..8 {
        let location = database.location.clone();
        starts.spawn(async move { Store::open(&location).await.unwrap() });
    }
    let order = order();
    for (turn, store) in starts.join_all().await.into_iter().enumerate() {
        if turn == 0 {
            put(&store, &order).await.unwrap();
        }
        assert_eq!(store.order(&order.id).await.unwrap().as_ref(), Some(&order));
    }
}

async fn a_database_of_a_newer_version_is_rejected_with_advice(database: &TestDatabase) {
    database.store().await.close().await;
    database
        .raw()
        .await
        .run(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES (9999, 'from the future', TRUE, '', 0)",
        )
        .await;
    let error = Store::open(&database.location).await.unwrap_err();
    assert!(matches!(error, OpenError::Newer { found: 9999, .. }), "{error:?}");
    assert!(error.to_string().contains("run the newer version"), "{error}");
}

async fn a_database_with_other_migrations_is_rejected(database: &TestDatabase) {
    database.store().await.close().await;
    database.raw().await.run("UPDATE _sqlx_migrations SET checksum = ''").await;
    let error = Store::open(&database.location).await.unwrap_err();
    assert!(matches!(error, OpenError::Foreign(1)), "{error:?}");
}

async fn an_open_store_is_healthy(database: &TestDatabase) {
    let store = database.store().await;
    store.check().await.unwrap();
    store.close().await;
    assert!(store.check().await.unwrap_err().is_retryable());
}
