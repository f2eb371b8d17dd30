use std::collections::HashSet;
use std::time::Duration;

use causeway_domain::ports::StoreError;
use causeway_domain::{OrderId, RowKey};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::DeliverParts;

/// How far behind the newest key a line may still appear: keys are made before they are committed, and a writer waits its turn.
const LOOK_BACK: SignedDuration = SignedDuration::from_secs(60);
/// How often it is looked that far back.
const BACK_EVERY: Duration = Duration::from_secs(5);
/// How many lines one look reads.
const LINES: u32 = 500;

/// Reads new lines of all stories and puts them on their way.
pub(super) struct Reader {
    /// Up to where lines were read; nothing until the store was asked.
    newest: Option<RowKey>,
    /// Those among the newest that were put on their way.
    done: HashSet<RowKey>,
    looked_back: Option<Instant>,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self { newest: None, done: HashSet::new(), looked_back: None }
    }

    /// Forgets what was read: somebody new may want it.
    pub(super) fn start_over(&mut self) {
        *self = Self::new();
    }

    /// How many deliveries there are now that were not before.
    pub(super) async fn read(&mut self, parts: &DeliverParts) -> u64 {
        match self.try_read(parts).await {
            Ok(added) => added,
            Err(error) => {
                // Nothing is lost: the next look begins where the store says.
                tracing::warn!(%error, "events cannot be put on their way to webhooks now");
                self.start_over();
                0
            }
        }
    }

    async fn try_read(&mut self, parts: &DeliverParts) -> Result<u64, StoreError> {
        let back = self.looked_back.is_none_or(|at| at.elapsed() >= BACK_EVERY);
        let mut after = match self.newest {
            Some(newest) if !back => newest,
            _ => {
                let Some(cursor) = parts.store.webhook_cursor().await? else { return Ok(0) };
                self.looked_back = Some(Instant::now());
                back_from(self.newest.map_or(cursor, |newest| newest.min(cursor)))
            }
        };
        let floor = after;
        let mut added: u64 = 0;
        loop {
            let lines = parts.log.lines_after(after, LINES).await?;
            let full = u32::try_from(lines.len()).is_ok_and(|read| read >= LINES);
            let Some((last, _)) = lines.last() else { break };
            let read = (floor, *last);
            // Our own lines must not appear further back than others look.
            parts.row_keys.observe(*last);
            let fresh = self.fresh_of(&lines);
            if !fresh.is_empty() {
                let now = Timestamp::now();
                added = added.saturating_add(parts.store.enqueue_deliveries(&fresh, read, now).await?);
            }
            self.done.extend(lines.iter().map(|(key, _)| *key));
            after = read.1;
            if !full {
                break;
            }
        }
        self.newest = Some(self.newest.map_or(after, |newest| newest.max(after)));
        if back {
            self.done.retain(|key| *key > floor);
        }
        Ok(added)
    }

    fn fresh_of(&self, lines: &[(RowKey, OrderId)]) -> Vec<OrderId> {
        let mut seen = HashSet::new();
        let fresh = lines.iter().filter(|(key, order)| !self.done.contains(key) && seen.insert(order));
        fresh.map(|(_, order)| order.clone()).collect()
    }
}

/// The key that lies so far behind this one in time.
fn back_from(key: RowKey) -> RowKey {
    let now = Timestamp::now();
    let then = now.checked_sub(LOOK_BACK).unwrap_or(now);
    let span = RowKey::floor_at(now).get() - RowKey::floor_at(then).get();
    RowKey::new(key.get().saturating_sub(span).max(0)).unwrap_or(key)
}
