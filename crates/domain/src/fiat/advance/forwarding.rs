use alloy_primitives::U256;

use super::{FiatContext, Next};
use crate::fiat::{FiatFailure, FiatFailureSource, FiatOrder, FiatStatus, Strategy};
use crate::forwarding_funds::{self, ForwardingFunds, FundsStage, Taken, opened, swap_of};
use crate::ports::RampState;
use crate::{ForwardingAction, ForwardingPlan, RawAmount};

/// What has to arrive: what the provider sold, less its tolerance, or what it says that it has delivered, if that is less. The
/// tolerance is rounded down, in favour of the payer.
fn enough(order: &FiatOrder, context: &FiatContext) -> U256 {
    let sold = order.sold_amount.get();
    let tolerance = sold / U256::from(10_000_u64) * U256::from(context.tolerance_bps);
    let agreed = sold.saturating_sub(tolerance);
    let reported = super::report(context).filter(|report| report.state == RampState::Delivered);
    let reported = reported.and_then(|report| {
        let named = || {
            let named = context.payouts.iter().filter(|payout| report.payouts.contains(&payout.tx));
            named.fold(U256::ZERO, |sum, payout| sum.saturating_add(payout.amount.get()))
        };
        let amount = report.amount.map_or_else(named, RawAmount::get);
        // Less than half of what was sold is no delivery of this purchase, whoever says so.
        is_plausible(order, amount).then_some(amount)
    });
    reported.map_or(agreed, |reported| reported.min(agreed))
}

pub(super) fn is_plausible(order: &FiatOrder, amount: U256) -> bool {
    forwarding_funds::is_plausible(order.sold_amount, amount)
}

pub(super) fn is_covered(order: &FiatOrder, context: &FiatContext) -> bool {
    Taken::of(&context.swaps).swapped() >= enough(order, context)
}

/// What the recipient received, once as much was swapped as the provider sold.
pub(super) fn delivered(order: &FiatOrder, context: &FiatContext) -> Option<(RawAmount, String)> {
    let taken = Taken::of(&context.swaps);
    let tx = taken.fill_tx.filter(|_| taken.filled >= enough(order, context))?;
    Some((RawAmount::new(taken.output), tx))
}

/// Records what reached the recipient while more is still to come; returns a message when it has grown.
pub(super) fn record_partial(order: &mut FiatOrder, context: &FiatContext) -> Option<String> {
    order.strategy.forwarding()?;
    let taken = Taken::of(&context.swaps);
    let is_partial = taken.filled < enough(order, context) && order.status != FiatStatus::Completed;
    let tx = taken.fill_tx.filter(|_| is_partial)?;
    let output = RawAmount::new(taken.output);
    if order.output.is_some_and(|known| known >= output) {
        return None;
    }
    let (filled, sold) = (taken.filled, order.sold_amount);
    let message = format!(
        "Partially delivered: {filled} of {sold} base units arrived and were swapped; {output} base units reached the recipient in \
         transaction {tx}."
    );
    (order.output, order.fill_tx, order.updated_at) = (Some(output), Some(tx), context.now);
    Some(message)
}

/// Records the swap that took the funds, else the newest one.
pub(super) fn record_swap(order: &mut FiatOrder, context: &FiatContext) {
    let swap = swap_of(&context.swaps).map(|swap| swap.id.clone());
    if let (Strategy::Forwarding(plan), Some(swap)) = (&mut order.strategy, swap) {
        plan.swap = Some(swap);
    }
}

/// Records the returning transaction; returns a message when the purchase had already ended.
pub(super) fn record_return(order: &mut FiatOrder, context: &FiatContext) -> Option<String> {
    let ended = order.status.is_terminal();
    let late = order.strategy.forwarding().is_some_and(|plan| ended_unpaid(order, plan));
    let back_to = order.refund_to;
    let Strategy::Forwarding(plan) = &mut order.strategy else { return None };
    let refunded = opened(&context.swaps).and_then(|swap| swap.evidence.refund.as_ref()).filter(|_| late);
    let tx = context.returned.as_ref().or(refunded.map(|(refund, _)| &refund.tx))?;
    if plan.returned_tx.as_ref() == Some(tx) {
        return None;
    }
    plan.returned_tx = Some(tx.clone());
    ended.then(|| format!("Funds were returned to {back_to} in transaction {tx}."))
}

/// Whether the provider's funds are at the address or already in a swap.
pub(super) fn has_arrived(order: &FiatOrder, context: &FiatContext) -> bool {
    let held = context.forwarding_balance.as_ref().map_or(U256::ZERO, |balance| balance.amount.get());
    order.strategy.forwarding().is_some() && (is_plausible(order, held) || opened(&context.swaps).is_some())
}

/// The failure when funds arrived and were returned, by the swap's refund or from the address itself.
pub(super) fn returned_failure(order: &FiatOrder, context: &FiatContext) -> Option<Next> {
    let plan = order.strategy.forwarding()?;
    let came = order.payout.as_ref().map_or_else(String::new, |payout| {
        format!(" The provider delivered them in transaction {}.", payout.tx)
    });
    let back_to = order.refund_to;
    let taken = Taken::of(&context.swaps);
    if !taken.pending.is_zero() {
        return None;
    }
    let is_over = context.hub_time.is_some_and(|time| time > plan.order.expiry);
    let returned = plan.returned_tx.as_ref();
    let all_came = taken.filled.saturating_add(taken.refunded) >= enough(order, context);
    let refunded =
        context.swaps.iter().find(|swap| swap.evidence.fill.is_none() && swap.evidence.refund.is_some());
    let (code, message) = if let Some(swap) = refunded.filter(|_| all_came || is_over || returned.is_some()) {
        let (refund, _) = swap.evidence.refund.as_ref()?;
        let why = swap.failure_reason.as_deref().unwrap_or("The swap failed.");
        let message =
            format!("{why} The funds were returned to {back_to} in transaction {}.{came}", refund.tx);
        ("swap_refunded", message)
    } else if let Some(fill_tx) = taken.fill_tx.as_ref().filter(|_| is_over || returned.is_some()) {
        let rest = returned.map_or_else(String::new, |tx| {
            format!(" What came later was returned to {back_to} in transaction {tx}.")
        });
        let message = format!(
            "Only {} of {} base units arrived in time and were swapped, in transaction {fill_tx}.{rest}{came}",
            taken.filled, order.sold_amount
        );
        ("partially_delivered", message)
    } else if taken.fill_tx.is_some() || opened(&context.swaps).is_some() {
        return None;
    } else {
        let how = match returned {
            Some(tx) => format!("in transaction {tx}"),
            None if was_returned_by_others(order, plan, context) => {
                "after the forwarding order expired".to_owned()
            }
            None => return None,
        };
        let why = "No route offered the promised rate.";
        ("no_route", format!("{why} The funds were returned to {back_to} {how}.{came}"))
    };
    let failure =
        FiatFailure { code: code.to_owned(), source: FiatFailureSource::Swap, message: message.clone() };
    Some(Next { status: FiatStatus::Failed, message, failure: Some(failure), delivered: None })
}

/// Whether the funds left without a swap; after expiry anybody may return them.
fn was_returned_by_others(order: &FiatOrder, plan: &ForwardingPlan, context: &FiatContext) -> bool {
    let over = context.hub_time.is_some_and(|time| time > plan.order.expiry);
    over && order.payout.is_some()
        && context.forwarding_balance.as_ref().is_some_and(|balance| balance.amount.is_zero())
}

pub(super) fn pending_actions(order: &FiatOrder, context: &FiatContext) -> Vec<ForwardingAction> {
    let Some((plan, balance)) = order.strategy.forwarding().zip(context.forwarding_balance.as_ref()) else {
        return Vec::new();
    };
    let waits =
        order.payout.is_some() && (order.status == FiatStatus::Processing || order.status.is_terminal());
    let funds = ForwardingFunds {
        order: &plan.order,
        token: order.sold,
        expected: order.sold_amount,
        enough: enough(order, context),
        whole: None,
        stage: match order.status.is_terminal() {
            false => FundsStage::Open,
            true if ended_unpaid(order, plan) => FundsStage::EndedUnpaid,
            true => FundsStage::Over,
        },
        is_paid: order.status == FiatStatus::Processing || order.payout.is_some(),
        waits_since: waits.then_some(order.updated_at),
        balance,
        hub_time: context.hub_time,
        swaps: &context.swaps,
        now: context.now,
        patience: context.patience,
    };
    funds.actions()
}

/// Whether the purchase ended before any funds arrived. Late funds are then still swapped.
fn ended_unpaid(order: &FiatOrder, plan: &ForwardingPlan) -> bool {
    let came = order.failure.as_ref().is_some_and(|failure| failure.source == FiatFailureSource::Swap);
    order.status.is_terminal() && order.status != FiatStatus::Completed && !came && plan.returned_tx.is_none()
}
