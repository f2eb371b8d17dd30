use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use causeway_domain::ports::StoreError;

use super::*;

/// An event log in which the test decides when events appear and whether the commit is announced.
#[derive(Default)]
struct FakeEventLog {
    written: Mutex<Vec<(RowKey, OrderId)>>,
    commits: AtomicU64,
    reads: AtomicU64,
    committed: Notify,
}

#[async_trait]
impl EventLog for FakeEventLog {
    async fn events_after(&self, after: RowKey, limit: u32) -> Result<Vec<(RowKey, OrderId)>, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let mut log: Vec<_> = self.written.lock().iter().filter(|(key, _)| *key > after).cloned().collect();
        log.sort_by_key(|(key, _)| *key);
        log.truncate(limit as usize);
        Ok(log)
    }

    fn commits(&self) -> u64 {
        self.commits.load(Ordering::SeqCst)
    }

    async fn wait_for_commit_after(&self, seen: u64) {
        while self.commits() == seen {
            self.committed.notified().await;
        }
    }
}

impl FakeEventLog {
    fn write(&self, offset: i64, order: &OrderId, announced: bool) {
        let key = RowKey::new(RowKey::floor_at(Timestamp::now()).get() + offset).unwrap();
        self.written.lock().push((key, order.clone()));
        if announced {
            self.commits.fetch_add(1, Ordering::SeqCst);
            self.committed.notify_waiters();
        }
    }
}

fn running() -> (Arc<FakeEventLog>, Arc<WatchOrders>, tokio_util::sync::DropGuard) {
    let log = Arc::new(FakeEventLog::default());
    let watch = Arc::new(WatchOrders::new(log.clone()));
    let stop = CancellationToken::new();
    let (run, until) = (Arc::clone(&watch), stop.clone());
    tokio::spawn(async move { run.run(until).await });
    (log, watch, stop.drop_guard())
}

fn order() -> OrderId {
    OrderId::random().unwrap()
}

async fn is_notified(subscription: &mut OrderSubscription) -> bool {
    timeout(Duration::from_secs(3), subscription.changed()).await.is_ok()
}

#[tokio::test]
async fn only_subscribers_of_the_order_are_notified() {
    let (log, watch, _stop) = running();
    let (one, other) = (order(), order());
    let (mut first, mut second, mut third) = (watch.watch(&one), watch.watch(&one), watch.watch(&other));
    log.write(0, &one, true);
    assert!(is_notified(&mut first).await && is_notified(&mut second).await);
    assert!(!is_notified(&mut third).await);
}

#[tokio::test]
async fn events_of_other_processes_notify_subscribers() {
    let (log, watch, _stop) = running();
    let one = order();
    let mut subscription = watch.watch(&one);
    log.write(0, &one, false);
    assert!(is_notified(&mut subscription).await);
}

#[tokio::test]
async fn event_committed_after_a_newer_key_is_not_missed() {
    let (log, watch, _stop) = running();
    let (one, other) = (order(), order());
    let (mut newer, mut older) = (watch.watch(&other), watch.watch(&one));
    log.write(5_000, &other, true);
    assert!(is_notified(&mut newer).await);
    log.write(-5_000, &one, true);
    assert!(is_notified(&mut older).await);
}

#[tokio::test]
async fn nothing_is_read_without_subscribers() {
    let (log, watch, _stop) = running();
    drop(watch.watch(&order()));
    assert_eq!(watch.watched(), 0);
    sleep(POLL_INTERVAL * 2).await;
    let reads = log.reads.load(Ordering::SeqCst);
    sleep(POLL_INTERVAL * 2).await;
    assert_eq!(log.reads.load(Ordering::SeqCst), reads);
}
