use alloy_primitives::U256;
use jiff::{SignedDuration, Timestamp};

use super::{FiatTodo, FiatWorld, Lying, Next};
use crate::fiat::{FiatFailure, FiatFailureSource, FiatOrder, FiatStatus, JumpPlan, Strategy};
use crate::{Order, OrderStatus, TokenId};

/// Less than this part of what was to come is no payment: anybody can send dust to an address.
const DUST: U256 = U256::from_limbs([100, 0, 0, 0]);

/// Nothing is opened so shortly before the jump expires, in seconds: it would be refused on the way.
const MARGIN: u64 = 600;

/// For how long after its expiry a jump's address is looked at.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The swap that took the money, by what the chain shows: the oldest, for what came later goes back.
pub(super) fn opened(world: &FiatWorld) -> Option<&Order> {
    world.swaps.iter().find(|swap| swap.evidence.deposit.is_some())
}

/// A swap that may still take what lies at the address.
fn waiting<'a>(world: &'a FiatWorld, lying: &Lying) -> Option<&'a Order> {
    let in_time = |swap: &Order| world.hub_time.is_none_or(|time| time <= swap.terms.open_deadline);
    world.swaps.iter().find(|swap| {
        swap.status == OrderStatus::Created && swap.terms.amount_in == lying.amount.get() && in_time(swap)
    })
}

/// Keeps which swap the money went into, else which was drawn up last.
pub(super) fn note_swap(order: &mut FiatOrder, world: &FiatWorld) {
    let swap = opened(world).or(world.swaps.last()).map(|swap| swap.id.clone());
    if let (Strategy::Jump(plan), Some(swap)) = (&mut order.strategy, swap) {
        plan.swap = Some(swap);
    }
}

/// Keeps how money went back; words when that was after the end.
pub(super) fn note_return(order: &mut FiatOrder, world: &FiatWorld) -> Option<String> {
    let ended = order.status.is_terminal();
    let late = order.strategy.jump().is_some_and(|plan| ended_unpaid(order, plan));
    let back_to = order.refund_to;
    let Strategy::Jump(plan) = &mut order.strategy else { return None };
    let taken_back = opened(world).and_then(|swap| swap.evidence.refund.as_ref()).filter(|_| late);
    let tx = world.returned.as_ref().or(taken_back.map(|(refund, _)| &refund.tx))?;
    if plan.returned_tx.as_ref() == Some(tx) {
        return None;
    }
    plan.returned_tx = Some(tx.clone());
    ended.then(|| format!("Money went back to {back_to} in transaction {tx}."))
}

/// Whether the provider's money is there, or was and has gone on.
pub(super) fn has_arrived(order: &FiatOrder, world: &FiatWorld) -> bool {
    let lies = world.lying.as_ref().is_some_and(|lying| is_payment(order, lying));
    order.strategy.jump().is_some() && (lies || opened(world).is_some())
}

fn is_payment(order: &FiatOrder, lying: &Lying) -> bool {
    !lying.amount.is_zero() && lying.amount.get() >= order.sold_amount.get() / DUST
}

/// The money came and went back: by the swap's refund, or straight from the address.
pub(super) fn came_to_nothing(order: &FiatOrder, world: &FiatWorld) -> Option<Next> {
    let plan = order.strategy.jump()?;
    let came = order.payout.as_ref().map_or_else(String::new, |payout| {
        format!(" The provider had delivered it in transaction {}.", payout.tx)
    });
    let back_to = order.refund_to;
    let (code, words) = if let Some(swap) = opened(world) {
        let (refund, _) = swap.evidence.refund.as_ref().filter(|_| swap.evidence.fill.is_none())?;
        let why = swap.failure_reason.as_deref().unwrap_or("The swap could not be carried out.");
        let words = format!("{why} The money went back to {back_to} in transaction {}.{came}", refund.tx);
        ("swap_refunded", words)
    } else {
        let how = match &plan.returned_tx {
            Some(tx) => format!("in transaction {tx}"),
            // Anybody may send it back by then.
            None if has_gone(order, plan, world) => "when its time was over".to_owned(),
            None => return None,
        };
        let why = "No route would have delivered what was promised.";
        ("no_route", format!("{why} The money went back to {back_to} {how}.{came}"))
    };
    let failure =
        FiatFailure { code: code.to_owned(), source: FiatFailureSource::Swap, words: words.clone() };
    Some(Next { status: FiatStatus::Failed, words, failure: Some(failure), delivered: None })
}

/// Whether money that came lies there no more, though no swap took it: past the expiry anybody may send it back.
fn has_gone(order: &FiatOrder, plan: &JumpPlan, world: &FiatWorld) -> bool {
    let over = world.hub_time.is_some_and(|time| time > plan.jump.expiry);
    over && order.payout.is_some() && world.lying.as_ref().is_some_and(|lying| lying.amount.is_zero())
}

pub(super) fn todo(order: &FiatOrder, world: &FiatWorld) -> Vec<FiatTodo> {
    let Some((plan, lying)) = order.strategy.jump().zip(world.lying.as_ref()) else { return Vec::new() };
    let open = !order.status.is_terminal() || is_payment(order, lying) && ended_unpaid(order, plan);
    if !open || opened(world).is_some() {
        return give_back(order, world, lying).into_iter().collect();
    }
    if !is_payment(order, lying) || waiting(world, lying).is_some() {
        return Vec::new();
    }
    let seen_in = lying.block;
    if is_hopeless(order, plan, world) {
        let tokens = with_others(order.sold, lying);
        return vec![FiatTodo::GiveBack { tokens, seen_in }];
    }
    vec![FiatTodo::Swap { amount: lying.amount, seen_in }]
}

/// Whether the purchase ended before any money had come: what comes then, though late, is what was bought.
fn ended_unpaid(order: &FiatOrder, plan: &JumpPlan) -> bool {
    let came = order.failure.as_ref().is_some_and(|failure| failure.source == FiatFailureSource::Swap);
    order.status.is_terminal() && order.status != FiatStatus::Completed && !came && plan.returned_tx.is_none()
}

/// Nothing waits for what lies there any more. A look from before the swap was opened tells nothing of what is left.
fn give_back(order: &FiatOrder, world: &FiatWorld, lying: &Lying) -> Option<FiatTodo> {
    let taken = opened(world).and_then(|swap| swap.evidence.deposit.as_ref());
    // A balance is read at its block's end, when the deposit has left already.
    let fresh = taken.is_none_or(|deposit| lying.block >= deposit.block);
    let input = (!lying.amount.is_zero()).then_some(order.sold);
    let tokens: Vec<TokenId> = input.into_iter().chain(lying.others.iter().copied()).collect();
    (fresh && !tokens.is_empty()).then_some(FiatTodo::GiveBack { tokens, seen_in: lying.block })
}

fn with_others(input: TokenId, lying: &Lying) -> Vec<TokenId> {
    std::iter::once(input).chain(lying.others.iter().copied()).collect()
}

/// Whether the money waits no longer for a route: it has waited long enough, or the jump is about to expire.
fn is_hopeless(order: &FiatOrder, plan: &JumpPlan, world: &FiatWorld) -> bool {
    let now = world.hub_time.unwrap_or_else(|| world.now.as_second().try_into().unwrap_or(u64::MAX));
    let late = now.saturating_add(MARGIN) > plan.jump.expiry;
    // Counted from when the money was first seen: a bank may take longer than any route, and that is no reason to give up.
    let waits =
        order.payout.is_some() && (order.status == FiatStatus::Processing || order.status.is_terminal());
    let tired = waits && world.now.duration_since(order.updated_at) > world.patience;
    late || tired
}

/// Until when what comes to the jump's address is sent back.
pub(super) fn watched_until(order: &FiatOrder) -> Option<Timestamp> {
    let expiry = i64::try_from(order.strategy.jump()?.jump.expiry).ok()?;
    Timestamp::from_second(expiry).ok()?.checked_add(KEPT).ok()
}
