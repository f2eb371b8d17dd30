use causeway_domain::ports::{Health, QuoteStore};
use causeway_store::{OpenError, Store};
use tokio::task::JoinSet;

use crate::fresh::Fresh;
use crate::sample::quote;

on_both_engines!(
    migrating_again_changes_nothing,
    processes_that_start_together_all_start,
    a_database_of_a_newer_version_is_refused_with_words,
    a_database_with_another_history_is_refused,
    an_open_store_is_healthy,
);

async fn migrating_again_changes_nothing(fresh: &Fresh) {
    let quote = quote(&["a"]);
    let store = fresh.store().await;
    store.put_quote(&quote).await.unwrap();
    store.close().await;
    let applied = fresh.raw().await.count("_sqlx_migrations").await;
    let store = fresh.store().await;
    assert_eq!(store.quote(&quote.id).await.unwrap(), Some(quote));
    assert_eq!(fresh.raw().await.count("_sqlx_migrations").await, applied);
}

async fn processes_that_start_together_all_start(fresh: &Fresh) {
    let mut starts = JoinSet::new();
    for _ in 0..8 {
        let location = fresh.location.clone();
        starts.spawn(async move { Store::open(&location).await.unwrap() });
    }
    let quote = quote(&["a"]);
    for (turn, store) in starts.join_all().await.into_iter().enumerate() {
        if turn == 0 {
            store.put_quote(&quote).await.unwrap();
        }
        assert_eq!(store.quote(&quote.id).await.unwrap().as_ref(), Some(&quote));
    }
}

async fn a_database_of_a_newer_version_is_refused_with_words(fresh: &Fresh) {
    fresh.store().await.close().await;
    fresh
        .raw()
        .await
        .run(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES (9999, 'from the future', TRUE, '', 0)",
        )
        .await;
    let error = Store::open(&fresh.location).await.unwrap_err();
    assert!(matches!(error, OpenError::Newer { found: 9999, .. }), "{error:?}");
    assert!(error.to_string().contains("run the newer version"), "{error}");
}

async fn a_database_with_another_history_is_refused(fresh: &Fresh) {
    fresh.store().await.close().await;
    fresh.raw().await.run("UPDATE _sqlx_migrations SET checksum = ''").await;
    let error = Store::open(&fresh.location).await.unwrap_err();
    assert!(matches!(error, OpenError::Foreign(1)), "{error:?}");
}

async fn an_open_store_is_healthy(fresh: &Fresh) {
    let store = fresh.store().await;
    store.check().await.unwrap();
    store.close().await;
    assert!(store.check().await.unwrap_err().is_retryable());
}
