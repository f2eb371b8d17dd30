mod bench;
mod perform;
mod sweep;
#[cfg(test)]
mod tests;
mod trouble;
mod worth;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::ports::{
    Attestations, Carrier, DepositDesk, FactStore, GasFeed, JumpDesk, OrderReview, OrderStore, PriceFeed,
    StoreError,
};
use causeway_domain::{
    Arrived, ChainId, EventKind, Evidence, Order, OrderEvent, OrderId, OrderStatus, RowKeys, Step, World,
    advance,
};
use futures::{FutureExt as _, StreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use bench::Bench;
use trouble::Troubles;

use crate::hands::Hands;
use crate::marks::Marks;
use crate::story_keys::come_after_story;

/// How many orders are worked on side by side.
const MOST: usize = 256;

/// For so long nobody else looks at an order that was taken; whoever took it and died is then followed by another.
const LEASE: SignedDuration = SignedDuration::from_secs(20);

/// How often due orders are looked for when nothing rings.
const PATIENCE: Duration = Duration::from_millis(500);

/// For how long after a look at an order its chains are followed closely: it is looked at again before.
const AWAKE: Duration = Duration::from_secs(40);

/// How long an order waits whose chain is not believed any more.
const FROZEN: SignedDuration = SignedDuration::from_secs(30);

/// How often an order is looked at anew in one turn, because its last step made another possible or somebody else was faster.
const LOOKS: usize = 8;

/// What orders are worked on with.
pub struct WorkParts {
    pub orders: Arc<dyn OrderStore>,
    pub facts: Arc<dyn FactStore>,
    /// By the fillers' names.
    pub hands: Hands,
    /// The service's own key, which pays gas and nothing else, on each chain.
    pub relayers: HashMap<ChainId, Arc<dyn Carrier>>,
    pub desks: HashMap<ChainId, Arc<dyn DepositDesk>>,
    /// Where purchases' money comes before it is known how much.
    pub jump_desks: HashMap<ChainId, Arc<dyn JumpDesk>>,
    pub attestations: Option<Arc<dyn Attestations>>,
    pub prices: Arc<dyn PriceFeed>,
    pub gas: Arc<dyn GasFeed>,
    pub catalog: Arc<Catalog>,
    pub row_keys: Arc<RowKeys>,
    pub marks: Arc<Marks>,
}

impl fmt::Debug for WorkParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkParts").finish_non_exhaustive()
    }
}

/// Moves orders from the deposit to their end. Any number of processes may do so at once.
#[derive(Debug)]
pub struct WorkOrders {
    parts: WorkParts,
    troubles: Troubles,
}

impl WorkOrders {
    pub fn new(parts: WorkParts) -> Self {
        Self { parts, troubles: Troubles::default() }
    }

    /// Writes down what keeps orders from moving, for those who run the service.
    #[must_use]
    pub fn noting(self, review: Arc<dyn OrderReview>) -> Self {
        Self { troubles: Troubles::new(review), ..self }
    }

    /// Works until `stop`, and then finishes what was begun: at once when the marks ring, else every now and then. An order
    /// that waits for a slow chain keeps nobody else from being worked on.
    pub async fn work(&self, stop: CancellationToken) {
        let mut bench = Bench::default();
        let mut patience = tokio::time::interval(PATIENCE);
        patience.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut answered, mut crowded) = (true, false);
        loop {
            tokio::select! {
                () = stop.cancelled() => return bench.finish().await,
                () = self.parts.marks.rung(), if bench.room() > 0 => {}
                _ = patience.tick() => {}
                (id, again) = bench.ended() => {
                    if again {
                        bench.take(id.clone(), || self.look_again(id).boxed());
                    }
                    if !crowded || bench.room() < MOST / 2 {
                        continue;
                    }
                }
            }
            let room = bench.room();
            match bench.beside(self.due(Timestamp::now(), room)).await {
                Ok(due) => {
                    (answered, crowded) = (true, due.len() >= room);
                    for order in due {
                        bench.take(order.id.clone(), || self.look_at(order).boxed());
                    }
                }
                Err(error) => {
                    if std::mem::take(&mut answered) {
                        tracing::warn!(%error, "orders cannot be read and wait");
                    }
                }
            }
        }
    }

    /// Looks at every order that is due, and tells how many there were.
    pub async fn turn(&self, now: Timestamp) -> Result<usize, StoreError> {
        let due = self.due(now, MOST).await?;
        let count = due.len();
        stream::iter(due).for_each_concurrent(None, |order| self.look_at(order).map(drop)).await;
        Ok(count)
    }

    async fn due(&self, now: Timestamp, most: usize) -> Result<Vec<Order>, StoreError> {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        if most == 0 {
            return Ok(Vec::new());
        }
        let lease = now.checked_add(LEASE).unwrap_or(now);
        self.parts.orders.claim_due(now, lease, most).await
    }

    async fn look_at(&self, order: Order) -> OrderId {
        let id = order.id.clone();
        if let Err(error) = self.look(order).await {
            // Its lease passes, and it is looked at again.
            tracing::warn!(order = %id, %error, "an order could not be worked on");
        }
        id
    }

    /// Looks at an order as it has become meanwhile; one that cannot be read is due again when its lease passes.
    async fn look_again(&self, id: OrderId) -> OrderId {
        match self.parts.orders.order(&id).await {
            Ok(Some(order)) => self.look_at(order).await,
            _ => id,
        }
    }

    /// Takes an order as far as it goes now. What it becomes is written before anything is done about it.
    async fn look(&self, mut order: Order) -> Result<(), StoreError> {
        let chains = [order.from.chain(), order.to.chain()];
        if chains.into_iter().any(|chain| self.parts.marks.is_halted(chain)) {
            order.due_at = Timestamp::now().checked_add(FROZEN).ok();
            return self.parts.orders.update_order(&order, &[]).await.map(drop);
        }
        for _ in 0..LOOKS {
            let world = self.world(&order, Timestamp::now()).await?;
            let before = order.clone();
            let step = advance(order, &world);
            let is_last = step.is_last();
            if !is_last {
                let interest = self.parts.marks.interest();
                for chain in chains {
                    interest.wait_for(chain, AWAKE);
                }
            }
            let mut written = false;
            order = step.order.clone();
            if differs(&before, &order) {
                if !self.write(&mut order, &step).await? {
                    let Some(newer) = self.parts.orders.order(&order.id).await? else { return Ok(()) };
                    order = newer;
                    continue;
                }
                written = true;
            }
            let done = self.perform(&mut order, &step.todo, &world).await;
            if done.decided {
                // The decision is written with the step that follows from it.
                continue;
            }
            if is_last && done.all {
                order.due_at = None;
                written = false;
            }
            if written || self.parts.orders.update_order(&order, &[]).await? {
                return Ok(());
            }
            // Something was shown meanwhile.
            let Some(newer) = self.parts.orders.order(&order.id).await? else { return Ok(()) };
            order = newer;
        }
        Ok(())
    }

    /// The marks come first: what stood by then is among the facts that are read after them.
    async fn world(&self, order: &Order, now: Timestamp) -> Result<World, StoreError> {
        let time = |chain| self.parts.marks.get(chain).map(|mark| mark.time);
        let (origin_time, destination_time) = (time(order.from.chain()), time(order.to.chain()));
        let facts = self.parts.facts.facts(order.intent).await?;
        let evidence = Evidence::of(&order.terms, order.care, &facts);
        let arrived = match order.deposit_address {
            Some(_) => self.arrived(order).await?,
            None => None,
        };
        Ok(World { now, evidence, origin_time, destination_time, arrived })
    }

    /// The newest balance of each token at the deposit address.
    async fn arrived(&self, order: &Order) -> Result<Option<Arrived>, StoreError> {
        let Some(address) = order.deposit_address else { return Ok(None) };
        let mut newest = HashMap::new();
        let arrivals = self.parts.facts.arrivals(address).await?;
        for arrival in arrivals.into_iter().filter(|arrival| arrival.order == order.id) {
            newest.insert(arrival.token, (arrival.balance, arrival.block));
        }
        let mut arrived: Option<Arrived> = None;
        for (token, (balance, block)) in newest {
            let arrived = arrived.get_or_insert_default();
            arrived.block = arrived.block.max(block);
            if token == order.from {
                arrived.input = balance;
            } else if !balance.is_zero() {
                arrived.others.push(token);
            }
        }
        Ok(arrived)
    }

    async fn write(&self, order: &mut Order, step: &Step) -> Result<bool, StoreError> {
        if !step.changes.is_empty() {
            come_after_story(self.parts.orders.as_ref(), &self.parts.row_keys, &order.id).await?;
        }
        let now = Timestamp::now();
        let event = |(status, words): &(OrderStatus, String)| OrderEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            kind: EventKind::Status(*status),
            detail: words.clone(),
            at: now,
        };
        let events: Vec<OrderEvent> = step.changes.iter().map(event).collect();
        let written = self.parts.orders.update_order(order, &events).await?;
        if written {
            order.version = order.version.saturating_add(1);
            for (status, words) in &step.changes {
                tracing::info!(order = %order.id, intent = %order.intent, %status, "{words}");
            }
        }
        Ok(written)
    }
}

/// Whether there is more to write than when to look again.
fn differs(before: &Order, after: &Order) -> bool {
    let moment = before.due_at;
    let after = Order { due_at: moment, ..after.clone() };
    after != *before
}
