//! Orders as those see them who run the service: an order's whole story, and what keeps orders from moving.

mod sent;
mod wait;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{
    Arrival, FactStore, OrderReview, OrderStore, Outbox, Outgoing, StoreError, Trouble,
};
use causeway_domain::{Order, OrderEvent, OrderId, OrderStatus};
use jiff::{SignedDuration, Timestamp};

pub use wait::Wait;
use wait::{ChainSight, Sight};

use crate::hands::Hands;
use crate::marks::Marks;
use crate::pauses::Pauses;

/// How many orders that do not move are looked at.
const MOST: u32 = 500;

/// What [`ReviewOrders`] looks at.
pub struct ReviewParts {
    pub orders: Arc<dyn OrderStore>,
    pub review: Arc<dyn OrderReview>,
    pub facts: Arc<dyn FactStore>,
    pub outbox: Arc<dyn Outbox>,
    pub marks: Arc<Marks>,
    pub hands: Hands,
    pub pauses: Arc<Pauses>,
    /// A chain whose newest block that stands is older than this does not move.
    pub stale_after: Duration,
}

impl fmt::Debug for ReviewParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReviewParts").field("stale_after", &self.stale_after).finish_non_exhaustive()
    }
}

/// An order's whole story.
#[derive(Clone, Debug)]
pub struct OrderStory {
    pub order: Order,
    /// Oldest first.
    pub events: Vec<OrderEvent>,
    /// Our transactions for it.
    pub sent: Vec<Outgoing>,
    /// What came to its deposit address, oldest first.
    pub arrivals: Vec<Arrival>,
    pub trouble: Option<Trouble>,
    /// What it waits for; absent once it is over.
    pub wait: Option<Wait>,
}

/// An order that has not moved for longer than it should.
#[derive(Clone, Debug)]
pub struct StuckOrder {
    pub order: Order,
    pub wait: Wait,
}

/// Tells the stories of orders.
#[derive(Debug)]
pub struct ReviewOrders {
    parts: ReviewParts,
}

impl ReviewOrders {
    pub const fn new(parts: ReviewParts) -> Self {
        Self { parts }
    }

    /// The whole story of an order, announced or not.
    pub async fn story(&self, id: &OrderId, now: Timestamp) -> Result<Option<OrderStory>, StoreError> {
        let Some(order) = self.parts.orders.order(id).await? else { return Ok(None) };
        let events = self.parts.orders.story(id).await?;
        let arrivals = match order.deposit_address {
            Some(address) => self.parts.facts.arrivals(address).await?,
            None => Vec::new(),
        };
        let arrivals: Vec<_> = arrivals.into_iter().filter(|arrival| arrival.order == order.id).collect();
        let sent = self.sent(&order, &arrivals).await?;
        let trouble = self.trouble(&order).await?;
        let wait = order.due_at.map(|_| self.wait(&order, &sent, trouble.as_ref(), now));
        Ok(Some(OrderStory { order, events, sent, arrivals, trouble, wait }))
    }

    /// The orders that have not moved for longer than they should, or for so long, longest first, each with what would move it.
    pub async fn stuck(
        &self,
        unmoved_for: Option<Duration>,
        now: Timestamp,
    ) -> Result<Vec<StuckOrder>, StoreError> {
        let patience = |status| match unmoved_for {
            Some(time) => SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX),
            None => usual(status),
        };
        let least = OrderStatus::ALL.into_iter().map(patience).min().unwrap_or_default();
        let since = now.checked_sub(least).unwrap_or(now);
        let mut stuck = Vec::new();
        for order in self.parts.review.unmoved(since, MOST).await? {
            if now.duration_since(order.updated_at) < patience(order.status) {
                continue;
            }
            let trouble = self.trouble(&order).await?;
            let sent = self.sent(&order, &[]).await?;
            let wait = self.wait(&order, &sent, trouble.as_ref(), now);
            stuck.push(StuckOrder { order, wait });
        }
        Ok(stuck)
    }

    /// What keeps it from moving, unless it has moved since.
    async fn trouble(&self, order: &Order) -> Result<Option<Trouble>, StoreError> {
        let trouble = self.parts.review.trouble(&order.id).await?;
        Ok(trouble.filter(|trouble| order.due_at.is_some() && trouble.since >= order.updated_at))
    }

    fn wait(&self, order: &Order, sent: &[Outgoing], trouble: Option<&Trouble>, now: Timestamp) -> Wait {
        let ReviewParts { marks, hands, pauses, stale_after, .. } = &self.parts;
        let sight = |chain| ChainSight { chain, halted: marks.is_halted(chain), mark: marks.get(chain) };
        wait::judge(
            order,
            &Sight {
                now,
                stale_after: *stale_after,
                origin: sight(order.from.chain()),
                destination: sight(order.to.chain()),
                has_hand: hands.get(&order.filler).is_some(),
                filler_paused: pauses.of_filler(&order.filler),
                trouble,
                sent,
            },
        )
    }
}

/// How long an order may stand where it does before somebody should look.
fn usual(status: OrderStatus) -> SignedDuration {
    match status {
        OrderStatus::Deposited => SignedDuration::from_mins(2),
        OrderStatus::Created | OrderStatus::Published => SignedDuration::from_mins(5),
        OrderStatus::RefundPending => SignedDuration::from_mins(10),
        OrderStatus::Filled | OrderStatus::Refunded | OrderStatus::Failed => SignedDuration::from_mins(15),
    }
}
