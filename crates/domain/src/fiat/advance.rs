mod jump;
#[cfg(test)]
mod tests;

use jiff::{SignedDuration, Timestamp};

use super::{FiatFailure, FiatFailureSource, FiatOrder, FiatStatus, Payout, Strategy};
use crate::ports::{RampReport, RampState};
use crate::{Order, RawAmount, TokenId};

/// The shortest and the longest time between two looks at a purchase that moves.
const SOONEST: SignedDuration = SignedDuration::from_millis(500);
const LATEST: SignedDuration = SignedDuration::from_secs(30);

/// While nobody has paid, the provider is asked no sooner.
const UNPAID_SOONEST: SignedDuration = SignedDuration::from_secs(2);

/// Who has begun to pay when the time is over, gets this much more: banks take their time.
const STARTED_GRACE: SignedDuration = SignedDuration::from_hours(24);

/// Whose attempt came to nothing when the time is over, may be trying again at this moment.
const RETRY_GRACE: SignedDuration = SignedDuration::from_mins(10);

/// For how long after its time is over a purchase that ended unpaid is asked after, without haste: money may come late.
const LATE_FOR: SignedDuration = SignedDuration::from_hours(3 * 24);
const LATE_SOONEST: SignedDuration = SignedDuration::from_mins(10);
const LATE_LATEST: SignedDuration = SignedDuration::from_hours(12);

/// What a provider says of a purchase, asked just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderWord {
    /// It knows nothing of it.
    Nothing,
    Says(Box<RampReport>),
}

/// What lies at a jump's address, as of a block that stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lying {
    pub block: u64,
    /// Of what the provider sells.
    pub amount: RawAmount,
    /// Other tokens of which anything is there.
    pub others: Vec<TokenId>,
}

/// Everything outside of a purchase that its next step depends on.
#[derive(Clone, Debug)]
pub struct FiatWorld {
    pub now: Timestamp,
    /// Absent when the provider was not asked, or did not answer.
    pub word: Option<ProviderWord>,
    /// Transfers of what was sold to where it was to go, in blocks that stand, that completed no other purchase.
    pub payouts: Vec<Payout>,
    pub lying: Option<Lying>,
    /// The own time of the chain that a jump starts from, in its newest block that stands.
    pub hub_time: Option<u64>,
    /// The transaction in which we last sent money back from a jump's address, where that stands.
    pub returned: Option<String>,
    /// The swaps that were drawn up for a jump's money, oldest first, each with all that the chains have shown of it.
    pub swaps: Vec<Order>,
    /// How long money that came waits for a route that holds the rate, before it goes back.
    pub patience: SignedDuration,
}

/// What is left to do for a purchase. Each is idempotent: doing it again finds it done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FiatTodo {
    /// Quote what lies at the jump's address anew, and draw up the swap.
    Swap { amount: RawAmount, seen_in: u64 },
    /// Send what lies at the jump's address to its refund address.
    GiveBack { tokens: Vec<TokenId>, seen_in: u64 },
}

/// A purchase as it stands now, and what is to be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiatStep {
    pub order: FiatOrder,
    /// What its story gains: the statuses that it took on the way and what else is worth telling, in words.
    pub changes: Vec<(Option<FiatStatus>, String)>,
    pub todo: Vec<FiatTodo>,
}

/// A status, and everything that comes with it.
struct Next {
    status: FiatStatus,
    words: String,
    failure: Option<FiatFailure>,
    /// What the recipient got, and in which transaction.
    delivered: Option<(RawAmount, String)>,
}

impl Next {
    fn plain(status: FiatStatus, words: &str) -> Self {
        Self { status, words: words.to_owned(), failure: None, delivered: None }
    }
}

/// Moves a purchase as far as the provider's word and the chains carry it. A word moves statuses, evidence alone completes.
/// Decides only: what is to be done is told, not done, and told again until the chain shows it done.
pub fn advance_fiat(mut order: FiatOrder, world: &FiatWorld) -> FiatStep {
    let mut changes = Vec::new();
    if let Some(report) = report(world) {
        order.provider_order = order.provider_order.or_else(|| report.provider_order.clone());
    }
    changes.extend(note_payout(&mut order, world).map(|words| (None, words)));
    jump::note_swap(&mut order, world);
    changes.extend(jump::note_return(&mut order, world).map(|words| (None, words)));
    changes.extend(note_late(&mut order, world).map(|words| (None, words)));
    while let Some(next) = next_status(&order, world) {
        if !order.status.may_become(next.status) {
            break;
        }
        order.status = next.status;
        order.updated_at = world.now;
        order.failure = order.failure.or(next.failure);
        if let Some((amount, tx)) = next.delivered {
            (order.output, order.fill_tx) = (Some(amount), Some(tx));
        }
        changes.push((Some(next.status), next.words));
    }
    let todo = jump::todo(&order, world);
    order.due_at = due(&order, &todo, world.now);
    FiatStep { order, changes, todo }
}

fn report(world: &FiatWorld) -> Option<&RampReport> {
    match &world.word {
        Some(ProviderWord::Says(report)) => Some(report),
        _ => None,
    }
}

/// Keeps the first delivery that the chain shows; words when it is less than was promised, or comes after the end.
fn note_payout(order: &mut FiatOrder, world: &FiatWorld) -> Option<String> {
    if order.payout.is_some() || order.status == FiatStatus::Completed {
        return None;
    }
    let payout = world.payouts.iter().find(|payout| payout.token == order.sold)?.clone();
    let (amount, promised) = (payout.amount, order.sold_amount);
    if order.status.is_terminal() {
        let words =
            format!("After the end the provider delivered {amount} base units in transaction {}.", payout.tx);
        (order.payout, order.updated_at) = (Some(payout), world.now);
        return Some(words);
    }
    order.payout = Some(payout);
    order.updated_at = world.now;
    let short = amount < promised;
    short.then(|| format!("The provider delivered {amount} base units where {promised} were agreed."))
}

/// What reached the recipient after the purchase had ended unpaid is told with it; the status stays, for whoever waited has gone.
fn note_late(order: &mut FiatOrder, world: &FiatWorld) -> Option<String> {
    if !order.status.is_terminal() || order.status == FiatStatus::Completed || order.fill_tx.is_some() {
        return None;
    }
    let (amount, tx) = delivered(order, world)?;
    let words = format!("After the end {amount} base units reached the recipient in transaction {tx}.");
    (order.output, order.fill_tx, order.updated_at) = (Some(amount), Some(tx), world.now);
    Some(words)
}

fn next_status(order: &FiatOrder, world: &FiatWorld) -> Option<Next> {
    use FiatStatus::{Completed, Created, Pending, Processing};
    if order.status.is_terminal() {
        return None;
    }
    if let Some((amount, tx)) = delivered(order, world) {
        let words = format!("Delivered in transaction {tx}.");
        return Some(Next { status: Completed, words, failure: None, delivered: Some((amount, tx)) });
    }
    if let Some(next) = jump::came_to_nothing(order, world) {
        return Some(next);
    }
    let state = report(world).map(|report| &report.state);
    let arrived = order.payout.is_some() || jump::has_arrived(order, world);
    let paid = arrived || matches!(state, Some(RampState::Paid | RampState::Delivered));
    match state {
        _ if paid && order.status != Processing => {
            Some(Next::plain(Processing, if arrived { "The money has arrived." } else { "It is paid." }))
        }
        Some(RampState::Failed | RampState::Canceled | RampState::Expired) if !arrived => {
            let report = report(world)?;
            if report.may_retry && !is_over(order, world) {
                attempted(order, report)
            } else {
                ended(order, report)
            }
        }
        Some(RampState::Started) if order.status == Created => {
            Some(Next::plain(Pending, "The payer has begun to pay."))
        }
        _ if order.status != Processing && is_over(order, world) => {
            Some(Next::plain(FiatStatus::Expired, "Nobody has paid in time."))
        }
        _ => None,
    }
}

/// What the recipient got, as the chain shows it.
fn delivered(order: &FiatOrder, world: &FiatWorld) -> Option<(RawAmount, String)> {
    match &order.strategy {
        Strategy::Direct => order.payout.as_ref().map(|payout| (payout.amount, payout.tx.clone())),
        Strategy::Jump(_) => {
            let fill = jump::opened(world)?.evidence.fill.as_ref()?;
            Some((fill.amount, fill.tx.clone()))
        }
    }
}

/// An attempt came to nothing. The payer may try another card, so the purchase goes on until its time is over.
fn attempted(order: &FiatOrder, report: &RampReport) -> Option<Next> {
    // A checkout that nobody came to ends by itself; that is no attempt.
    if order.status != FiatStatus::Created || report.state == RampState::Expired {
        return None;
    }
    let why = report.reason.as_ref().map_or("An attempt to pay came to nothing.", |(_, words)| words);
    Some(Next::plain(FiatStatus::Pending, &format!("{why} The payer may try again.")))
}

/// The provider has ended it. Once it was paid, whatever the word is, that is a failure.
fn ended(order: &FiatOrder, report: &RampReport) -> Option<Next> {
    let unpaid = order.status != FiatStatus::Processing;
    let (status, code, words) = match report.state {
        RampState::Canceled if unpaid => {
            return Some(Next::plain(FiatStatus::Canceled, "The payer canceled."));
        }
        RampState::Expired if unpaid => {
            return Some(Next::plain(FiatStatus::Expired, "The provider waits no more for the payment."));
        }
        RampState::Failed if unpaid => (FiatStatus::Failed, "payment_failed", "The payment failed."),
        RampState::Failed | RampState::Canceled | RampState::Expired => {
            (FiatStatus::Failed, "provider_failed", "The provider took the payment and did not deliver.")
        }
        _ => return None,
    };
    let (code, words) = report.reason.clone().unwrap_or_else(|| (code.to_owned(), words.to_owned()));
    let failure = FiatFailure { code, source: FiatFailureSource::Provider, words: words.clone() };
    Some(Next { status, words, failure: Some(failure), delivered: None })
}

/// Whether the time to pay is over; only a provider that says so now, or knows nothing of it, lets it expire.
fn is_over(order: &FiatOrder, world: &FiatWorld) -> bool {
    let grace = match &world.word {
        None => return false,
        Some(ProviderWord::Nothing) => SignedDuration::ZERO,
        Some(ProviderWord::Says(report)) => match report.state {
            RampState::Waiting => SignedDuration::ZERO,
            RampState::Started | RampState::Unknown(_) => STARTED_GRACE,
            _ if report.is_failed_attempt() => RETRY_GRACE,
            _ => return false,
        },
    };
    world.now.duration_since(order.pay_by) > grace
}

impl FiatOrder {
    /// Whether it ended unpaid so lately that its provider may still deliver.
    pub fn awaits_late_money(&self, now: Timestamp) -> bool {
        let unpaid =
            self.status.is_terminal() && self.status != FiatStatus::Completed && self.payout.is_none();
        unpaid && now.duration_since(self.pay_by) < LATE_FOR
    }
}

/// Webhooks wake a purchase by themselves; this is for all else.
fn due(order: &FiatOrder, todo: &[FiatTodo], now: Timestamp) -> Option<Timestamp> {
    let unmoved = now.duration_since(order.updated_at) / 8;
    let after = |soonest, latest| now.checked_add(unmoved.clamp(soonest, latest)).ok();
    match order.status {
        _ if !todo.is_empty() => after(SOONEST, LATEST),
        status if status.is_terminal() => match order.strategy {
            Strategy::Jump(_) => jump::watched_until(order).filter(|until| now < *until).and_then(|_| {
                // What else comes to a jump's address is swapped or goes back, without haste.
                after(UNPAID_SOONEST, SignedDuration::from_mins(10))
            }),
            Strategy::Direct if order.awaits_late_money(now) => {
                let ended = now.duration_since(order.updated_at);
                now.checked_add(ended.clamp(LATE_SOONEST, LATE_LATEST)).ok()
            }
            Strategy::Direct => None,
        },
        FiatStatus::Processing => after(SOONEST, LATEST),
        _ => {
            let over = order.pay_by.checked_add(SOONEST).ok().filter(|over| now < *over);
            after(UNPAID_SOONEST, LATEST).map(|next| over.map_or(next, |over| next.min(over)))
        }
    }
}
