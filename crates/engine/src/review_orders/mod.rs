//! Orders as operators see them: an order's full history, and what blocks orders and purchases.

mod purchases;
mod sent;
mod wait;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{
    Arrival, ChainStore, FiatStore, OrderStore, Outbox, Outgoing, StoreError, StuckReason,
};
use causeway_domain::{Order, OrderEvent, OrderId, OrderStatus};
use jiff::{SignedDuration, Timestamp};

pub use purchases::StuckPurchase;
pub use wait::Wait;
use wait::{ChainStatus, ReviewContext};

use crate::chain_cursors::ChainCursors;
use crate::executors::ExecutorRegistry;
use crate::pauses::Pauses;

/// How many stuck orders are reviewed.
const MAX_STUCK: u32 = 500;

/// What [`ReviewOrders`] reads.
pub struct ReviewParts {
    pub orders: Arc<dyn OrderStore>,
    pub facts: Arc<dyn ChainStore>,
    pub outbox: Arc<dyn Outbox>,
    pub fiat: Arc<dyn FiatStore>,
    pub cursors: Arc<ChainCursors>,
    pub executors: ExecutorRegistry,
    pub pauses: Arc<Pauses>,
    /// A chain whose newest final block is older than this counts as stalled.
    pub stale_after: Duration,
}

impl fmt::Debug for ReviewParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReviewParts").field("stale_after", &self.stale_after).finish_non_exhaustive()
    }
}

/// An order's full history.
#[derive(Clone, Debug)]
pub struct OrderHistory {
    pub order: Order,
    /// Oldest first.
    pub events: Vec<OrderEvent>,
    /// Our transactions for it.
    pub sent: Vec<Outgoing>,
    /// Payments to its deposit address, oldest first.
    pub arrivals: Vec<Arrival>,
    pub stuck_reason: Option<StuckReason>,
    /// What it waits for; `None` once it is complete.
    pub wait: Option<Wait>,
}

/// An order that has not progressed for longer than expected.
#[derive(Clone, Debug)]
pub struct StuckOrder {
    pub order: Order,
    pub wait: Wait,
}

/// Reads the histories of orders and explains why orders are stuck.
#[derive(Debug)]
pub struct ReviewOrders {
    parts: ReviewParts,
}

impl ReviewOrders {
    pub const fn new(parts: ReviewParts) -> Self {
        Self { parts }
    }

    /// The full history of an order, announced or not.
    pub async fn history(&self, id: &OrderId, now: Timestamp) -> Result<Option<OrderHistory>, StoreError> {
        let Some(order) = self.parts.orders.order(id).await? else { return Ok(None) };
        let events = self.parts.orders.order_events(id).await?;
        let arrivals = match order.deposit_address {
            Some(address) => self.parts.facts.arrivals(address).await?,
            None => Vec::new(),
        };
        let arrivals: Vec<_> = arrivals.into_iter().filter(|arrival| arrival.order == order.id).collect();
        let sent = self.sent(&order, &arrivals).await?;
        let stuck_reason = self.stuck_reason(&order).await?;
        let wait = order.due_at.map(|_| self.wait(&order, &sent, stuck_reason.as_ref(), now));
        Ok(Some(OrderHistory { order, events, sent, arrivals, stuck_reason, wait }))
    }

    /// The orders without progress for longer than expected, or for at least `unmoved_for`, longest first, each with a remedy.
    pub async fn stuck(
        &self,
        unmoved_for: Option<Duration>,
        now: Timestamp,
    ) -> Result<Vec<StuckOrder>, StoreError> {
        let threshold = |status| match unmoved_for {
            Some(time) => SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX),
            None => stuck_after(status),
        };
        let shortest = OrderStatus::ALL.into_iter().map(threshold).min().unwrap_or_default();
        let since = now.checked_sub(shortest).unwrap_or(now);
        let mut stuck = Vec::new();
        for order in self.parts.orders.unmoved(since, MAX_STUCK).await? {
            if now.duration_since(order.updated_at) < threshold(order.status) {
                continue;
            }
            let stuck_reason = self.stuck_reason(&order).await?;
            let sent = self.sent(&order, &[]).await?;
            let wait = self.wait(&order, &sent, stuck_reason.as_ref(), now);
            stuck.push(StuckOrder { order, wait });
        }
        Ok(stuck)
    }

    /// What blocks it, unless it has progressed since.
    async fn stuck_reason(&self, order: &Order) -> Result<Option<StuckReason>, StoreError> {
        let stuck_reason = self.parts.orders.stuck_reason(&order.id).await?;
        Ok(stuck_reason
            .filter(|stuck_reason| order.due_at.is_some() && stuck_reason.since >= order.updated_at))
    }

    fn wait(
        &self,
        order: &Order,
        sent: &[Outgoing],
        stuck_reason: Option<&StuckReason>,
        now: Timestamp,
    ) -> Wait {
        let ReviewParts { cursors, executors, pauses, stale_after, .. } = &self.parts;
        let status =
            |chain| ChainStatus { chain, halted: cursors.is_halted(chain), cursor: cursors.get(chain) };
        wait::diagnose(
            order,
            &ReviewContext {
                now,
                stale_after: *stale_after,
                origin: status(order.from.chain()),
                destination: status(order.to.chain()),
                has_executor: executors.get(&order.filler).is_some(),
                filler_paused: pauses.reason_for_filler(&order.filler),
                stuck_reason,
                sent,
            },
        )
    }
}

/// How long an order may keep a status before it counts as stuck.
fn stuck_after(status: OrderStatus) -> SignedDuration {
    match status {
        OrderStatus::Deposited => SignedDuration::from_mins(2),
        OrderStatus::Created | OrderStatus::Published => SignedDuration::from_mins(5),
        OrderStatus::RefundPending => SignedDuration::from_mins(10),
        OrderStatus::Refunded | OrderStatus::Failed => SignedDuration::from_mins(15),
        // A claim waits for finality, and then for others to be sent with.
        OrderStatus::Filled => SignedDuration::from_mins(30),
    }
}
