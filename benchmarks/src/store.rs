//! Entries of the audit log written by 256 concurrent writers, with commits shared and without.

use std::sync::Arc;
use std::time::{Duration, Instant};

use causeway_domain::RowKeys;
use causeway_domain::ports::{AuditEvent, OperatorStore as _};
use causeway_store::{Location, Options, Store};
use jiff::Timestamp;

const WRITERS: usize = 256;
const TIME: Duration = Duration::from_secs(4);

pub(crate) async fn measure_all() {
    println!("| store | writes/s | commits/s | writes per commit | ratio |\n|---|---|---|---|---|");
    let folder = tempfile::tempdir().expect("a folder");
    let sqlite = |name: &str| Location::Sqlite(folder.path().join(name));
    compare("SQLite", &sqlite("one.db"), &sqlite("two.db")).await;
    if let Ok(url) = std::env::var("CAUSEWAY_TEST_POSTGRES") {
        let postgres = Location::Postgres(url.parse().expect("an address"));
        compare("PostgreSQL", &postgres, &postgres).await;
    }
}

async fn compare(name: &str, alone: &Location, shared: &Location) {
    let one = Options { max_batch: 1, ..Options::default() };
    let alone = run(&format!("{name}, one write per commit"), alone, &one, None).await;
    run(&format!("{name}, shared commits"), shared, &Options::default(), Some(alone)).await;
}

async fn run(name: &str, location: &Location, options: &Options, baseline: Option<f64>) -> f64 {
    let store = Arc::new(Store::open_with(location, options).await.expect("the store opens"));
    let keys = Arc::new(RowKeys::new(0));
    let start = Instant::now();
    let tasks: Vec<_> = (0..WRITERS)
        .map(|_| {
            let (store, keys) = (Arc::clone(&store), Arc::clone(&keys));
            tokio::spawn(async move {
                while start.elapsed() < TIME {
                    store.record_audit(&event(&keys)).await.expect("the entry is written");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("the writer ends");
    }
    let seconds = start.elapsed().as_secs_f64();
    let (writes, commits) = (store.writes() as f64, store.commits() as f64);
    let ratio = baseline.map_or("1.0".to_owned(), |baseline| format!("{:.1}", writes / seconds / baseline));
    println!(
        "| {name} | {:.0} | {:.0} | {:.1} | {ratio} |",
        writes / seconds,
        commits / seconds,
        writes / commits
    );
    store.close().await;
    writes / seconds
}

fn event(keys: &RowKeys) -> AuditEvent {
    let at = Timestamp::now();
    let text = |length: usize| "x".repeat(length);
    AuditEvent { key: keys.next(at), kind: "benchmark".to_owned(), subject: text(42), detail: text(400), at }
}
