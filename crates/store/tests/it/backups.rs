use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use causeway_domain::OrderId;
use causeway_domain::ports::OrderStore;
use causeway_store::{BackupError, Location, Store, backup};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::sample::placed;
use crate::test_database::{Schema, TestDatabase};

fn path(database: &TestDatabase) -> &std::path::Path {
    let Location::Sqlite(path) = &database.location else { unreachable!("a SQLite test database is a file") };
    path
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_busy_store_holds_every_acknowledged_write_and_can_be_restored() {
    let database = TestDatabase::sqlite(Schema::None).await;
    let store = Arc::new(database.store().await);
    let acknowledged: Arc<Mutex<Vec<OrderId>>> = Arc::default();
    let stop = Arc::new(AtomicBool::new(false));
    let mut writers = JoinSet::new();
    for _ in 0..16 {
        let (store, acknowledged, stop) = (Arc::clone(&store), Arc::clone(&acknowledged), Arc::clone(&stop));
        writers.spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let order = placed(&store, |_| ()).await;
                acknowledged.lock().await.push(order.id);
            }
        });
    }
    let mut copies = Vec::new();
    for turn in 0..4 {
        let expected = loop {
            let expected = acknowledged.lock().await.clone();
            if expected.len() > 40 * (turn + 1) {
                break expected;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        let copy = database.sibling(&format!("copy-{turn}.db"));
        // The command of another process, and the store's own.
        let size =
            if turn % 2 == 0 { backup(path(&database), &copy).await } else { store.backup(&copy).await }
                .unwrap();
        assert_eq!(std::fs::metadata(&copy).unwrap().len(), size);
        copies.push((copy, expected));
    }
    stop.store(true, Ordering::Relaxed);
    writers.join_all().await;
    store.close().await;

    for (copy, _) in &copies {
        let mut raw = SqliteConnectOptions::new().filename(copy).read_only(true).connect().await.unwrap();
        let check: String = sqlx::query_scalar("PRAGMA quick_check").fetch_one(&mut raw).await.unwrap();
        assert_eq!(check, "ok");
        raw.close().await.unwrap();
    }

    // As the manual says: with the service stopped, the copy takes the place of the file and its log.
    let (copy, expected) = copies.first().unwrap();
    for leftover in ["db-wal", "db-shm"] {
        let _ = std::fs::remove_file(path(&database).with_extension(leftover));
    }
    std::fs::copy(copy, path(&database)).unwrap();
    let restored = database.store().await;
    for id in expected {
        assert_eq!(restored.order_events(id).await.unwrap().len(), 1);
    }
    let later = placed(&restored, |_| ()).await;
    assert_eq!(restored.order(&later.id).await.unwrap(), Some(later));
}

#[tokio::test]
async fn a_backup_never_overwrites_and_a_failed_one_leaves_no_files() {
    let database = TestDatabase::sqlite(Schema::None).await;
    let store = database.store().await;
    let taken = database.sibling("taken.db");
    std::fs::write(&taken, "precious").unwrap();
    assert!(matches!(store.backup(&taken).await, Err(BackupError::Exists(_))));
    assert_eq!(std::fs::read(&taken).unwrap(), b"precious");

    let missing = database.sibling("missing.db");
    assert!(matches!(backup(&missing, &database.sibling("copy.db")).await, Err(BackupError::Missing(_))));
    assert!(!missing.exists());
    let nowhere = database.sibling("no such folder/copy.db");
    assert!(matches!(store.backup(&nowhere).await, Err(BackupError::Write { .. })));
    let letter = database.sibling("letter.txt");
    std::fs::write(&letter, "Dear reader, ".repeat(500)).unwrap();
    assert!(matches!(backup(&letter, &database.sibling("copy.db")).await, Err(BackupError::Copy(_))));

    let mut names: Vec<_> = std::fs::read_dir(taken.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["data", "letter.txt", "taken.db"]);
}

#[tokio::test]
async fn a_backup_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let database = TestDatabase::sqlite(Schema::None).await;
    let copy = database.sibling("copy.db");
    database.store().await.backup(&copy).await.unwrap();
    assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn backing_up_postgres_points_to_pg_dump() {
    let Some(database) = TestDatabase::postgres(Schema::None).await else { return };
    let store: Store = database.store().await;
    let error = store.backup(&database.sibling("copy.db")).await.unwrap_err();
    assert!(error.to_string().contains("pg_dump"), "{error}");
    store.close().await;
    database.remove().await;
}
