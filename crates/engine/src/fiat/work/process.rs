use std::time::Duration;

use causeway_domain::fiat::{FiatEvent, FiatOrder, FiatStep, Strategy, advance_fiat};
use causeway_domain::ports::{FiatLease, StoreError};
use causeway_domain::{FiatOrderId, ForwardingAction, TokenId};
use jiff::{SignedDuration, Timestamp};

use super::{LEASE, WorkFiat};
use crate::fiat::FiatError;
use crate::forwarding::ForwardingError;

/// How many passes over a purchase one run makes.
const MAX_PASSES: usize = 8;

/// How long the chains of a processed purchase are polled at the full rate; it is processed again before that.
const DEMAND_PERIOD: Duration = Duration::from_secs(40);

/// When a purchase that a halted chain holds up is checked again.
const HALTED_RETRY: SignedDuration = SignedDuration::from_secs(30);

impl WorkFiat {
    /// Advances a purchase as far as possible. Each step is stored before its actions are executed.
    pub(super) async fn process(&self, mut order: FiatOrder) -> Result<(), StoreError> {
        let chains = [order.sold.chain(), order.target.chain()];
        let is_halted = chains.into_iter().any(|chain| self.parts.cursors.holds(chain));
        if !order.status.is_terminal() {
            let demand = self.parts.cursors.demand();
            for chain in [order.sold.chain(), order.target.chain()] {
                demand.wait_for(chain, DEMAND_PERIOD);
            }
        }
        for _ in 0..MAX_PASSES {
            let context = self.context(&order, Timestamp::now()).await?;
            let before = order.clone();
            let step = advance_fiat(order, &context);
            order = step.order.clone();
            let changed = differs(&before, &order) || !step.changes.is_empty();
            if changed && !self.write(&mut order, &step).await? {
                let Some(newer) = self.parts.store.fiat_order(&order.id).await? else { return Ok(()) };
                order = newer;
                continue;
            }
            // A halted chain opens nothing; balances are returned (rule 29).
            let goes_on = |action: &&ForwardingAction| {
                !is_halted || matches!(action, ForwardingAction::ReturnBalance { .. })
            };
            let actions: Vec<ForwardingAction> = step.actions.iter().filter(goes_on).cloned().collect();
            if changed && !actions.is_empty() {
                // The write has ended the lease, and the work goes on, unless somebody else has begun it.
                let lease = FiatLease::EndedByWrite { version: order.version };
                self.in_flight.set_lease(&order.id, lease);
                if !self.renew_lease(&order.id, lease).await? {
                    return Ok(());
                }
            }
            if actions.len() < step.actions.len() {
                order.due_at = context.now.checked_add(HALTED_RETRY).ok();
            }
            if self.perform(&mut order, &actions).await {
                // The result is stored with the step that follows from it.
                continue;
            }
            if changed && actions.is_empty() || self.parts.store.update_fiat_order(&order, &[]).await? {
                return Ok(());
            }
            // A concurrent write bumped the version.
            let Some(newer) = self.parts.store.fiat_order(&order.id).await? else { return Ok(()) };
            order = newer;
        }
        Ok(())
    }

    /// Keeps the purchase for this process for another while. `false` when another process has it by now.
    pub(super) async fn renew_lease(&self, id: &FiatOrderId, lease: FiatLease) -> Result<bool, StoreError> {
        let now = Timestamp::now();
        let until = now.checked_add(LEASE).unwrap_or(now);
        let renewed = self.parts.store.renew_fiat_lease(id, lease, until).await?;
        if renewed {
            self.in_flight.renew(id, lease, FiatLease::Until(until));
        }
        Ok(renewed)
    }

    /// The purchase after one pass that executes no actions; the worker does that.
    pub(in crate::fiat) async fn refresh(&self, id: &FiatOrderId) -> Result<FiatOrder, FiatError> {
        let missing = || FiatError::OrderNotFound(id.clone());
        let order = self.parts.store.fiat_order(id).await?.ok_or_else(missing)?;
        if order.status.is_terminal() {
            return Ok(order);
        }
        let context = self.context(&order, Timestamp::now()).await?;
        let before = order.clone();
        let step = advance_fiat(order, &context);
        let mut order = step.order.clone();
        if differs(&before, &order) || !step.changes.is_empty() {
            // Due at once, so that the worker executes the actions.
            order.due_at = Some(context.now);
            if !self.write(&mut order, &step).await? {
                order = self.parts.store.fiat_order(id).await?.ok_or_else(missing)?;
            }
            self.parts.signal.notify();
        }
        Ok(order)
    }

    async fn write(&self, order: &mut FiatOrder, step: &FiatStep) -> Result<bool, StoreError> {
        let now = Timestamp::now();
        let events = step.changes.iter().map(|(status, detail)| FiatEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            status: *status,
            detail: detail.clone(),
            at: now,
        });
        let events: Vec<FiatEvent> = events.collect();
        let written = match self.parts.store.update_fiat_order(order, &events).await {
            // The payout completed another purchase meanwhile; the next pass no longer sees it.
            Err(StoreError::Conflict(reason)) => {
                tracing::warn!(order = %order.id, reason, "payout belongs to another purchase");
                false
            }
            written => written?,
        };
        if written {
            order.version = order.version.saturating_add(1);
            for (status, detail) in &step.changes {
                let status = status.map_or("", |status| status.as_str());
                tracing::info!(order = %order.id, provider = order.provider, status, "{detail}");
            }
        }
        Ok(written)
    }

    /// Returns the balance of the forwarding address. Returns whether the purchase has changed.
    async fn return_balance(
        &self,
        order: &mut FiatOrder,
        tokens: &[TokenId],
    ) -> Result<bool, ForwardingError> {
        let (chain, has_ended) = (order.sold.chain(), order.status.is_terminal());
        let Strategy::Forwarding(plan) = &mut order.strategy else { return Ok(false) };
        let returned = self.parts.forwarding.return_balance(chain, plan, tokens, has_ended).await?;
        let Some(tx) = returned else { return Ok(false) };
        // For a completed purchase the next run records it.
        if !has_ended {
            plan.returned_tx = Some(tx);
        }
        Ok(true)
    }

    /// Executes the actions, or finds them in progress. Returns whether the purchase has changed.
    async fn perform(&self, order: &mut FiatOrder, actions: &[ForwardingAction]) -> bool {
        let mut changed = false;
        for action in actions {
            let done = match action {
                ForwardingAction::Swap { amount, seen_in } => self.swap(order, *amount, *seen_in).await,
                ForwardingAction::ReturnBalance { tokens, .. } => self.return_balance(order, tokens).await,
            };
            match done {
                Ok(done) => changed |= done,
                Err(error) => {
                    tracing::warn!(order = %order.id, ?action, %error, "purchase blocked");
                }
            }
        }
        changed
    }
}

/// Whether anything but the due time has changed.
fn differs(before: &FiatOrder, after: &FiatOrder) -> bool {
    FiatOrder { due_at: before.due_at, ..after.clone() } != *before
}
