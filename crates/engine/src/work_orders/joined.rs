use causeway_domain::ports::{Arrival, ChainError, ProviderState, StoreError};
use causeway_domain::{
    ConfirmedTx, EventKind, ForwardingAction, JoinedContext, JoinedOrder, Order, OrderEvent, ProviderContext,
    RawAmount,
};
use jiff::Timestamp;

use super::WorkOrders;
use super::provider::shown_payment;
use crate::event_keys::advance_keys_past;
use crate::forwarding::{ForwardFunds, ForwardingError, SwapAsk};

impl WorkOrders {
    /// What the chains show of the second leg of a joined route. Cursors are read before the facts, so that the facts cover every
    /// block up to them.
    pub(super) async fn add_second_leg(
        &self,
        order: &Order,
        context: &mut ProviderContext,
    ) -> Result<(), StoreError> {
        let Some(joined) = order.joined() else { return Ok(()) };
        let Some(forwarding) = &self.forwarding else {
            context.is_unheard = true;
            return Ok(());
        };
        let (plan, hub) = (&joined.plan, joined.terms.hub);
        self.note_other_token(order, joined, context).await?;
        let cursor = self.parts.cursors.get(hub.chain());
        let swaps = forwarding.swaps(plan).await?;
        let balance = match cursor {
            Some(cursor) => forwarding.balance(order.id.as_str(), plan, hub, cursor).await?,
            None => None,
        };
        // An address that nobody reads may have been paid.
        context.is_unheard |= balance.is_none();
        let is_returnable = joined.has_arrived() || order.status.is_terminal();
        let returned = if is_returnable { self.returned(order, joined, forwarding).await } else { None };
        context.joined = Some(JoinedContext {
            balance,
            hub_time: cursor.map(|cursor| cursor.time),
            swaps,
            returned,
            patience: forwarding.patience(),
        });
        Ok(())
    }

    /// Another token that the provider has paid to the forwarding address counts as arrived there, so that it is returned too.
    async fn note_other_token(
        &self,
        order: &Order,
        joined: &JoinedOrder,
        context: &ProviderContext,
    ) -> Result<(), StoreError> {
        let (plan, hub) = (&joined.plan, joined.terms.hub);
        let state = context.report.as_ref().map(|report| &report.state);
        let Some(ProviderState::Returned(returned)) = state else { return Ok(()) };
        let is_other =
            returned.at_recipient && returned.token != hub && returned.token.chain() == hub.chain();
        let counted = context.refund.as_ref().map(|(shown, _)| (shown.amount, shown.block));
        let shown = counted.or_else(|| context.short.as_ref().map(|(amount, _)| (*amount, 0)));
        let Some((amount, block)) = shown.filter(|_| is_other) else { return Ok(()) };
        let arrival = Arrival {
            order: order.id.clone(),
            address: plan.address,
            token: returned.token,
            balance: amount,
            gained: amount,
            block,
            tx: Some(returned.tx.clone()),
        };
        self.parts.facts.record_arrival(&arrival, context.now).await
    }

    /// What the last return from the forwarding address has paid, in a final block.
    async fn returned(
        &self,
        order: &Order,
        joined: &JoinedOrder,
        forwarding: &ForwardFunds,
    ) -> Option<ConfirmedTx> {
        let hub = joined.terms.hub;
        let tx = forwarding.returned(hub.chain(), &joined.plan).await?;
        let shown = match self.liquidity.payouts(hub.chain()) {
            Some(watch) => shown_payment(watch, &tx, hub, joined.terms.refund_to).await,
            None => Err(ChainError::Unavailable(hub.chain())),
        };
        shown
            .inspect_err(|error| tracing::debug!(order = %order.id, tx, %error, "reading a return failed"))
            .ok()?
    }

    /// Swaps or returns what is at the forwarding address. Returns whether the order has to be looked at again.
    pub(super) async fn forward(&self, order: &mut Order, actions: &[ForwardingAction]) -> bool {
        let mut changed = false;
        for action in actions {
            match self.forward_one(order, action).await {
                Ok(done) => changed |= done,
                Err(error) => tracing::warn!(order = %order.id, ?action, %error, "second leg blocked"),
            }
        }
        changed
    }

    async fn forward_one(
        &self,
        order: &mut Order,
        action: &ForwardingAction,
    ) -> Result<bool, ForwardingError> {
        let (Some(joined), Some(forwarding)) = (order.joined().cloned(), &self.forwarding) else {
            return Ok(false);
        };
        match action {
            ForwardingAction::Swap { amount, seen_in } => {
                self.second_swap(order, &joined, forwarding, (*amount, *seen_in)).await
            }
            ForwardingAction::ReturnBalance { tokens, .. } => {
                let (chain, has_ended) = (joined.terms.hub.chain(), order.status.is_terminal());
                let returned = forwarding.return_balance(chain, &joined.plan, tokens, has_ended).await?;
                Ok(returned.is_some())
            }
        }
    }

    async fn second_swap(
        &self,
        order: &mut Order,
        joined: &JoinedOrder,
        forwarding: &ForwardFunds,
        (amount, seen_in): (RawAmount, u64),
    ) -> Result<bool, ForwardingError> {
        let wanted = SwapAsk {
            owner: order.id.as_str(),
            plan: &joined.plan,
            from: joined.terms.hub,
            to: order.to,
            recipient: order.recipient,
            refund_to: joined.terms.refund_to,
            amount,
            detail: "Created for the second leg of a joined route.",
        };
        let Some((swap, event)) = forwarding.build_swap(wanted).await? else { return Ok(false) };
        // With the version that the decision was made on: of several processes one creates the swap.
        if !self.parts.orders.create_second_swap(&order.id, order.version, &swap, &event).await? {
            tracing::debug!(order = %order.id, "another process was faster, no swap created");
            return Ok(false);
        }
        order.version = order.version.saturating_add(1);
        let tx = joined.delivered.as_ref().map(|delivered| delivered.tx.clone());
        forwarding.begin_swap(order.id.as_str(), &joined.plan, &swap, (seen_in, tx)).await?;
        Ok(true)
    }

    /// Stores an order that is over, with a note of what came later and was returned.
    pub(super) async fn write_late_return(
        &self,
        order: &mut Order,
        detail: String,
    ) -> Result<bool, StoreError> {
        advance_keys_past(self.parts.orders.as_ref(), &self.parts.row_keys, &order.id).await?;
        let now = Timestamp::now();
        let event = OrderEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            kind: EventKind::Note,
            detail,
            at: now,
        };
        let written = self.parts.orders.update_order(order, &[event]).await?;
        if written {
            order.version = order.version.saturating_add(1);
        }
        Ok(written)
    }
}

/// What to note where a transaction has returned funds from the forwarding address after the order's end.
pub(super) fn late_return(before: &Order, after: &Order) -> Option<String> {
    let (earlier, joined) = (before.joined()?, after.joined()?);
    let tx = joined.plan.returned_tx.as_ref().filter(|tx| earlier.plan.returned_tx.as_ref() != Some(*tx))?;
    let is_late = before.status.is_terminal();
    is_late.then(|| {
        format!("What came after the end was returned to {} in transaction {tx}.", joined.terms.refund_to)
    })
}

#[cfg(test)]
mod tests;
