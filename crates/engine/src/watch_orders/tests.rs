use causeway_testing::MemoryStore;

use super::*;

/// Writes an event as this process does, or as another one whose commit is not announced.
fn write(store: &MemoryStore, offset: i64, order: &OrderId, announced: bool) {
    let key = RowKey::new(RowKey::floor_at(Timestamp::now()).get() + offset).unwrap();
    store.add_event_of_another_process(key, order);
    if announced {
        store.announce_commit();
    }
}

fn running() -> (Arc<MemoryStore>, Arc<WatchOrders>, tokio_util::sync::DropGuard) {
    let store = Arc::new(MemoryStore::default());
    let watch = Arc::new(WatchOrders::new(store.clone()));
    let stop = CancellationToken::new();
    let (run, until) = (Arc::clone(&watch), stop.clone());
    tokio::spawn(async move { run.run(until).await });
    (store, watch, stop.drop_guard())
}

fn order() -> OrderId {
    OrderId::random().unwrap()
}

async fn is_notified(subscription: &mut OrderSubscription) -> bool {
    timeout(Duration::from_secs(3), subscription.changed()).await.is_ok()
}

#[tokio::test]
async fn only_subscribers_of_the_order_are_notified() {
    let (store, watch, _stop) = running();
    let (one, other) = (order(), order());
    let (mut first, mut second, mut third) = (watch.watch(&one), watch.watch(&one), watch.watch(&other));
    write(&store, 0, &one, true);
    assert!(is_notified(&mut first).await && is_notified(&mut second).await);
    assert!(!is_notified(&mut third).await);
}

#[tokio::test]
async fn events_of_other_processes_notify_subscribers() {
    let (store, watch, _stop) = running();
    let one = order();
    let mut subscription = watch.watch(&one);
    write(&store, 0, &one, false);
    assert!(is_notified(&mut subscription).await);
}

#[tokio::test]
async fn event_committed_after_a_newer_key_is_not_missed() {
    let (store, watch, _stop) = running();
    let (one, other) = (order(), order());
    let (mut newer, mut older) = (watch.watch(&other), watch.watch(&one));
    write(&store, 5_000, &other, true);
    assert!(is_notified(&mut newer).await);
    write(&store, -5_000, &one, true);
    assert!(is_notified(&mut older).await);
}

#[tokio::test]
async fn nothing_is_read_without_subscribers() {
    let (store, watch, _stop) = running();
    drop(watch.watch(&order()));
    assert_eq!(watch.watched(), 0);
    sleep(POLL_INTERVAL * 2).await;
    let reads = store.calls("events_after");
    sleep(POLL_INTERVAL * 2).await;
    assert_eq!(store.calls("events_after"), reads);
}
