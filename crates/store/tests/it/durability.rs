use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use causeway_domain::OrderId;
use causeway_domain::ports::{
    InventoryStore, OrderStore, Outbox, OutboxPut, ReservationKind, ReservationLimit, Reserved,
};
use causeway_store::{Location, Store};
use tokio::task::JoinSet;

use crate::outbox::{attempt, outgoing};
use crate::reservations::{of, units};
use crate::sample::{now, placed};
use crate::test_database::TestDatabase;

on_both_engines!(acknowledged_writes_survive_a_kill_at_any_time);

const LOCATION: &str = "CAUSEWAY_TEST_CHILD_LOCATION";
const PREFIX: &str = "acknowledged ";

/// What the killed process has acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Written {
    Order(OrderId),
    /// A transaction with two attempts, and an order's reservation of one unit.
    Nonce(u64),
}

impl Written {
    fn read(text: &str) -> Self {
        text.parse().map_or_else(|_| Self::Nonce(text.parse().unwrap()), Self::Order)
    }
}

/// Kills: few in a normal run, as many as `CAUSEWAY_SOAK` says in a long one.
fn kills() -> u64 {
    std::env::var("CAUSEWAY_SOAK").map_or(6, |count| count.parse().unwrap())
}

/// Deterministic delays.
fn delay(turn: u64) -> Duration {
    let mixed = (turn + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Duration::from_micros((mixed ^ (mixed >> 29)) % 150_000)
}

async fn acknowledged_writes_survive_a_kill_at_any_time(database: &TestDatabase) {
    database.store().await.close().await;
    let mut acknowledged = HashSet::new();
    for turn in 0..kills() {
        let place = database.place.clone();
        let acknowledged_now =
            tokio::task::spawn_blocking(move || write_until_killed(&place, delay(turn))).await.unwrap();
        find_all(database, &acknowledged_now).await;
        acknowledged.extend(acknowledged_now);
    }
    // Recovery from a crash must not lose what survived an earlier one.
    find_all(database, &acknowledged).await;
    let (nonces, orders): (Vec<_>, Vec<_>) =
        acknowledged.iter().partition(|written| matches!(written, Written::Nonce(_)));
    assert!(orders.len() as u64 > kills(), "the child hardly wrote");
    assert!(nonces.len() as u64 >= kills(), "the child hardly sent");
    println!("{} orders and {} transactions survived {} kills", orders.len(), nonces.len(), kills());
}

async fn find_all(database: &TestDatabase, all: impl IntoIterator<Item = &Written>) {
    let store = database.store().await;
    let sent = outgoing(0, "");
    let open = store.open(sent.chain, sent.signer).await.unwrap();
    for written in all {
        match written {
            Written::Order(id) => {
                store.order(id).await.unwrap().expect("an acknowledged order is lost");
                assert_eq!(store.order_events(id).await.unwrap().len(), 1);
            }
            Written::Nonce(nonce) => {
                let found = open.binary_search_by_key(nonce, |sent| sent.nonce);
                let found = &open[found.expect("an acknowledged transaction is lost")];
                assert_eq!((found.purpose.as_str(), found.attempts.len()), (nonce.to_string().as_str(), 2));
                let held = of(ReservationKind::Order, &nonce.to_string(), 1);
                let nothing_more = ReservationLimit { total: units(0), builds: units(0) };
                let answer = store.reserve(&held, nothing_more, now()).await.unwrap();
                assert_eq!(answer, Reserved::Existing, "an acknowledged reservation is lost");
            }
        }
    }
    store.close().await;
}

/// What a process acknowledged until it was killed, some time after its first transaction.
fn write_until_killed(place: &str, after: Duration) -> Vec<Written> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "durability::child", "--ignored", "--nocapture"])
        .env(LOCATION, place)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acknowledged = Vec::new();
    let mut killer = None;
    while let Some(Ok(line)) = lines.next() {
        let Some(text) = line.split(PREFIX).nth(1) else { continue };
        acknowledged.push(Written::read(text));
        if killer.is_none() && matches!(acknowledged.last(), Some(Written::Nonce(_))) {
            let pid = child.id();
            killer = Some(thread::spawn(move || {
                thread::sleep(after);
                assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
            }));
        }
    }
    killer.expect("the child sent nothing").join().unwrap();
    assert!(!child.wait().unwrap().success());
    acknowledged
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the process that is killed"]
async fn child() {
    let Ok(place) = std::env::var(LOCATION) else { return };
    let location = match place.parse() {
        Ok(url) => Location::Postgres(url),
        Err(_) => Location::Sqlite(place.into()),
    };
    let store = Arc::new(Store::open(&location).await.unwrap());
    let sent = outgoing(0, "");
    let highest = store.highest_nonce(sent.chain, sent.signer).await.unwrap();
    let nonces = Arc::new(AtomicU64::new(highest.map_or(0, |nonce| nonce + 1)));
    let mut writers = JoinSet::new();
    for _ in 0..24 {
        let store = Arc::clone(&store);
        writers.spawn(async move {
            loop {
                let order = placed(&store, |_| ()).await;
                acknowledge(order.id.as_str());
            }
        });
    }
    for _ in 0..4 {
        let (store, nonces) = (Arc::clone(&store), Arc::clone(&nonces));
        writers.spawn(async move {
            loop {
                let nonce = nonces.fetch_add(1, Ordering::Relaxed);
                let purpose = nonce.to_string();
                let held = of(ReservationKind::Order, &purpose, 1);
                let limit = ReservationLimit { total: units(u64::MAX), builds: units(0) };
                // The one killed before may have come as far as this with the same nonce.
                let reserved = store.reserve(&held, limit, now()).await.unwrap();
                assert!(matches!(reserved, Reserved::Written | Reserved::Existing), "{reserved:?}");
                let sent = outgoing(nonce, &purpose);
                assert_eq!(store.put(&sent).await.unwrap(), OutboxPut::Written);
                store.add_attempt(sent.chain, sent.signer, nonce, &attempt("dearer")).await.unwrap();
                acknowledge(&purpose);
            }
        });
    }
    writers.join_all().await;
}

/// One write call a line, so that a line is either there or not.
fn acknowledge(text: &str) {
    std::io::stdout().write_all(format!("{PREFIX}{text}\n").as_bytes()).unwrap();
}
