mod joined;

use jiff::{SignedDuration, Timestamp};

use crate::ports::{ProviderReport, ProviderState};
use crate::{
    ConfirmedTx, DepositMethod, ForwardingAction, JoinedOrder, Order, OrderStatus, RawAmount, RefundCause,
};

pub use joined::JoinedContext;

/// How often an open order is looked at: an eighth of the time since its last change, within these bounds.
const MIN_INTERVAL: SignedDuration = SignedDuration::from_secs(2);
const MAX_INTERVAL: SignedDuration = SignedDuration::from_secs(60);

/// How long an order that may have been paid is kept open while nobody tells: a chain or the provider does not answer.
const PATIENCE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How often a payment is looked for that may only arrive too late.
const LATE_INTERVAL: SignedDuration = SignedDuration::from_mins(10);

/// What the chains show of an order that a provider settles, in final blocks, and what the provider says.
#[derive(Clone, Debug)]
pub struct ProviderContext {
    pub now: Timestamp,
    /// The payer's own transaction, as it was built, with what it paid to the pinned target; or the transfers to the provider's
    /// address, of at least the input.
    pub deposit: Option<ConfirmedTx>,
    /// Transfers to the provider's address of less than the input.
    pub underpaid: Option<(RawAmount, String)>,
    /// Transfers of at least the agreed output to the recipient; of a joined route those of the stablecoin to the forwarding
    /// address.
    pub fill: Option<ConfirmedTx>,
    /// What came back, and in which form where it is not the input at the refund address.
    pub refund: Option<(ConfirmedTx, Option<String>)>,
    /// A transfer of less than the agreed output, or of what is too little for a return.
    pub short: Option<(RawAmount, String)>,
    pub report: Option<ProviderReport>,
    /// Whether a source that would have shown the payment did not answer: that none is known then means nothing.
    pub is_unheard: bool,
    /// Of a joined route: what the chains show of its second leg.
    pub joined: Option<JoinedContext>,
}

impl ProviderContext {
    /// Nothing is known yet.
    pub const fn new(now: Timestamp) -> Self {
        Self {
            now,
            deposit: None,
            underpaid: None,
            fill: None,
            refund: None,
            short: None,
            report: None,
            is_unheard: false,
            joined: None,
        }
    }
}

/// An order after a step, its changes of status, and what is to be done with what waits at its forwarding address.
#[derive(Clone, Debug)]
pub struct ProviderStep {
    pub order: Order,
    pub changes: Vec<(OrderStatus, String)>,
    pub actions: Vec<ForwardingAction>,
}

/// Advances an order that a provider settles. The provider's word moves it between open statuses; only what a chain shows
/// makes it deposited, filled or refunded. Where the service does not read the source chain, the provider's word makes it
/// deposited and refunded, and says so; filled it is by the destination chain alone.
pub fn advance_provider(order: Order, context: &ProviderContext) -> ProviderStep {
    let mut step = ProviderStep { order, changes: Vec::new(), actions: Vec::new() };
    if step.order.joined().is_some() && step.order.status.is_terminal() {
        joined::keep_evidence(&mut step.order, context);
        step.actions = joined::actions(&step.order, context);
        step.order.due_at = due(&step.order, context.now);
        return step;
    }
    let is_unread = is_source_unread(&step.order);
    keep_evidence(&mut step.order, context);
    if let (Some(provider), Some(report)) = (step.order.provider.as_mut(), &context.report) {
        provider.set_word(&report.word);
        if let Some(tx) = report.deposits.first().filter(|_| is_unread) {
            provider.set_named_deposit(tx);
        }
    }
    while let Some((status, detail)) = next(&step.order, context) {
        // Every step is one of the table's.
        let Ok(order) = step.order.clone().transition_to(status, context.now) else { break };
        step.order = order;
        // What was short before is whole now.
        if matches!(status, OrderStatus::Deposited | OrderStatus::Filled) {
            step.order.failure_reason = None;
        }
        step.changes.push((status, detail));
    }
    step.order.failure_reason = failure(&step.order, context).or(step.order.failure_reason);
    step.actions = joined::actions(&step.order, context);
    step.order.due_at = due(&step.order, context.now);
    step
}

fn keep_evidence(order: &mut Order, context: &ProviderContext) {
    let evidence = &mut order.evidence;
    evidence.deposit = evidence.deposit.take().or_else(|| context.deposit.clone());
    if order.joined().is_some() {
        return joined::keep_evidence(order, context);
    }
    let evidence = &mut order.evidence;
    // Who pays an address may do it in a way that leaves no trace: what the other chain shows is enough then.
    if evidence.deposit.is_none() && order.method != DepositMethod::Transfer {
        return;
    }
    evidence.fill = evidence.fill.take().or_else(|| context.fill.clone());
    if evidence.fill.is_none() {
        let refund = context.refund.clone().map(|(confirmed, _)| (confirmed, RefundCause::Provider));
        evidence.refund = evidence.refund.take().or(refund);
    }
}

fn next(order: &Order, context: &ProviderContext) -> Option<(OrderStatus, String)> {
    use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
    let (evidence, provider) = (&order.evidence, &order.filler);
    let state = context.report.as_ref().map(|report| &report.state);
    let second = second_leg(order);
    let returns = match second {
        // What the provider says of the first leg is out of date.
        Some(_) => joined::was_returned_by_others(order, context),
        None => matches!(state, Some(ProviderState::Failed | ProviderState::Returned(_))),
    };
    let not_delivered = || match second {
        Some(joined) => {
            format!(
                "The second swap was not made, and {} goes to {}.",
                joined.terms.hub, joined.terms.refund_to
            )
        }
        None => format!("{provider} did not deliver and says that it returns the money."),
    };
    match order.status {
        Created => match &evidence.deposit {
            Some(deposit) => Some((
                Deposited,
                format!("The payer's transaction {} is final: {provider} has the money.", deposit.tx),
            )),
            None if evidence.fill.is_some() || evidence.refund.is_some() => {
                Some((Deposited, format!("{provider} has paid out, so it had the money.")))
            }
            None if second.is_some() => {
                Some((Deposited, format!("{provider} has delivered the first leg, so it had the money.")))
            }
            None if is_said_to_be_paid(order, context) => Some((
                Deposited,
                format!(
                    "{provider} says that it has the money; this service does not read the source chain."
                ),
            )),
            None if is_unpaid(order, context) => Some((Failed, UNPAID.to_owned())),
            None => None,
        },
        Deposited if evidence.fill.is_none() && (evidence.refund.is_some() || returns) => {
            Some((RefundPending, not_delivered()))
        }
        Deposited if evidence.fill.is_some() || state.is_some() || second.is_some() => {
            Some((Published, format!("{provider} works on the transfer.")))
        }
        Published | RefundPending if evidence.fill.is_some() => {
            let tx = evidence.fill.as_ref().map_or("", |fill| fill.tx.as_str());
            let by = if second.is_some() { "the second swap" } else { provider };
            Some((Filled, format!("Delivered by {by} in transaction {tx}.")))
        }
        Published if evidence.refund.is_some() || returns => Some((RefundPending, not_delivered())),
        RefundPending => match (&evidence.refund, said_return(order, context)) {
            (Some((refund, _)), _) if second.is_some() => {
                Some((Refunded, format!("Returned in transaction {}.", refund.tx)))
            }
            (Some((refund, _)), _) => {
                Some((Refunded, format!("Returned by {provider} in transaction {}.", refund.tx)))
            }
            (None, _) if second.is_some() => {
                returns.then(|| (Refunded, "Returned after the forwarding order expired.".to_owned()))
            }
            (None, Some(_)) => Some((Refunded, format!("{provider} says that it has returned the money."))),
            (None, None) => None,
        },
        Deposited | Published | Filled | Refunded | Failed => None,
    }
}

/// The second leg of a joined route, once the first one is over.
fn second_leg(order: &Order) -> Option<&JoinedOrder> {
    order.joined().filter(|joined| joined.has_arrived())
}

/// Why the order ended without its output, or delivers less than agreed, for people.
fn failure(order: &Order, context: &ProviderContext) -> Option<String> {
    if let (OrderStatus::Refunded, Some(joined)) = (order.status, second_leg(order)) {
        return Some(joined::failure(order, joined, context));
    }
    match order.status {
        OrderStatus::Refunded => {
            let said = said_return(order, context).map(|tx| {
                format!(
                    "{0} did not deliver and says that it has returned the input, less its fee, to {1} in transaction {tx}. \
                     This service does not read that chain: look there.",
                    order.filler, order.refund_to
                )
            });
            let form = context.refund.as_ref().and_then(|(_, form)| form.clone()).or(said);
            Some(form.unwrap_or_else(|| format!("{} did not deliver and returned the money.", order.filler)))
        }
        OrderStatus::Failed => Some(order.failure_reason.clone().unwrap_or_else(|| UNPAID.to_owned())),
        OrderStatus::Filled => None,
        OrderStatus::Created if is_source_unread(order) => {
            let received = context.report.as_ref().and_then(|report| report.received);
            received.filter(|received| !received.is_zero() && *received < order.src_amount).map(|received| {
                format!(
                    "{} says that only {received} of {} raw units have arrived at its address.",
                    order.filler, order.src_amount
                )
            })
        }
        OrderStatus::Created => context.underpaid.as_ref().map(|(amount, tx)| {
            format!(
                "Only {amount} of {} raw units have arrived at {}'s address, in transaction {tx}.",
                order.src_amount, order.filler
            )
        }),
        OrderStatus::RefundPending => context.short.as_ref().map(|(amount, tx)| {
            format!(
                "{} returned {amount} raw units in transaction {tx}, which are worth too little to count as the return.",
                order.filler
            )
        }),
        _ => context.short.as_ref().map(|(amount, tx)| {
            format!(
                "{} delivered {amount} raw units in transaction {tx}, which is less than the agreed {}.",
                order.filler,
                order.joined().map_or(order.dest_amount, |joined| joined.terms.hub_amount)
            )
        }),
    }
}

/// Whether nobody but the provider tells what happens on the source chain.
fn is_source_unread(order: &Order) -> bool {
    order.from.chain().family().is_source_only()
}

/// Whether the provider says that it has the input, on a chain that the service does not read.
fn is_said_to_be_paid(order: &Order, context: &ProviderContext) -> bool {
    let Some(report) = context.report.as_ref().filter(|_| is_source_unread(order)) else { return false };
    report.received.is_some_and(|received| received >= order.src_amount)
        || matches!(report.state, ProviderState::Returned(_))
}

/// The transaction in which the provider says that it has returned the input, on a chain that the service does not read.
fn said_return<'a>(order: &Order, context: &'a ProviderContext) -> Option<&'a str> {
    match &context.report.as_ref()?.state {
        ProviderState::Returned(returned) if is_source_unread(order) && returned.token == order.from => {
            Some(&returned.tx)
        }
        _ => None,
    }
}

const UNPAID: &str = "No deposit was seen in time.";

/// Whether the time for a deposit is over. The provider's own transaction takes no deposit of ours, so this is generous. Failed
/// is for good, so a source that does not answer is waited for.
fn is_unpaid(order: &Order, context: &ProviderContext) -> bool {
    let patience = if context.is_unheard { PATIENCE.as_secs() } else { 0 };
    let until = i64::try_from(order.terms.fill_deadline).ok();
    until.is_some_and(|until| context.now.as_second() > until.saturating_add(patience))
}

fn due(order: &Order, now: Timestamp) -> Option<Timestamp> {
    if order.status.is_terminal() {
        return order.joined().and_then(|joined| joined::due_after_end(order, &joined.plan, now));
    }
    let unmoved = (now.duration_since(order.updated_at) / 8).clamp(MIN_INTERVAL, MAX_INTERVAL);
    if order.status != OrderStatus::Created || order.submitted_tx.is_some() {
        return now.checked_add(unmoved).ok();
    }
    let until = i64::try_from(order.terms.fill_deadline).ok()?.checked_add(1)?;
    let until = Timestamp::from_second(until).ok()?;
    if now >= until {
        return now.checked_add(LATE_INTERVAL).ok();
    }
    if order.method != DepositMethod::Transfer && order.joined().is_none() {
        // There is nothing to look up before a transaction is submitted.
        return Some(until);
    }
    let is_late = i64::try_from(order.terms.open_deadline).is_ok_and(|open| now.as_second() > open);
    let next = now.checked_add(if is_late { LATE_INTERVAL } else { unmoved }).ok()?;
    Some(next.min(until))
}

#[cfg(test)]
mod tests;
