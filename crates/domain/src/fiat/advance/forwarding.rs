use alloy_primitives::U256;
use jiff::{SignedDuration, Timestamp};

use super::{FiatContext, FiatOrderAction, ForwardingBalance, Next};
use crate::fiat::{FiatFailure, FiatFailureSource, FiatOrder, FiatStatus, ForwardingPlan, Strategy};
use crate::ports::RampState;
use crate::{Order, OrderStatus, RawAmount, TokenId};

/// Less than 1/100 of the sold amount is dust, not a payment.
const DUST_DIVISOR: U256 = U256::from_limbs([100, 0, 0, 0]);

/// Until the provider says that it was paid, less than 1/2 of the sold amount may be a stranger's.
const PLAUSIBLE_DIVISOR: U256 = U256::from_limbs([2, 0, 0, 0]);

/// No swap is opened within this many seconds before expiry, because the chain would reject it.
const EXPIRY_MARGIN: u64 = 600;

/// How long after its expiry a forwarding address is watched.
const WATCHED_AFTER_EXPIRY: SignedDuration = SignedDuration::from_hours(7 * 24);

/// What the swaps of a purchase have taken from its forwarding address.
#[derive(Default)]
struct Taken {
    /// Under way: deposited, neither filled nor refunded.
    pending: U256,
    filled: U256,
    refunded: U256,
    /// What the recipient got for it, and the newest transaction.
    output: U256,
    fill_tx: Option<String>,
    /// The newest block of a deposit.
    block: Option<u64>,
}

impl Taken {
    fn of(context: &FiatContext) -> Self {
        let mut taken = Self::default();
        for swap in &context.swaps {
            let Some(deposit) = &swap.evidence.deposit else { continue };
            taken.block = taken.block.max(Some(deposit.block));
            let amount = swap.terms.amount_in;
            match (&swap.evidence.fill, &swap.evidence.refund) {
                (Some(fill), _) => {
                    taken.filled = taken.filled.saturating_add(amount);
                    taken.output = taken.output.saturating_add(fill.amount.get());
                    taken.fill_tx = Some(fill.tx.clone());
                }
                (None, Some(_)) => taken.refunded = taken.refunded.saturating_add(amount),
                (None, None) => taken.pending = taken.pending.saturating_add(amount),
            }
        }
        taken
    }

    const fn swapped(&self) -> U256 {
        self.pending.saturating_add(self.filled)
    }
}

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
    !amount.is_zero() && amount >= order.sold_amount.get() / PLAUSIBLE_DIVISOR
}

pub(super) fn is_covered(order: &FiatOrder, context: &FiatContext) -> bool {
    Taken::of(context).swapped() >= enough(order, context)
}

/// What the recipient received, once as much was swapped as the provider sold.
pub(super) fn delivered(order: &FiatOrder, context: &FiatContext) -> Option<(RawAmount, String)> {
    let taken = Taken::of(context);
    let tx = taken.fill_tx.filter(|_| taken.filled >= enough(order, context))?;
    Some((RawAmount::new(taken.output), tx))
}

/// Records what reached the recipient while more is still to come; returns a message when it has grown.
pub(super) fn record_partial(order: &mut FiatOrder, context: &FiatContext) -> Option<String> {
    order.strategy.forwarding()?;
    let taken = Taken::of(context);
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

/// The oldest swap whose deposit is on chain.
fn opened(context: &FiatContext) -> Option<&Order> {
    context.swaps.iter().find(|swap| swap.evidence.deposit.is_some())
}

/// A swap that may still take the balance, or most of it: what came since it was quoted waits until it has. Otherwise anybody
/// could hold it up with small payments, for each of which a new swap would be needed.
fn open_swap<'a>(context: &'a FiatContext, balance: &ForwardingBalance) -> Option<&'a Order> {
    let in_time = |swap: &Order| context.hub_time.is_none_or(|time| time <= swap.terms.open_deadline);
    let waits = |swap: &Order| swap.status == OrderStatus::Created && swap.evidence.deposit.is_none();
    context
        .swaps
        .iter()
        .find(|swap| waits(swap) && swap.terms.amount_in <= balance.amount.get() && in_time(swap))
}

/// Records the swap that took the funds, else the newest one.
pub(super) fn record_swap(order: &mut FiatOrder, context: &FiatContext) {
    let swap = opened(context).or(context.swaps.last()).map(|swap| swap.id.clone());
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
    let refunded = opened(context).and_then(|swap| swap.evidence.refund.as_ref()).filter(|_| late);
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
    order.strategy.forwarding().is_some() && (is_plausible(order, held) || opened(context).is_some())
}

/// Whether the balance is the provider's. Once the provider was paid, or names the payout, every part of it is.
fn is_payment(order: &FiatOrder, context: &FiatContext, balance: &ForwardingBalance) -> bool {
    let (held, sold) = (balance.amount.get(), order.sold_amount.get());
    let is_paid = order.status == FiatStatus::Processing || order.payout.is_some();
    let whole = held.saturating_add(Taken::of(context).swapped());
    !held.is_zero() && held >= sold / DUST_DIVISOR && (is_paid || is_plausible(order, whole))
}

/// The failure when funds arrived and were returned, by the swap's refund or from the address itself.
pub(super) fn returned_failure(order: &FiatOrder, context: &FiatContext) -> Option<Next> {
    let plan = order.strategy.forwarding()?;
    let came = order.payout.as_ref().map_or_else(String::new, |payout| {
        format!(" The provider delivered them in transaction {}.", payout.tx)
    });
    let back_to = order.refund_to;
    let taken = Taken::of(context);
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
    } else if taken.fill_tx.is_some() || opened(context).is_some() {
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

pub(super) fn pending_actions(order: &FiatOrder, context: &FiatContext) -> Vec<FiatOrderAction> {
    let Some((plan, balance)) = order.strategy.forwarding().zip(context.forwarding_balance.as_ref()) else {
        return Vec::new();
    };
    let is_open = !order.status.is_terminal() || ended_unpaid(order, plan);
    if !is_open || is_covered(order, context) {
        return return_balance(order, context, balance).into_iter().collect();
    }
    let is_payment = is_payment(order, context, balance);
    if !is_fresh(context, balance) || is_payment && open_swap(context, balance).is_some() {
        return Vec::new();
    }
    // Until the end, a stranger's cents wait: returned now, they would make a late payment look like a second one.
    if is_late(plan, context) && (is_payment || order.status.is_terminal())
        || is_payment && waited_long(order, context)
    {
        return return_balance(order, context, balance).into_iter().collect();
    }
    if !is_payment {
        return Vec::new();
    }
    vec![FiatOrderAction::Swap { amount: balance.amount, seen_in: balance.block }]
}

/// Whether the purchase ended before any funds arrived. Late funds are then still swapped.
fn ended_unpaid(order: &FiatOrder, plan: &ForwardingPlan) -> bool {
    let came = order.failure.as_ref().is_some_and(|failure| failure.source == FiatFailureSource::Swap);
    order.status.is_terminal() && order.status != FiatStatus::Completed && !came && plan.returned_tx.is_none()
}

/// Returns what no swap needs.
fn return_balance(
    order: &FiatOrder,
    context: &FiatContext,
    balance: &ForwardingBalance,
) -> Option<FiatOrderAction> {
    let input = (!balance.amount.is_zero()).then_some(order.sold);
    let tokens: Vec<TokenId> = input.into_iter().chain(balance.others.iter().copied()).collect();
    let is_due = is_fresh(context, balance) && !tokens.is_empty();
    is_due.then_some(FiatOrderAction::ReturnBalance { tokens, seen_in: balance.block })
}

/// A balance read before a deposit says nothing about what is left. Balances are read at the end of a block.
fn is_fresh(context: &FiatContext, balance: &ForwardingBalance) -> bool {
    Taken::of(context).block.is_none_or(|deposit| balance.block >= deposit)
}

/// Whether the forwarding order is about to expire.
fn is_late(plan: &ForwardingPlan, context: &FiatContext) -> bool {
    let now = context.hub_time.unwrap_or_else(|| context.now.as_second().try_into().unwrap_or(u64::MAX));
    now.saturating_add(EXPIRY_MARGIN) > plan.order.expiry
}

/// Whether the funds have waited for a route for too long, counted from when they were first seen: slow bank transfers must not
/// use up the patience. What follows a first part waits until the forwarding order is about to expire.
fn waited_long(order: &FiatOrder, context: &FiatContext) -> bool {
    let waits =
        order.payout.is_some() && (order.status == FiatStatus::Processing || order.status.is_terminal());
    waits && opened(context).is_none() && context.now.duration_since(order.updated_at) > context.patience
}

/// Until when the forwarding address is watched.
pub(super) fn watched_until(order: &FiatOrder) -> Option<Timestamp> {
    let expiry = i64::try_from(order.strategy.forwarding()?.order.expiry).ok()?;
    Timestamp::from_second(expiry).ok()?.checked_add(WATCHED_AFTER_EXPIRY).ok()
}
