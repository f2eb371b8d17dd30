use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{ActionError, OrderStore, StuckKind, StuckReason};
use causeway_domain::{Action, OrderId};
use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The shortest time between two writes for an order whose reason changes at every attempt.
const MIN_WRITE_INTERVAL: Duration = Duration::from_secs(10);

/// The longest reason that is stored, in characters.
const MAX_REASON_CHARS: usize = 600;

/// How many orders are remembered; beyond that, some reasons are written again.
const MAX_REMEMBERED: usize = 10_000;

/// Records what blocks each order, and remembers what was written so that retries write nothing.
pub(super) struct StuckReasonLog {
    orders: Arc<dyn OrderStore>,
    written: Mutex<HashMap<OrderId, (String, Instant)>>,
}

impl fmt::Debug for StuckReasonLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StuckReasonLog").finish_non_exhaustive()
    }
}

impl StuckReasonLog {
    pub(super) fn new(orders: Arc<dyn OrderStore>) -> Self {
        Self { orders, written: Mutex::default() }
    }

    /// Stores what blocked the order in this pass, or that nothing does any more, if that has changed.
    pub(super) async fn record(
        &self,
        order: &OrderId,
        stuck_reason: Option<(&Action, &ActionError)>,
        now: Timestamp,
    ) {
        let stuck_reason = stuck_reason.map(|(action, error)| StuckReason {
            kind: error.into(),
            message: format!("{}: {error}", describe(action)).chars().take(MAX_REASON_CHARS).collect(),
            since: now,
        });
        // A store failure cannot be written to the store.
        let unwritable =
            stuck_reason.as_ref().is_some_and(|stuck_reason| stuck_reason.kind == StuckKind::Store);
        if unwritable || !self.has_changed(order, stuck_reason.as_ref()) {
            return;
        }
        if let Err(error) = self.orders.record_stuck_reason(order, stuck_reason.as_ref()).await {
            tracing::debug!(%order, %error, "recording what blocks an order failed");
        }
    }

    fn has_changed(&self, order: &OrderId, stuck_reason: Option<&StuckReason>) -> bool {
        let mut written = self.written.lock();
        let Some(stuck_reason) = stuck_reason else { return written.remove(order).is_some() };
        let previous = written.get(order);
        if previous
            .is_some_and(|(words, at)| *words == stuck_reason.message || at.elapsed() < MIN_WRITE_INTERVAL)
        {
            return false;
        }
        if written.len() >= MAX_REMEMBERED {
            written.clear();
        }
        written.insert(order.clone(), (stuck_reason.message.clone(), Instant::now()));
        true
    }
}

/// The action in words, for operators.
const fn describe(action: &Action) -> &'static str {
    match action {
        Action::BroadcastDeposit => "broadcasting the signed deposit",
        Action::Sweep => "sweeping the deposit address into the escrow",
        Action::ReturnBalance { .. } => "returning the balance of the deposit address",
        Action::AskFiller => "asking the filler for its decision",
        Action::Fill => "filling",
        Action::Refund(_) => "refunding the deposit",
        Action::Claim => "claiming the deposit for the filler",
        Action::Release => "releasing the filler's reservation",
    }
}

#[cfg(test)]
mod tests {
    use causeway_testing::MemoryStore;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_reason_is_written_when_it_changes_and_at_most_every_ten_seconds() {
        let log = StuckReasonLog::new(Arc::new(MemoryStore::default()));
        let order = OrderId::random().unwrap();
        let has_changed = |message: &str| {
            let (kind, since) = (StuckKind::Waits, Timestamp::UNIX_EPOCH);
            log.has_changed(&order, Some(&StuckReason { kind, message: message.to_owned(), since }))
        };
        assert!(!log.has_changed(&order, None), "nothing blocked it");
        assert!(has_changed("no price") && !has_changed("no price"));
        assert!(!has_changed("no balance"), "too soon");
        tokio::time::advance(MIN_WRITE_INTERVAL).await;
        assert!(!has_changed("no price"), "it is written already");
        assert!(has_changed("no balance"));
        assert!(log.has_changed(&order, None) && !log.has_changed(&order, None));
    }
}
