use jiff::{SignedDuration, Timestamp};

use super::{Decision, Order, OrderStatus};
use crate::{Evidence, RawAmount, TokenId};

/// Bounds of the retry interval of an order that no event wakes.
const MIN_INTERVAL: SignedDuration = SignedDuration::from_millis(500);
const MAX_INTERVAL: SignedDuration = SignedDuration::from_secs(30);

/// The balance of an order's deposit address as of a final block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DepositBalance {
    pub block: u64,
    /// In the order's input token.
    pub input: RawAmount,
    /// Other tokens with a non-zero balance.
    pub others: Vec<TokenId>,
}

/// The external state that the next step of an order depends on.
#[derive(Clone, Debug)]
pub struct OrderContext {
    pub now: Timestamp,
    pub evidence: Evidence,
    /// Timestamp of the origin chain's newest final block; unknown until the chain was read.
    pub origin_time: Option<u64>,
    pub destination_time: Option<u64>,
    pub deposit_balance: Option<DepositBalance>,
}

/// How a deposit is refunded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundMethod {
    /// Requested by the filler.
    Waive,
    /// By an attestation that the order was not filled.
    Unfilled,
    /// By anybody, once the escrow allows it.
    Permissionless,
}

/// A pending action of an order. Every action is idempotent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Submit the payload that the payer signed.
    BroadcastDeposit,
    /// Move the deposit address's balance into the escrow.
    Sweep,
    /// Return funds that the order cannot use from its deposit address, as seen in that block.
    ReturnBalance {
        seen_in: u64,
        tokens: Vec<TokenId>,
    },
    AskFiller,
    Fill,
    Refund(RefundMethod),
    Claim,
    /// Release the filler's reservation.
    Release,
}

/// The updated order and its pending actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub order: Order,
    /// Status changes with a message each, in order.
    pub changes: Vec<(OrderStatus, String)>,
    pub actions: Vec<Action>,
}

impl Step {
    /// Whether nothing is left once all `actions` are done.
    pub fn is_last(&self) -> bool {
        match self.order.status {
            OrderStatus::Filled => self.order.evidence.is_ended(),
            status => status.is_terminal(),
        }
    }
}

/// Advances an order as far as its evidence allows. The function is pure: it returns the same actions until the chains
/// show them done, so an action lost in a crash is repeated by the next call.
pub fn advance(mut order: Order, context: &OrderContext) -> Step {
    let mut changes = Vec::new();
    order.evidence = context.evidence.clone();
    while let Some((status, message)) = next_status(&order, context) {
        match order.clone().transition_to(status, context.now) {
            Ok(next) => order = next,
            // Unreachable: `next_status` returns valid transitions only, as a test checks.
            Err(_) => break,
        }
        match status {
            OrderStatus::RefundPending | OrderStatus::Failed => {
                order.failure_reason.get_or_insert_with(|| message.clone());
            }
            OrderStatus::Filled => order.failure_reason = None,
            _ => {}
        }
        order.announced |= status == OrderStatus::Deposited;
        changes.push((status, message));
    }
    let actions = pending_actions(&order, context);
    order.due_at = Some(due(&order, &actions, context.now));
    Step { order, changes, actions }
}

fn next_status(order: &Order, context: &OrderContext) -> Option<(OrderStatus, String)> {
    use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
    let Evidence { deposit, fill, refund, .. } = &order.evidence;
    let past = |time: Option<u64>, deadline: u64| time.is_some_and(|time| time > deadline);
    let unfilled = past(context.destination_time, order.terms.fill_deadline);
    let message = |text: &str| text.to_owned();
    match order.status {
        Created if deposit.is_some() => Some((Deposited, message("The deposit is final."))),
        Created if past(context.origin_time, order.terms.open_deadline) => {
            Some((Failed, message("No deposit arrived before the deadline.")))
        }
        Deposited if fill.is_some() => Some((Published, message("The filler was notified."))),
        Deposited | Published if refund.is_some() && fill.is_none() => {
            Some((RefundPending, message("The deposit was refunded.")))
        }
        Deposited | Published if order.decision == Some(Decision::Waive) && fill.is_none() => {
            let reason = order.failure_reason.clone();
            Some((RefundPending, reason.unwrap_or_else(|| message("The filler refunds the deposit."))))
        }
        Deposited | Published if unfilled && fill.is_none() => {
            Some((RefundPending, message("Nobody delivered in time; the deposit is refunded.")))
        }
        Deposited if order.decision == Some(Decision::Fill) => {
            Some((Published, message("The filler was notified.")))
        }
        // A filler that delivered while a refund was pending is paid all the same.
        Published | RefundPending if fill.is_some() => Some((Filled, message("The recipient was paid."))),
        RefundPending if refund.is_some() => Some((Refunded, message("The refund is final."))),
        _ => None,
    }
}

fn pending_actions(order: &Order, context: &OrderContext) -> Vec<Action> {
    use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
    let mut actions = match order.status {
        Created => fund_escrow(order, context),
        Deposited => vec![Action::AskFiller],
        Published => vec![Action::Fill],
        RefundPending => vec![Action::Refund(refund_method(order, context))],
        Filled if !order.evidence.is_ended() => {
            vec![Action::Release, Action::Claim]
        }
        Filled | Refunded | Failed => vec![Action::Release],
    };
    actions.extend(return_balance(order, context));
    actions
}

fn fund_escrow(order: &Order, context: &OrderContext) -> Vec<Action> {
    let in_time = context.origin_time.is_none_or(|time| time <= order.terms.open_deadline);
    let balance = context.deposit_balance.as_ref().map_or(RawAmount::ZERO, |balance| balance.input);
    let enough = order.deposit_address.is_some() && balance.get() >= order.terms.amount_in;
    match in_time {
        true if order.signed_payload.is_some() => vec![Action::BroadcastDeposit],
        true if enough => vec![Action::Sweep],
        _ => Vec::new(),
    }
}

fn refund_method(order: &Order, context: &OrderContext) -> RefundMethod {
    let over = context.origin_time.is_some_and(|time| time > order.terms.refund_at);
    match order.decision {
        _ if over => RefundMethod::Permissionless,
        Some(Decision::Waive) => RefundMethod::Waive,
        _ if order.terms.is_same_chain() => RefundMethod::Permissionless,
        _ => RefundMethod::Unfilled,
    }
}

/// Returns what is left at the deposit address once the order no longer needs it. A balance read before the deposit says
/// nothing about what is left. A forwarding address outlives the order and is handled by its purchase.
fn return_balance(order: &Order, context: &OrderContext) -> Option<Action> {
    let own = order.deposit_address.is_some() && order.forwarding.is_none();
    let balance = context.deposit_balance.as_ref().filter(|_| own)?;
    let opened = order.evidence.deposit.as_ref().map(|deposit| deposit.block);
    let over = match opened {
        // Balances are read at the end of a block, after the deposit has left.
        Some(opened) => balance.block >= opened,
        None => order.status == OrderStatus::Failed,
    };
    let input = (!balance.input.is_zero()).then_some(order.from);
    let tokens: Vec<TokenId> = input.into_iter().chain(balance.others.iter().copied()).collect();
    (over && !tokens.is_empty()).then_some(Action::ReturnBalance { seen_in: balance.block, tokens })
}

/// When to process the order next, unless a fact or an arrival wakes it earlier.
fn due(order: &Order, actions: &[Action], now: Timestamp) -> Timestamp {
    if actions.is_empty() {
        // Only the deadline can change it; one second more lets the chain pass it.
        let deadline = Timestamp::from_second(order.terms.open_deadline.try_into().unwrap_or(i64::MAX));
        let deadline = deadline.ok().and_then(|at| at.checked_add(SignedDuration::from_secs(1)).ok());
        return deadline.filter(|at| *at > now).unwrap_or_else(|| retry_at(order, now));
    }
    retry_at(order, now)
}

/// A retry interval that grows while the order does not change.
fn retry_at(order: &Order, now: Timestamp) -> Timestamp {
    let unmoved = now.duration_since(order.updated_at) / 8;
    now.checked_add(unmoved.clamp(MIN_INTERVAL, MAX_INTERVAL)).unwrap_or(now)
}

#[cfg(test)]
mod tests;
