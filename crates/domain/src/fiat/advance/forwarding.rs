use alloy_primitives::U256;
use jiff::{SignedDuration, Timestamp};

use super::{FiatContext, FiatOrderAction, ForwardingBalance, Next};
use crate::fiat::{FiatFailure, FiatFailureSource, FiatOrder, FiatStatus, ForwardingPlan, Strategy};
use crate::{Order, OrderStatus, TokenId};

/// Less than 1/100 of the expected amount is dust, not a payment.
const DUST_DIVISOR: U256 = U256::from_limbs([100, 0, 0, 0]);

/// No swap is opened within this many seconds before expiry, because the chain would reject it.
const EXPIRY_MARGIN: u64 = 600;

/// How long after its expiry a forwarding address is watched.
const WATCHED_AFTER_EXPIRY: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The oldest swap whose deposit is on chain; later funds are returned.
pub(super) fn opened(context: &FiatContext) -> Option<&Order> {
    context.swaps.iter().find(|swap| swap.evidence.deposit.is_some())
}

/// A swap that may still take the balance.
fn open_swap<'a>(context: &'a FiatContext, balance: &ForwardingBalance) -> Option<&'a Order> {
    let in_time = |swap: &Order| context.hub_time.is_none_or(|time| time <= swap.terms.open_deadline);
    context.swaps.iter().find(|swap| {
        swap.status == OrderStatus::Created && swap.terms.amount_in == balance.amount.get() && in_time(swap)
    })
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
    let holds_payment = context.forwarding_balance.as_ref().is_some_and(|balance| is_payment(order, balance));
    order.strategy.forwarding().is_some() && (holds_payment || opened(context).is_some())
}

fn is_payment(order: &FiatOrder, balance: &ForwardingBalance) -> bool {
    !balance.amount.is_zero() && balance.amount.get() >= order.sold_amount.get() / DUST_DIVISOR
}

/// The failure when funds arrived and were returned, by the swap's refund or from the address itself.
pub(super) fn returned_failure(order: &FiatOrder, context: &FiatContext) -> Option<Next> {
    let plan = order.strategy.forwarding()?;
    let came = order.payout.as_ref().map_or_else(String::new, |payout| {
        format!(" The provider delivered them in transaction {}.", payout.tx)
    });
    let back_to = order.refund_to;
    let (code, message) = if let Some(swap) = opened(context) {
        let (refund, _) = swap.evidence.refund.as_ref().filter(|_| swap.evidence.fill.is_none())?;
        let why = swap.failure_reason.as_deref().unwrap_or("The swap failed.");
        let message =
            format!("{why} The funds were returned to {back_to} in transaction {}.{came}", refund.tx);
        ("swap_refunded", message)
    } else {
        let how = match &plan.returned_tx {
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
    let open = !order.status.is_terminal() || is_payment(order, balance) && ended_unpaid(order, plan);
    if !open || opened(context).is_some() {
        return return_balance(order, context, balance).into_iter().collect();
    }
    if !is_payment(order, balance) || open_swap(context, balance).is_some() {
        return Vec::new();
    }
    let seen_in = balance.block;
    if is_out_of_time(order, plan, context) {
        let tokens = with_others(order.sold, balance);
        return vec![FiatOrderAction::ReturnBalance { tokens, seen_in }];
    }
    vec![FiatOrderAction::Swap { amount: balance.amount, seen_in }]
}

/// Whether the purchase ended before any funds arrived. Late funds are then still swapped.
fn ended_unpaid(order: &FiatOrder, plan: &ForwardingPlan) -> bool {
    let came = order.failure.as_ref().is_some_and(|failure| failure.source == FiatFailureSource::Swap);
    order.status.is_terminal() && order.status != FiatStatus::Completed && !came && plan.returned_tx.is_none()
}

/// Returns what no swap needs. A balance read before the deposit says nothing about what is left.
fn return_balance(
    order: &FiatOrder,
    context: &FiatContext,
    balance: &ForwardingBalance,
) -> Option<FiatOrderAction> {
    let taken = opened(context).and_then(|swap| swap.evidence.deposit.as_ref());
    // Balances are read at the end of a block, after the deposit has left.
    let fresh = taken.is_none_or(|deposit| balance.block >= deposit.block);
    let input = (!balance.amount.is_zero()).then_some(order.sold);
    let tokens: Vec<TokenId> = input.into_iter().chain(balance.others.iter().copied()).collect();
    (fresh && !tokens.is_empty()).then_some(FiatOrderAction::ReturnBalance { tokens, seen_in: balance.block })
}

fn with_others(input: TokenId, balance: &ForwardingBalance) -> Vec<TokenId> {
    std::iter::once(input).chain(balance.others.iter().copied()).collect()
}

/// Whether the funds stop waiting for a route, because patience ran out or the order is about to expire.
fn is_out_of_time(order: &FiatOrder, plan: &ForwardingPlan, context: &FiatContext) -> bool {
    let now = context.hub_time.unwrap_or_else(|| context.now.as_second().try_into().unwrap_or(u64::MAX));
    let late = now.saturating_add(EXPIRY_MARGIN) > plan.order.expiry;
    // Counted from when the funds were first seen, because slow bank transfers must not use up the patience.
    let waits =
        order.payout.is_some() && (order.status == FiatStatus::Processing || order.status.is_terminal());
    let waited_long = waits && context.now.duration_since(order.updated_at) > context.patience;
    late || waited_long
}

/// Until when the forwarding address is watched.
pub(super) fn watched_until(order: &FiatOrder) -> Option<Timestamp> {
    let expiry = i64::try_from(order.strategy.forwarding()?.order.expiry).ok()?;
    Timestamp::from_second(expiry).ok()?.checked_add(WATCHED_AFTER_EXPIRY).ok()
}
