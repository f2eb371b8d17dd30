mod halted;
mod in_flight;
mod joined;
mod perform;
mod provider;
mod return_threshold;
mod returned_value;
mod screen_senders;
mod stuck_reason_log;
mod sweep;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::ports::{
    AddressWatch, Attestations, ChainStore, DepositBuilder, ForwardingSigner, GasFeed, OrderStore, PriceFeed,
    StoreError, TxSender,
};
use causeway_domain::{
    ChainId, DepositBalance, EventKind, Evidence, Order, OrderContext, OrderEvent, OrderId, OrderStatus,
    RowKeys, Step, advance,
};
use futures::{FutureExt as _, StreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

pub use screen_senders::SenderScreening;

use halted::Halted;
use in_flight::InFlightOrders;
use perform::Left;
use stuck_reason_log::StuckReasonLog;

use crate::chain_cursors::ChainCursors;
use crate::event_keys::advance_keys_past;
use crate::executors::ExecutorRegistry;
use crate::forwarding::ForwardFunds;
use crate::liquidity::Liquidity;

/// How many orders are processed concurrently.
const MAX_IN_FLIGHT: usize = 256;

/// How long a claimed order is reserved for one process; if that process dies, another one continues afterwards.
const LEASE: SignedDuration = SignedDuration::from_secs(20);

/// How often due orders are polled when there is no signal.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How long the chains of a processed order are polled at the full rate; the order is processed again before that.
const DEMAND_PERIOD: Duration = Duration::from_secs(40);

/// When an order that a halted chain holds up is checked again.
const HALTED_RETRY: SignedDuration = SignedDuration::from_secs(30);

/// How long an order is left alone at least once its transaction is on its way: the chain's events wake it. A look before
/// them finds only what they do not tell, such as a revert.
const MIN_CHAIN_WAIT: SignedDuration = SignedDuration::from_secs(5);
const MAX_CHAIN_WAIT: SignedDuration = SignedDuration::from_secs(30);

/// How many passes over an order one run makes, because a step enabled another one or a write conflicted.
const MAX_PASSES: usize = 8;

/// What [`WorkOrders`] works with.
pub struct WorkParts {
    pub orders: Arc<dyn OrderStore>,
    pub facts: Arc<dyn ChainStore>,
    /// By the fillers' names.
    pub executors: ExecutorRegistry,
    /// The service's own key on each chain, which pays only gas.
    pub relayers: HashMap<ChainId, Arc<dyn TxSender>>,
    pub deposit_builders: HashMap<ChainId, Arc<dyn DepositBuilder>>,
    /// Signs for the forwarding addresses of fiat purchases.
    pub forwarding_signers: HashMap<ChainId, Arc<dyn ForwardingSigner>>,
    pub attestations: Option<Arc<dyn Attestations>>,
    pub prices: Arc<dyn PriceFeed>,
    pub gas: Arc<dyn GasFeed>,
    pub catalog: Arc<Catalog>,
    pub row_keys: Arc<RowKeys>,
    pub cursors: Arc<ChainCursors>,
}

impl fmt::Debug for WorkParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkParts").finish_non_exhaustive()
    }
}

/// Advances orders from deposit to completion. Any number of processes can do so concurrently.
pub struct WorkOrders {
    parts: WorkParts,
    stuck_reasons: StuckReasonLog,
    sender_screening: Option<SenderScreening>,
    liquidity: Liquidity,
    /// Makes the second legs of joined routes.
    forwarding: Option<Arc<ForwardFunds>>,
    /// Read balances, by chain.
    watches: HashMap<ChainId, Arc<dyn AddressWatch>>,
}

impl fmt::Debug for WorkOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkOrders").field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl WorkOrders {
    pub fn new(parts: WorkParts) -> Self {
        let stuck_reasons = StuckReasonLog::new(Arc::clone(&parts.orders));
        Self {
            parts,
            stuck_reasons,
            sender_screening: None,
            liquidity: Liquidity::default(),
            forwarding: None,
            watches: HashMap::new(),
        }
    }

    /// Reads with these whether a refund address has an account for its token.
    #[must_use]
    pub fn with_watches(self, watches: HashMap<ChainId, Arc<dyn AddressWatch>>) -> Self {
        Self { watches, ..self }
    }

    /// Follows the orders that these providers settle.
    #[must_use]
    pub fn with_liquidity(self, liquidity: Liquidity) -> Self {
        Self { liquidity, ..self }
    }

    /// Makes the second legs of joined routes.
    #[must_use]
    pub fn with_forwarding(self, forwarding: Arc<ForwardFunds>) -> Self {
        Self { forwarding: Some(forwarding), ..self }
    }

    /// Screens who sent a plain transfer before it is swept.
    #[must_use]
    pub fn with_sender_screening(self, sender_screening: Option<SenderScreening>) -> Self {
        Self { sender_screening, ..self }
    }

    /// Processes due orders until `stop`, then finishes those in flight. Runs on each signal and at every poll interval; an
    /// order that waits for a slow chain does not delay the others.
    pub async fn run(&self, stop: CancellationToken) {
        let mut in_flight = InFlightOrders::default();
        let mut interval = tokio::time::interval(POLL_INTERVAL);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut is_reachable, mut has_backlog) = (true, false);
        loop {
            tokio::select! {
                () = stop.cancelled() => return in_flight.finish().await,
                () = self.parts.cursors.notified(), if in_flight.capacity() > 0 => {}
                _ = interval.tick() => {}
                (id, is_due_again) = in_flight.finished() => {
                    if is_due_again {
                        in_flight.start(id.clone(), || self.reprocess(id).boxed());
                    }
                    if !has_backlog || in_flight.capacity() < MAX_IN_FLIGHT / 2 {
                        continue;
                    }
                }
            }
            let capacity = in_flight.capacity();
            match in_flight.while_running(self.due(Timestamp::now(), capacity)).await {
                Ok(due) => {
                    (is_reachable, has_backlog) = (true, due.len() >= capacity);
                    for order in due {
                        in_flight.start(order.id.clone(), || self.process_logged(order).boxed());
                    }
                }
                Err(error) => {
                    if std::mem::take(&mut is_reachable) {
                        tracing::warn!(%error, "reading due orders failed");
                    }
                }
            }
        }
    }

    /// Processes every due order once and returns how many there were.
    pub async fn run_once(&self, now: Timestamp) -> Result<usize, StoreError> {
        let due = self.due(now, MAX_IN_FLIGHT).await?;
        let count = due.len();
        stream::iter(due).for_each_concurrent(None, |order| self.process_logged(order).map(drop)).await;
        Ok(count)
    }

    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<Order>, StoreError> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        if limit == 0 {
            return Ok(Vec::new());
        }
        let lease = now.checked_add(LEASE).unwrap_or(now);
        self.parts.orders.claim_due(now, lease, limit).await
    }

    async fn process_logged(&self, order: Order) -> OrderId {
        let id = order.id.clone();
        let span = tracing::trace_span!(
            target: "causeway::trace",
            "order.work",
            trace_id = order.quote.trace_id(),
            quiet = true,
            order = id.as_str(),
        );
        if let Err(error) = self.process(order).instrument(span).await {
            // It is retried when its lease expires.
            tracing::warn!(order = %id, %error, "processing an order failed");
        }
        id
    }

    /// Processes an order as it is stored now; one that cannot be read is retried when its lease expires.
    async fn reprocess(&self, id: OrderId) -> OrderId {
        match self.parts.orders.order(&id).await {
            Ok(Some(order)) => self.process_logged(order).await,
            _ => id,
        }
    }

    /// Advances an order as far as possible. Each step is stored before its actions are executed.
    async fn process(&self, mut order: Order) -> Result<(), StoreError> {
        if order.provider.is_some() {
            return Box::pin(self.process_provider_order(order)).await;
        }
        let chains = [order.from.chain(), order.to.chain()];
        let halted = Halted::of(&self.parts.cursors, &order);
        for _ in 0..MAX_PASSES {
            let context = self.context(&order, Timestamp::now()).await?;
            let before = order.clone();
            let step = advance(order, &context);
            if halted.freezes(before.status, step.order.status) {
                order = before;
                order.due_at = context.now.checked_add(HALTED_RETRY).ok();
                return self.parts.orders.update_order(&order, &[]).await.map(drop);
            }
            let is_last = step.is_last();
            if !is_last {
                let demand = self.parts.cursors.demand();
                for chain in chains {
                    demand.wait_for(chain, DEMAND_PERIOD);
                }
            }
            let (mut stored, mut is_written) = (before, false);
            order = step.order.clone();
            if differs(&stored, &order) {
                if !self.write(&mut order, &step).await? {
                    let Some(newer) = self.parts.orders.order(&order.id).await? else { return Ok(()) };
                    order = newer;
                    continue;
                }
                (stored, is_written) = (order.clone(), true);
            }
            let (actions, is_held) = halted.split(&order, &step.actions);
            let mut done = self.perform(&mut order, &actions, &context).await;
            if is_held {
                done.left = Left::ToDo;
                order.due_at = context.now.checked_add(HALTED_RETRY).ok();
            }
            if done.decided {
                // The decision is stored with the step that follows from it.
                continue;
            }
            match done.left {
                Left::Nothing if is_last => order.due_at = None,
                Left::OnChain => order.due_at = chain_wait(&order, context.now),
                Left::Nothing | Left::ToDo => {}
            }
            let is_kept = if differs(&stored, &order) {
                self.parts.orders.update_order(&order, &[]).await?
            } else {
                let is_due_stored = is_written && order.due_at == stored.due_at;
                is_due_stored || self.parts.orders.postpone(&order).await?
            };
            if is_kept {
                return Ok(());
            }
            // A new fact bumped the version meanwhile.
            let Some(newer) = self.parts.orders.order(&order.id).await? else { return Ok(()) };
            order = newer;
        }
        Ok(())
    }

    /// Cursors are read before the facts, so that the facts cover every block up to them.
    async fn context(&self, order: &Order, now: Timestamp) -> Result<OrderContext, StoreError> {
        let time = |chain| self.parts.cursors.get(chain).map(|cursor| cursor.time);
        let (origin_time, destination_time) = (time(order.from.chain()), time(order.to.chain()));
        let facts = self.parts.facts.facts(order.intent_id).await?;
        let evidence = Evidence::from_facts(&order.terms, order.finality_tier, &facts);
        let arrived = match order.deposit_address {
            Some(_) => self.arrived(order).await?,
            None => None,
        };
        Ok(OrderContext { now, evidence, origin_time, destination_time, deposit_balance: arrived })
    }

    /// The newest balance of each token at the deposit address.
    async fn arrived(&self, order: &Order) -> Result<Option<DepositBalance>, StoreError> {
        let Some(address) = order.deposit_address else { return Ok(None) };
        let mut newest = HashMap::new();
        let arrivals = self.parts.facts.arrivals(address).await?;
        for arrival in arrivals.into_iter().filter(|arrival| arrival.order == order.id) {
            newest.insert(arrival.token, (arrival.balance, arrival.block));
        }
        let mut arrived: Option<DepositBalance> = None;
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
            advance_keys_past(self.parts.orders.as_ref(), &self.parts.row_keys, &order.id).await?;
        }
        let now = Timestamp::now();
        let event = |(status, detail): &(OrderStatus, String)| OrderEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            kind: EventKind::Status(*status),
            detail: detail.clone(),
            at: now,
        };
        let events: Vec<OrderEvent> = step.changes.iter().map(event).collect();
        let written = self.parts.orders.update_order(order, &events).await?;
        if written {
            order.version = order.version.saturating_add(1);
            for (status, detail) in &step.changes {
                // A moment, which the trace shows as a span of its own.
                let name = format_args!("order.{status}");
                drop(tracing::trace_span!(target: "causeway::trace", "status", otel.name = %name, detail));
                tracing::info!(order = %order.id, intent = %order.intent_id, %status, "{detail}");
            }
        }
        Ok(written)
    }
}

/// When an order whose transaction is on its way is looked at without an event.
fn chain_wait(order: &Order, now: Timestamp) -> Option<Timestamp> {
    let unmoved = now.duration_since(order.updated_at) / 8;
    now.checked_add(unmoved.clamp(MIN_CHAIN_WAIT, MAX_CHAIN_WAIT)).ok()
}

/// Whether anything but the due time has changed.
fn differs(before: &Order, after: &Order) -> bool {
    Order { due_at: before.due_at, ..after.clone() } != *before
}
