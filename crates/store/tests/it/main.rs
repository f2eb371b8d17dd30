#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

/// Runs each test against a fresh SQLite, and against a fresh PostgreSQL where there is one.
macro_rules! on_both_engines {
    ($($test:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                super::$test(&crate::fresh::Fresh::sqlite()).await;
            })+
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let Some(fresh) = crate::fresh::Fresh::postgres().await else { return };
                super::$test(&fresh).await;
                fresh.remove().await;
            })+
        }
    };
}

mod audit;
mod backups;
mod claims;
mod deposits;
mod durability;
mod event_log;
mod facts;
mod fiat;
mod fiat_sample;
mod forget;
mod fresh;
mod group_commit;
mod losses;
mod operating;
mod orders;
mod outages;
mod outbox;
mod quote_batches;
mod quotes;
mod races;
mod recovery;
mod rents;
mod reservation_model;
mod reservations;
mod retention;
mod sample;
mod schema;
mod transfers;
mod wakes;
mod webhooks;
