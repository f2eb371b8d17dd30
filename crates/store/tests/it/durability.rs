use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use causeway_domain::QuoteId;
use causeway_domain::ports::QuoteStore;
use causeway_store::{Location, Store};
use tokio::task::JoinSet;

use crate::fresh::Fresh;
use crate::sample::quote;

on_both_engines!(what_was_acknowledged_survives_a_kill_at_any_moment);

const PLACE: &str = "CAUSEWAY_TEST_CHILD_PLACE";
const MARK: &str = "acknowledged ";

/// Kills: few in a normal run, as many as `CAUSEWAY_SOAK` says in a long one.
fn kills() -> u64 {
    std::env::var("CAUSEWAY_SOAK").map_or(6, |count| count.parse().unwrap())
}

/// The same moments in every run.
fn moment(turn: u64) -> Duration {
    let mixed = (turn + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Duration::from_micros((mixed ^ (mixed >> 29)) % 150_000)
}

async fn what_was_acknowledged_survives_a_kill_at_any_moment(fresh: &Fresh) {
    fresh.store().await.close().await;
    let mut acknowledged = HashSet::new();
    for turn in 0..kills() {
        let place = fresh.place.clone();
        let heard =
            tokio::task::spawn_blocking(move || write_until_killed(&place, moment(turn))).await.unwrap();
        find_all(fresh, &heard).await;
        acknowledged.extend(heard);
    }
    // What one crash left whole, the recovery from the next must leave whole too.
    find_all(fresh, &acknowledged).await;
    assert!(acknowledged.len() as u64 > kills(), "the child hardly wrote");
    println!("{} quotes survived {} kills", acknowledged.len(), kills());
}

async fn find_all(fresh: &Fresh, ids: impl IntoIterator<Item = &QuoteId>) {
    let store = fresh.store().await;
    for id in ids {
        assert_eq!(store.quote(id).await.unwrap().expect("an acknowledged quote is lost").routes.len(), 2);
    }
    store.close().await;
}

/// What a process acknowledged from its first write until it was killed.
fn write_until_killed(place: &str, after: Duration) -> Vec<QuoteId> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "durability::child", "--ignored", "--nocapture"])
        .env(PLACE, place)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut heard = Vec::new();
    let mut killer = None;
    while let Some(Ok(line)) = lines.next() {
        let Some(id) = line.split(MARK).nth(1) else { continue };
        heard.push(id.parse().unwrap());
        if killer.is_none() {
            let pid = child.id();
            killer = Some(thread::spawn(move || {
                thread::sleep(after);
                assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
            }));
        }
    }
    killer.expect("the child wrote nothing").join().unwrap();
    assert!(!child.wait().unwrap().success());
    heard
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the process that is killed"]
async fn child() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let location = match place.parse() {
        Ok(url) => Location::Postgres(url),
        Err(_) => Location::Sqlite(place.into()),
    };
    let store = Arc::new(Store::open(&location).await.unwrap());
    let mut writers = JoinSet::new();
    for _ in 0..24 {
        let store = Arc::clone(&store);
        writers.spawn(async move {
            loop {
                let quote = quote(&["a", "b"]);
                store.put_quote(&quote).await.unwrap();
                // One write call a line, so that a line is either there or not.
                std::io::stdout().write_all(format!("{MARK}{}\n", quote.id).as_bytes()).unwrap();
            }
        });
    }
    writers.join_all().await;
}
