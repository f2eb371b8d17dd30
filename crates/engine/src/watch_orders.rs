use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use causeway_domain::ports::EventLog;
use causeway_domain::{OrderId, RowKey};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// What others write, in processes that this one cannot hear, is looked for this often.
const OTHERS_EVERY: Duration = Duration::from_millis(500);
/// The shortest time between two looks: a busy service commits hundreds of times a second.
const SHORTEST: Duration = Duration::from_millis(10);
/// How far back a look for others' lines goes: keys are made before they are committed.
const LOOK_BACK: SignedDuration = SignedDuration::from_secs(10);
/// How many lines one look reads.
const LINES: u32 = 1_000;

type Waiting = HashMap<OrderId, watch::Sender<()>>;

/// Wakes whoever waits for news of an order, whichever process wrote them. What the news are stands in the store.
pub struct WatchOrders {
    log: Arc<dyn EventLog>,
    waiting: Mutex<Waiting>,
    first: Notify,
}

impl fmt::Debug for WatchOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchOrders").finish_non_exhaustive()
    }
}

/// Somebody's interest in an order, until it is dropped.
#[derive(Debug)]
pub struct OrderInterest {
    order: OrderId,
    woken: watch::Receiver<()>,
    among: Arc<WatchOrders>,
}

impl OrderInterest {
    /// Waits for news since the last call, or since the interest began. May wake without any.
    pub async fn changed(&mut self) {
        // The sender stays for as long as anybody is interested.
        let _ = self.woken.changed().await;
    }
}

impl Drop for OrderInterest {
    fn drop(&mut self) {
        let mut waiting = self.among.lock();
        // This one still counts.
        if waiting.get(&self.order).is_some_and(|told| told.receiver_count() <= 1) {
            waiting.remove(&self.order);
        }
    }
}

impl WatchOrders {
    pub fn new(log: Arc<dyn EventLog>) -> Self {
        Self { log, waiting: Mutex::default(), first: Notify::new() }
    }

    /// Begins to watch an order. What was written before is for the caller to read, after this.
    pub fn watch(self: &Arc<Self>, order: &OrderId) -> OrderInterest {
        let woken = self.lock().entry(order.clone()).or_default().subscribe();
        self.first.notify_one();
        OrderInterest { order: order.clone(), woken, among: Arc::clone(self) }
    }

    /// How many orders are watched.
    pub fn watched(&self) -> usize {
        self.lock().len()
    }

    /// Looks for new lines until `stop`; rests while nobody watches anything.
    pub async fn run(&self, stop: CancellationToken) {
        let mut tail = Tail { newest: RowKey::floor_at(Timestamp::now()), told: HashSet::new() };
        let mut looked_back = Instant::now();
        loop {
            let turn = async {
                while self.lock().is_empty() {
                    self.first.notified().await;
                    // What was written while nobody watched is read by whoever begins to.
                    tail.newest = tail.newest.max(look_back());
                }
                let seen = self.log.commits();
                let others = looked_back.elapsed() >= OTHERS_EVERY;
                if others {
                    looked_back = Instant::now();
                }
                self.look(&mut tail, others).await;
                sleep(SHORTEST).await;
                let rest = OTHERS_EVERY.saturating_sub(looked_back.elapsed());
                // Either way it is time for another look.
                let _ = timeout(rest, self.log.committed_since(seen)).await;
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = turn => {}
            }
        }
    }

    async fn look(&self, tail: &mut Tail, back: bool) {
        let far = look_back();
        let mut after = if back { far.min(tail.newest) } else { tail.newest };
        loop {
            let lines = match self.log.lines_after(after, LINES).await {
                Ok(lines) => lines,
                Err(error) => {
                    tracing::warn!(%error, "news of orders cannot be read now");
                    return;
                }
            };
            let full = u32::try_from(lines.len()).is_ok_and(|read| read >= LINES);
            for (key, order) in lines {
                after = key;
                tail.newest = tail.newest.max(key);
                if tail.told.insert(key) {
                    self.tell(&order);
                }
            }
            if !full {
                break;
            }
        }
        if back {
            tail.told.retain(|key| *key > far);
        }
    }

    fn tell(&self, order: &OrderId) {
        if let Some(told) = self.lock().get(order) {
            told.send_replace(());
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far the lines were read.
struct Tail {
    newest: RowKey,
    /// Those among the newest that were told.
    told: HashSet<RowKey>,
}

/// The key from which on lines may still appear.
fn look_back() -> RowKey {
    RowKey::floor_at(Timestamp::now().checked_sub(LOOK_BACK).unwrap_or(Timestamp::UNIX_EPOCH))
}

#[cfg(test)]
mod tests;
