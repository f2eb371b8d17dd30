mod forwarding;
#[cfg(test)]
mod tests;

use jiff::{SignedDuration, Timestamp};

use super::{FiatFailure, FiatFailureSource, FiatOrder, FiatStatus, Payout, Strategy};
use crate::ports::{RampReport, RampState};
use crate::{ForwardingAction, ForwardingBalance, ForwardingPlan, Order, RawAmount};

/// Bounds of the poll interval of a purchase in progress.
const MIN_INTERVAL: SignedDuration = SignedDuration::from_millis(500);
const MAX_INTERVAL: SignedDuration = SignedDuration::from_secs(30);

/// Shortest poll interval while the purchase is unpaid.
const UNPAID_MIN_INTERVAL: SignedDuration = SignedDuration::from_secs(2);

/// Extra time for a payer who started before the deadline, because bank transfers are slow.
const STARTED_GRACE: SignedDuration = SignedDuration::from_hours(24);

/// Extra time after a failed attempt, because the payer may be retrying.
const RETRY_GRACE: SignedDuration = SignedDuration::from_mins(10);

/// How long after its deadline an unpaid purchase is still polled: the provider may deliver late.
const LATE_WINDOW: SignedDuration = SignedDuration::from_hours(3 * 24);
const LATE_MIN_INTERVAL: SignedDuration = SignedDuration::from_mins(10);
const LATE_MAX_INTERVAL: SignedDuration = SignedDuration::from_hours(12);

/// The answer of a provider to a lookup of one purchase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderLookup {
    /// The provider does not know the purchase.
    NotFound,
    Found(Box<RampReport>),
}

/// The external state that the next step of a purchase depends on.
#[derive(Clone, Debug)]
pub struct FiatContext {
    pub now: Timestamp,
    /// Absent when the provider was not asked or did not answer.
    pub lookup: Option<ProviderLookup>,
    /// Transfers of the sold token to the delivery address in final blocks that completed no other purchase.
    pub payouts: Vec<Payout>,
    pub forwarding_balance: Option<ForwardingBalance>,
    /// Timestamp of the newest final block of the forwarding address's chain.
    pub hub_time: Option<u64>,
    /// The final transaction that last returned funds from the forwarding address.
    pub returned: Option<String>,
    /// The swaps created for the forwarded funds, oldest first, each with its current evidence.
    pub swaps: Vec<Order>,
    /// How much less than the sold amount may arrive for the purchase to be complete, in hundredths of a percent.
    pub tolerance_bps: u16,
    /// How long arrived funds wait for a route at the promised rate before they are returned.
    pub patience: SignedDuration,
}

/// The updated purchase and its pending actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiatStep {
    pub order: FiatOrder,
    /// New events: status changes and other messages, in order.
    pub changes: Vec<(Option<FiatStatus>, String)>,
    pub actions: Vec<ForwardingAction>,
}

/// A status change with its data.
struct Next {
    status: FiatStatus,
    message: String,
    failure: Option<FiatFailure>,
    /// What the recipient got, and in which transaction.
    delivered: Option<(RawAmount, String)>,
}

impl Next {
    fn plain(status: FiatStatus, message: &str) -> Self {
        Self { status, message: message.to_owned(), failure: None, delivered: None }
    }
}

/// Advances a purchase as far as provider reports and chain evidence allow. Reports change the status, but only chain
/// evidence completes a purchase. The function is pure: it returns the same actions until the chain shows them done.
pub fn advance_fiat(mut order: FiatOrder, context: &FiatContext) -> FiatStep {
    let mut changes = Vec::new();
    if let Some(report) = report(context) {
        order.provider_order = order.provider_order.or_else(|| report.provider_order.clone());
    }
    changes.extend(record_payout(&mut order, context).map(|message| (None, message)));
    forwarding::record_swap(&mut order, context);
    changes.extend(forwarding::record_return(&mut order, context).map(|message| (None, message)));
    changes.extend(forwarding::record_partial(&mut order, context).map(|message| (None, message)));
    changes.extend(record_late_delivery(&mut order, context).map(|message| (None, message)));
    while let Some(next) = next_status(&order, context) {
        if !order.status.can_become(next.status) {
            break;
        }
        order.status = next.status;
        order.updated_at = context.now;
        order.failure = order.failure.or(next.failure);
        if let Some((amount, tx)) = next.delivered {
            (order.output, order.fill_tx) = (Some(amount), Some(tx));
        }
        changes.push((Some(next.status), next.message));
    }
    let actions = forwarding::pending_actions(&order, context);
    order.due_at = due(&order, &actions, context.now);
    FiatStep { order, changes, actions }
}

fn report(context: &FiatContext) -> Option<&RampReport> {
    match &context.lookup {
        Some(ProviderLookup::Found(report)) => Some(report),
        _ => None,
    }
}

/// Records the first on-chain delivery; returns a message when it is short or late.
fn record_payout(order: &mut FiatOrder, context: &FiatContext) -> Option<String> {
    if order.payout.is_some() || order.status == FiatStatus::Completed {
        return None;
    }
    let payout = context.payouts.iter().find(|payout| payout.token == order.sold)?.clone();
    let (amount, promised) = (payout.amount, order.sold_amount);
    if order.status.is_terminal() {
        let message =
            format!("After the end the provider delivered {amount} base units in transaction {}.", payout.tx);
        (order.payout, order.updated_at) = (Some(payout), context.now);
        return Some(message);
    }
    order.payout = Some(payout);
    order.updated_at = context.now;
    let short = amount < promised;
    short.then(|| format!("The provider delivered {amount} base units where {promised} were agreed."))
}

/// Records a delivery after the purchase ended unpaid. The status stays, because clients stopped waiting.
fn record_late_delivery(order: &mut FiatOrder, context: &FiatContext) -> Option<String> {
    if !order.status.is_terminal() || order.status == FiatStatus::Completed {
        return None;
    }
    let (amount, tx) = delivered(order, context)?;
    if order.output.is_some_and(|known| known >= amount) {
        return None;
    }
    let message = format!("After the end {amount} base units reached the recipient in transaction {tx}.");
    (order.output, order.fill_tx, order.updated_at) = (Some(amount), Some(tx), context.now);
    Some(message)
}

fn next_status(order: &FiatOrder, context: &FiatContext) -> Option<Next> {
    use FiatStatus::{Completed, Created, Pending, Processing};
    if order.status.is_terminal() {
        return None;
    }
    if let Some((amount, tx)) = delivered(order, context) {
        let message = format!("Delivered in transaction {tx}.");
        return Some(Next { status: Completed, message, failure: None, delivered: Some((amount, tx)) });
    }
    if let Some(next) = forwarding::returned_failure(order, context) {
        return Some(next);
    }
    let state = report(context).map(|report| &report.state);
    let arrived = order.payout.is_some() || forwarding::has_arrived(order, context);
    let paid = arrived || matches!(state, Some(RampState::Paid | RampState::Delivered));
    match state {
        _ if paid && order.status != Processing => Some(Next::plain(
            Processing,
            if arrived { "The funds have arrived." } else { "The payment was received." },
        )),
        Some(RampState::Failed | RampState::Canceled | RampState::Expired) if !arrived => {
            let report = report(context)?;
            if report.may_retry && !is_past_deadline(order, context) {
                failed_attempt(order, report)
            } else {
                ended_by_provider(order, report)
            }
        }
        Some(RampState::Started) if order.status == Created => {
            Some(Next::plain(Pending, "The payer started the payment."))
        }
        _ if order.status != Processing && is_past_deadline(order, context) => {
            Some(Next::plain(FiatStatus::Expired, "No payment arrived in time."))
        }
        _ => None,
    }
}

/// What the recipient received on chain.
fn delivered(order: &FiatOrder, context: &FiatContext) -> Option<(RawAmount, String)> {
    match &order.strategy {
        Strategy::Direct => order.payout.as_ref().map(|payout| (payout.amount, payout.tx.clone())),
        Strategy::Forwarding(_) => forwarding::delivered(order, context),
    }
}

/// A payment attempt failed. The payer may retry, so the purchase stays open until its deadline.
fn failed_attempt(order: &FiatOrder, report: &RampReport) -> Option<Next> {
    // An unused checkout that expires is not a payment attempt.
    if order.status != FiatStatus::Created || report.state == RampState::Expired {
        return None;
    }
    let why = report.reason.as_ref().map_or("A payment attempt failed.", |(_, message)| message);
    Some(Next::plain(FiatStatus::Pending, &format!("{why} The payer may try again.")))
}

/// The provider ended the purchase. After payment every such end is a failure.
fn ended_by_provider(order: &FiatOrder, report: &RampReport) -> Option<Next> {
    let unpaid = order.status != FiatStatus::Processing;
    let (status, code, message) = match report.state {
        RampState::Canceled if unpaid => {
            return Some(Next::plain(FiatStatus::Canceled, "The payer canceled."));
        }
        RampState::Expired if unpaid => {
            return Some(Next::plain(FiatStatus::Expired, "The provider stopped waiting for the payment."));
        }
        RampState::Failed if unpaid => (FiatStatus::Failed, "payment_failed", "The payment failed."),
        RampState::Failed | RampState::Canceled | RampState::Expired => {
            (FiatStatus::Failed, "provider_failed", "The provider took the payment and did not deliver.")
        }
        _ => return None,
    };
    let (code, message) = report.reason.clone().unwrap_or_else(|| (code.to_owned(), message.to_owned()));
    let failure = FiatFailure { code, source: FiatFailureSource::Provider, message: message.clone() };
    Some(Next { status, message, failure: Some(failure), delivered: None })
}

/// Whether the payment deadline has passed. Only a fresh provider answer lets a purchase expire.
fn is_past_deadline(order: &FiatOrder, context: &FiatContext) -> bool {
    let grace = match &context.lookup {
        None => return false,
        Some(ProviderLookup::NotFound) => SignedDuration::ZERO,
        Some(ProviderLookup::Found(report)) => match report.state {
            RampState::Waiting => SignedDuration::ZERO,
            RampState::Started | RampState::Unknown(_) => STARTED_GRACE,
            _ if report.is_failed_attempt() => RETRY_GRACE,
            _ => return false,
        },
    };
    context.now.duration_since(order.pay_by) > grace
}

impl FiatContext {
    /// Whether swaps of forwarded funds have taken what was sold, so that the provider knows nothing more of use.
    pub fn is_covered(&self, order: &FiatOrder) -> bool {
        forwarding::is_covered(order, self)
    }
}

impl FiatOrder {
    /// Whether a transfer to the forwarding address may be the provider's, although the provider does not name it. Anybody can
    /// send less there.
    pub fn is_plausible_payout(&self, amount: RawAmount) -> bool {
        forwarding::is_plausible(self, amount.get())
    }

    /// Whether it ended unpaid so recently that the provider may still deliver.
    pub fn may_be_delivered_late(&self, now: Timestamp) -> bool {
        let unpaid =
            self.status.is_terminal() && self.status != FiatStatus::Completed && self.payout.is_none();
        unpaid && now.duration_since(self.pay_by) < LATE_WINDOW
    }
}

/// When to process the purchase next, unless a webhook wakes it earlier.
fn due(order: &FiatOrder, actions: &[ForwardingAction], now: Timestamp) -> Option<Timestamp> {
    let unmoved = now.duration_since(order.updated_at) / 8;
    let after = |min, max| now.checked_add(unmoved.clamp(min, max)).ok();
    match order.status {
        _ if !actions.is_empty() => after(MIN_INTERVAL, MAX_INTERVAL),
        status if status.is_terminal() => match order.strategy {
            Strategy::Forwarding(_) => {
                order
                    .strategy
                    .forwarding()
                    .and_then(ForwardingPlan::watched_until)
                    .filter(|until| now < *until)
                    .and_then(|_| {
                        // Further funds at the forwarding address are still swapped or returned, at a slow poll rate.
                        after(UNPAID_MIN_INTERVAL, SignedDuration::from_mins(10))
                    })
            }
            Strategy::Direct if order.may_be_delivered_late(now) => {
                let ended = now.duration_since(order.updated_at);
                now.checked_add(ended.clamp(LATE_MIN_INTERVAL, LATE_MAX_INTERVAL)).ok()
            }
            Strategy::Direct => None,
        },
        FiatStatus::Processing => after(MIN_INTERVAL, MAX_INTERVAL),
        _ => {
            let over = order.pay_by.checked_add(MIN_INTERVAL).ok().filter(|over| now < *over);
            after(UNPAID_MIN_INTERVAL, MAX_INTERVAL).map(|next| over.map_or(next, |over| next.min(over)))
        }
    }
}
