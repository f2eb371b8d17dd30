use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::OrderStore;
use causeway_domain::{OrderId, RowKey};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// How often events written by other processes are polled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The shortest time between two reads: a busy service commits hundreds of times a second.
const MIN_INTERVAL: Duration = Duration::from_millis(10);
/// How far back a poll reads: keys are generated before they are committed.
const LOOK_BACK: SignedDuration = SignedDuration::from_secs(10);
/// How many events one query reads.
const PAGE_SIZE: u32 = 1_000;

type Subscribers = HashMap<OrderId, watch::Sender<()>>;

/// Wakes subscribers of an order when any process writes an event for it. The events themselves are read from the store.
pub struct WatchOrders {
    orders: Arc<dyn OrderStore>,
    subscribers: Mutex<Subscribers>,
    subscribed: Notify,
}

impl fmt::Debug for WatchOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchOrders").finish_non_exhaustive()
    }
}

/// A subscription to an order's events; ends when dropped.
#[derive(Debug)]
pub struct OrderSubscription {
    order: OrderId,
    changes: watch::Receiver<()>,
    registry: Arc<WatchOrders>,
}

impl OrderSubscription {
    /// Waits for an event since the last call, or since the subscription began. May wake spuriously.
    pub async fn changed(&mut self) {
        // The sender lives as long as any subscription.
        let _ = self.changes.changed().await;
    }
}

impl Drop for OrderSubscription {
    fn drop(&mut self) {
        let mut subscribers = self.registry.subscribers.lock();
        // The count still includes this subscription.
        if subscribers.get(&self.order).is_some_and(|sender| sender.receiver_count() <= 1) {
            subscribers.remove(&self.order);
        }
    }
}

impl WatchOrders {
    pub fn new(orders: Arc<dyn OrderStore>) -> Self {
        Self { orders, subscribers: Mutex::default(), subscribed: Notify::new() }
    }

    /// Subscribes to an order. The caller reads earlier events itself, after this call.
    pub fn watch(self: &Arc<Self>, order: &OrderId) -> OrderSubscription {
        let changes = self.subscribers.lock().entry(order.clone()).or_default().subscribe();
        self.subscribed.notify_one();
        OrderSubscription { order: order.clone(), changes, registry: Arc::clone(self) }
    }

    /// How many orders are watched.
    pub fn watched(&self) -> usize {
        self.subscribers.lock().len()
    }

    /// Reads new events until `stop`; idle while there are no subscribers.
    pub async fn run(&self, stop: CancellationToken) {
        let mut tail = Tail { newest: RowKey::floor_at(Timestamp::now()), notified: HashSet::new() };
        let mut last_poll = Instant::now();
        loop {
            let iteration = async {
                while self.subscribers.lock().is_empty() {
                    self.subscribed.notified().await;
                    // A new subscriber reads older events itself.
                    tail.newest = tail.newest.max(oldest_uncommitted());
                }
                let seen = self.orders.commits();
                let is_poll_due = last_poll.elapsed() >= POLL_INTERVAL;
                if is_poll_due {
                    last_poll = Instant::now();
                }
                self.read_events(&mut tail, is_poll_due).await;
                sleep(MIN_INTERVAL).await;
                let remaining = POLL_INTERVAL.saturating_sub(last_poll.elapsed());
                // A commit and the timeout both lead to the next read.
                let _ = timeout(remaining, self.orders.wait_for_commit_after(seen)).await;
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = iteration => {}
            }
        }
    }

    async fn read_events(&self, tail: &mut Tail, look_back: bool) {
        let oldest = oldest_uncommitted();
        let mut after = if look_back { oldest.min(tail.newest) } else { tail.newest };
        loop {
            let events = match self.orders.events_after(after, PAGE_SIZE).await {
                Ok(events) => events,
                Err(error) => {
                    tracing::warn!(%error, "reading order events failed");
                    return;
                }
            };
            let full = u32::try_from(events.len()).is_ok_and(|read| read >= PAGE_SIZE);
            for (key, order) in events {
                after = key;
                tail.newest = tail.newest.max(key);
                if tail.notified.insert(key) {
                    self.notify(&order);
                }
            }
            if !full {
                break;
            }
        }
        if look_back {
            tail.notified.retain(|key| *key > oldest);
        }
    }

    fn notify(&self, order: &OrderId) {
        if let Some(sender) = self.subscribers.lock().get(order) {
            sender.send_replace(());
        }
    }
}

/// How far the event log was read.
struct Tail {
    newest: RowKey,
    /// Recent events whose subscribers were notified.
    notified: HashSet<RowKey>,
}

/// The key after which uncommitted events may still appear.
fn oldest_uncommitted() -> RowKey {
    RowKey::floor_at(Timestamp::now().checked_sub(LOOK_BACK).unwrap_or(Timestamp::UNIX_EPOCH))
}

#[cfg(test)]
mod tests;
