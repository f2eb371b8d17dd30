//! The second leg of a joined route: what arrived at the forwarding address is swapped by us, or returned (rule 21).

use jiff::{SignedDuration, Timestamp};

use super::ProviderContext;
use crate::forwarding_funds::{ForwardingFunds, FundsStage, Taken, opened, swap_of};
use crate::ports::ProviderState;
use crate::{
    ConfirmedTx, ForwardingAction, ForwardingBalance, ForwardingPlan, JoinedOrder, Order, RefundCause,
};

/// How often the forwarding address of an order that is over is looked at, at least.
const MAX_ENDED_INTERVAL: SignedDuration = SignedDuration::from_mins(10);

/// What the chains show of the second leg, in final blocks.
#[derive(Clone, Debug)]
pub struct JoinedContext {
    pub balance: Option<ForwardingBalance>,
    /// Timestamp of the newest final block of the forwarding address's chain.
    pub hub_time: Option<u64>,
    /// The swaps created for the stablecoin, oldest first, each with its current evidence.
    pub swaps: Vec<Order>,
    /// What the transaction that last returned the stablecoin has paid to the refund address.
    pub returned: Option<ConfirmedTx>,
    /// How long the stablecoin waits for a route at the promised rate before it is returned.
    pub patience: SignedDuration,
}

/// Keeps what the second leg shows: the provider's delivery, then the fill of the swap, or the return. A fill counts only with
/// the whole output, and a return only while no swap is under way.
pub(super) fn keep_evidence(order: &mut Order, context: &ProviderContext) {
    let (is_over, least) = (order.status.is_terminal(), order.dest_amount);
    let funds = funds(order, context).map(|funds| funds.is_payment(&Taken::of(funds.swaps)));
    let Some(joined) = order.provider.as_mut().and_then(|provider| provider.joined.as_mut()) else { return };
    joined.delivered = joined.delivered.take().or_else(|| context.fill.clone());
    if let Some(seen) = &context.joined {
        if joined.arrived_at.is_none() && (funds == Some(true) || opened(&seen.swaps).is_some()) {
            joined.arrived_at = Some(context.now);
        }
        let plan = &mut joined.plan;
        plan.swap = swap_of(&seen.swaps).map(|swap| swap.id.clone()).or_else(|| plan.swap.take());
        let returned = seen.returned.as_ref().map(|returned| returned.tx.clone());
        plan.returned_tx = returned.or_else(|| plan.returned_tx.take());
    }
    let has_arrived = joined.has_arrived();
    if is_over {
        return;
    }
    // Who pays from another chain need not submit anything.
    order.announced |= has_arrived;
    let evidence = &mut order.evidence;
    if !has_arrived {
        let refund = context.refund.clone().map(|(confirmed, _)| (confirmed, RefundCause::Provider));
        evidence.refund = evidence.refund.take().or(refund);
        return;
    }
    let Some(seen) = &context.joined else { return };
    let fill = seen.swaps.iter().find_map(|swap| swap.evidence.fill.as_ref());
    evidence.fill = evidence.fill.take().or_else(|| fill.filter(|fill| fill.amount >= least).cloned());
    let taken = Taken::of(&seen.swaps);
    if evidence.fill.is_none() && taken.pending.is_zero() && taken.filled.is_zero() {
        let refunded = seen.swaps.iter().find_map(|swap| swap.evidence.refund.as_ref().map(|(tx, _)| tx));
        let refund = refunded.or(seen.returned.as_ref()).cloned();
        evidence.refund = evidence.refund.take().or(refund.map(|refund| (refund, RefundCause::Provider)));
    }
}

/// Whether the stablecoin has left the forwarding address without a swap of ours: after expiry anybody may return it.
pub(super) fn was_returned_by_others(order: &Order, context: &ProviderContext) -> bool {
    let Some((joined, seen)) = order.joined().zip(context.joined.as_ref()) else { return false };
    let is_empty = seen.balance.as_ref().is_some_and(|balance| balance.amount.is_zero());
    let is_expired = seen.hub_time.is_some_and(|time| time > joined.plan.order.expiry);
    joined.has_arrived() && is_empty && is_expired && Taken::of(&seen.swaps).swapped().is_zero()
}

/// Why the payer has the stablecoin, how much of it and where, for people.
pub(super) fn failure(order: &Order, joined: &JoinedOrder, context: &ProviderContext) -> String {
    let (hub, refund_to) = (joined.terms.hub, joined.terms.refund_to);
    let swaps = context.joined.as_ref().map_or(&[][..], |seen| &seen.swaps);
    let refunded = swaps.iter().find(|swap| swap.evidence.refund.is_some());
    let why = match refunded.map(|swap| swap.failure_reason.as_deref()) {
        Some(reason) => reason.unwrap_or("The second swap failed.").to_owned(),
        None => format!(
            "No filler took the second swap, of {} raw units of {hub} or more, at the agreed rate.",
            joined.terms.hub_amount
        ),
    };
    match &order.evidence.refund {
        Some((refund, _)) => format!(
            "{why} {} raw units of {hub} were returned to {refund_to} in transaction {}.",
            refund.amount, refund.tx
        ),
        None => format!("{why} The {hub} was returned to {refund_to} after the forwarding order expired."),
    }
}

/// What is to be done with the balance of the forwarding address.
pub(super) fn actions(order: &Order, context: &ProviderContext) -> Vec<ForwardingAction> {
    funds(order, context).map(|funds| funds.actions()).unwrap_or_default()
}

/// Only the whole amount is swapped, so that a fill is never of less than the payer was promised.
fn funds<'a>(order: &'a Order, context: &'a ProviderContext) -> Option<ForwardingFunds<'a>> {
    let (joined, seen) = order.joined().zip(context.joined.as_ref())?;
    let whole = joined.terms.hub_amount;
    let says_so = context.report.as_ref().is_some_and(|report| {
        matches!(report.state, ProviderState::Delivered { .. } | ProviderState::Returned(_))
    });
    Some(ForwardingFunds {
        order: &joined.plan.order,
        token: joined.terms.hub,
        expected: whole,
        enough: whole.get(),
        whole: Some(whole.get()),
        stage: if order.status.is_terminal() { FundsStage::Over } else { FundsStage::Open },
        is_paid: joined.delivered.is_some() || says_so,
        waits_since: joined.arrived_at,
        balance: seen.balance.as_ref()?,
        hub_time: seen.hub_time,
        swaps: &seen.swaps,
        now: context.now,
        patience: seen.patience,
    })
}

/// When the forwarding address of an order that is over is looked at again: later arrivals are returned.
pub(super) fn due_after_end(order: &Order, plan: &ForwardingPlan, now: Timestamp) -> Option<Timestamp> {
    let unmoved = now.duration_since(order.updated_at) / 8;
    plan.watched_until()
        .filter(|until| now < *until)
        .and_then(|_| now.checked_add(unmoved.clamp(super::MIN_INTERVAL, MAX_ENDED_INTERVAL)).ok())
}

#[cfg(test)]
mod tests;
