use std::collections::HashSet;
use std::time::Duration;

use causeway_domain::RowKey;
use causeway_domain::ports::{StoreError, Subject, SubjectKind};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::DeliverParts;

/// How far behind the newest key an event may still appear: keys are generated before they are committed.
const LOOK_BACK: SignedDuration = SignedDuration::from_secs(60);
/// How often events are read again from that far back.
const LOOK_BACK_INTERVAL: Duration = Duration::from_secs(5);
/// How many events one query reads.
const PAGE_SIZE: u32 = 500;

/// Reads new events of all orders, or of all purchases, and enqueues their deliveries.
pub(super) struct EventReader {
    kind: SubjectKind,
    /// The last event that was read; `None` before the first read.
    newest: Option<RowKey>,
    /// Recent events that were enqueued.
    enqueued: HashSet<RowKey>,
    looked_back: Option<Instant>,
}

impl EventReader {
    pub(super) fn new(kind: SubjectKind) -> Self {
        Self { kind, newest: None, enqueued: HashSet::new(), looked_back: None }
    }

    /// Starts over, because a new endpoint may need earlier events.
    pub(super) fn start_over(&mut self) {
        *self = Self::new(self.kind);
    }

    /// Enqueues new deliveries and returns how many.
    pub(super) async fn read(&mut self, parts: &DeliverParts) -> u64 {
        match self.try_read(parts).await {
            Ok(added) => added,
            Err(error) => {
                // Nothing is lost: the next read starts at the stored cursor.
                tracing::warn!(%error, "enqueueing webhook deliveries failed");
                self.start_over();
                0
            }
        }
    }

    async fn try_read(&mut self, parts: &DeliverParts) -> Result<u64, StoreError> {
        let back = self.looked_back.is_none_or(|at| at.elapsed() >= LOOK_BACK_INTERVAL);
        let mut after = match self.newest {
            Some(newest) if !back => newest,
            _ => {
                let Some(cursor) = parts.store.webhook_cursor(self.kind).await? else { return Ok(0) };
                self.looked_back = Some(Instant::now());
                back_from(self.newest.map_or(cursor, |newest| newest.min(cursor)))
            }
        };
        let floor = after;
        let mut added: u64 = 0;
        loop {
            let events = self.events_after(parts, after).await?;
            let full = u32::try_from(events.len()).is_ok_and(|read| read >= PAGE_SIZE);
            let Some((last, _)) = events.last() else { break };
            let read = (floor, *last);
            // Our own events must not appear further back than other replicas read.
            parts.row_keys.observe(*last);
            let new = self.with_new_events(&events);
            if !new.is_empty() {
                added = added.saturating_add(enqueue(parts, &new, read).await?);
            }
            self.enqueued.extend(events.iter().map(|(key, _)| *key));
            after = read.1;
            if !full {
                break;
            }
        }
        self.newest = Some(self.newest.map_or(after, |newest| newest.max(after)));
        if back {
            self.enqueued.retain(|key| *key > floor);
        }
        Ok(added)
    }

    async fn events_after(
        &self,
        parts: &DeliverParts,
        after: RowKey,
    ) -> Result<Vec<(RowKey, Subject)>, StoreError> {
        Ok(match self.kind {
            SubjectKind::Order => {
                let events = parts.orders.events_after(after, PAGE_SIZE).await?;
                events.into_iter().map(|(key, order)| (key, Subject::Order(order))).collect()
            }
            SubjectKind::Purchase => {
                let events = parts.store.purchase_events_after(after, PAGE_SIZE).await?;
                events.into_iter().map(|(key, purchase)| (key, Subject::Purchase(purchase))).collect()
            }
        })
    }

    fn with_new_events(&self, events: &[(RowKey, Subject)]) -> Vec<Subject> {
        let mut seen = HashSet::new();
        let new = events.iter().filter(|(key, subject)| !self.enqueued.contains(key) && seen.insert(subject));
        new.map(|(_, subject)| subject.clone()).collect()
    }
}

/// Enqueues the events of subjects of one kind.
async fn enqueue(
    parts: &DeliverParts,
    subjects: &[Subject],
    read: (RowKey, RowKey),
) -> Result<u64, StoreError> {
    let (mut orders, mut purchases) = (Vec::new(), Vec::new());
    for subject in subjects {
        match subject {
            Subject::Order(order) => orders.push(order.clone()),
            Subject::Purchase(purchase) => purchases.push(purchase.clone()),
        }
    }
    let now = Timestamp::now();
    if purchases.is_empty() {
        parts.store.enqueue_deliveries(&orders, read, now).await
    } else {
        parts.store.enqueue_purchase_deliveries(&purchases, read, now).await
    }
}

/// The key that is `LOOK_BACK` older than this one.
fn back_from(key: RowKey) -> RowKey {
    let now = Timestamp::now();
    let then = now.checked_sub(LOOK_BACK).unwrap_or(now);
    let span = RowKey::floor_at(now).get() - RowKey::floor_at(then).get();
    RowKey::new(key.get().saturating_sub(span).max(0)).unwrap_or(key)
}
