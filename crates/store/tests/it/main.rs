#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

/// Runs each test against a SQLite without a row, and against a PostgreSQL without one if a server is configured.
///
/// After `empty:`, the databases have no tables either.
macro_rules! on_both_engines {
    (empty: $($test:ident),+ $(,)?) => {
        on_both_engines!(@ None, $($test),+);
    };
    (@ $schema:ident, $($test:ident),+) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let schema = crate::test_database::Schema::$schema;
                super::$test(&crate::test_database::TestDatabase::sqlite(schema).await).await;
            })+
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let schema = crate::test_database::Schema::$schema;
                let database = crate::test_database::TestDatabase::postgres(schema).await;
                let Some(database) = database else { return };
                super::$test(&database).await;
                database.remove().await;
            })+
        }
    };
    ($($test:ident),+ $(,)?) => {
        on_both_engines!(@ Current, $($test),+);
    };
}

mod audit;
mod backups;
mod batch_order;
mod claim_batches;
mod claims;
mod deposits;
mod due_orders;
mod durability;
mod event_log;
mod facts;
mod fencing;
mod fiat;
mod fiat_sample;
mod forget_chains;
mod group_commit;
mod idempotency;
mod integrators;
mod key_fingerprints;
mod losses;
mod operations;
mod orders;
mod outbox;
mod provider_orders;
mod purchase_webhooks;
mod races;
mod recovery;
mod rents;
mod replicas;
mod request_budgets;
mod reservation_model;
mod reservations;
mod retention;
mod sample;
mod schema;
mod search;
mod test_database;
mod transfers;
mod unavailable;
mod webhooks;
