use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use causeway_domain::ports::StoreError;

use super::*;

/// Lines as a store would have them; the test decides when they are there and whether the process hears of the commit.
#[derive(Default)]
struct Lines {
    written: Mutex<Vec<(RowKey, OrderId)>>,
    commits: AtomicU64,
    reads: AtomicU64,
    committed: Notify,
}

#[async_trait]
impl EventLog for Lines {
    async fn lines_after(&self, after: RowKey, limit: u32) -> Result<Vec<(RowKey, OrderId)>, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let mut lines: Vec<_> =
            self.written.lock().unwrap().iter().filter(|(key, _)| *key > after).cloned().collect();
        lines.sort_by_key(|(key, _)| *key);
        lines.truncate(limit as usize);
        Ok(lines)
    }

    fn commits(&self) -> u64 {
        self.commits.load(Ordering::SeqCst)
    }

    async fn committed_since(&self, seen: u64) {
        while self.commits() == seen {
            self.committed.notified().await;
        }
    }
}

impl Lines {
    fn write(&self, offset: i64, order: &OrderId, heard: bool) {
        let key = RowKey::new(RowKey::floor_at(Timestamp::now()).get() + offset).unwrap();
        self.written.lock().unwrap().push((key, order.clone()));
        if heard {
            self.commits.fetch_add(1, Ordering::SeqCst);
            self.committed.notify_waiters();
        }
    }
}

fn running() -> (Arc<Lines>, Arc<WatchOrders>, tokio_util::sync::DropGuard) {
    let lines = Arc::new(Lines::default());
    let watch = Arc::new(WatchOrders::new(lines.clone()));
    let stop = CancellationToken::new();
    let (run, until) = (Arc::clone(&watch), stop.clone());
    tokio::spawn(async move { run.run(until).await });
    (lines, watch, stop.drop_guard())
}

fn order() -> OrderId {
    OrderId::random().unwrap()
}

async fn hears(interest: &mut OrderInterest) -> bool {
    timeout(Duration::from_secs(3), interest.changed()).await.is_ok()
}

#[tokio::test]
async fn everybody_who_watches_an_order_hears_of_its_line_and_nobody_else() {
    let (lines, watch, _stop) = running();
    let (one, other) = (order(), order());
    let (mut first, mut second, mut third) = (watch.watch(&one), watch.watch(&one), watch.watch(&other));
    lines.write(0, &one, true);
    assert!(hears(&mut first).await && hears(&mut second).await);
    assert!(!hears(&mut third).await);
}

#[tokio::test]
async fn what_another_process_wrote_is_heard_of_too() {
    let (lines, watch, _stop) = running();
    let one = order();
    let mut interest = watch.watch(&one);
    lines.write(0, &one, false);
    assert!(hears(&mut interest).await);
}

#[tokio::test]
async fn a_line_that_appears_behind_a_newer_one_is_not_missed() {
    let (lines, watch, _stop) = running();
    let (one, other) = (order(), order());
    let (mut newer, mut older) = (watch.watch(&other), watch.watch(&one));
    lines.write(5_000, &other, true);
    assert!(hears(&mut newer).await);
    lines.write(-5_000, &one, true);
    assert!(hears(&mut older).await);
}

#[tokio::test]
async fn nothing_is_read_while_nobody_watches() {
    let (lines, watch, _stop) = running();
    drop(watch.watch(&order()));
    assert_eq!(watch.watched(), 0);
    sleep(OTHERS_EVERY * 2).await;
    let reads = lines.reads.load(Ordering::SeqCst);
    sleep(OTHERS_EVERY * 2).await;
    assert_eq!(lines.reads.load(Ordering::SeqCst), reads);
}
