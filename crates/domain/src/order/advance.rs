use jiff::{SignedDuration, Timestamp};

use super::{Decision, Order, OrderStatus};
use crate::{Evidence, RawAmount, TokenId};

/// The shortest and the longest time between two looks at an order that waits for something we cannot be told of.
const SOONEST: SignedDuration = SignedDuration::from_millis(500);
const LATEST: SignedDuration = SignedDuration::from_secs(30);

/// What lies at an order's deposit address, as of a block that stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    pub block: u64,
    /// Of the order's input token.
    pub input: RawAmount,
    /// Other tokens of which anything is there.
    pub others: Vec<TokenId>,
}

/// Everything outside of an order that its next step depends on.
#[derive(Clone, Debug)]
pub struct World {
    pub now: Timestamp,
    pub evidence: Evidence,
    /// The origin's own time in its newest block that stands; unknown until the chain was read.
    pub origin_time: Option<u64>,
    pub destination_time: Option<u64>,
    pub arrived: Option<Arrived>,
}

/// How a deposit goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundWay {
    /// The filler asks for it.
    Waive,
    /// The attesters say that nobody delivered.
    Unfilled,
    /// Anybody may ask by now.
    Plain,
}

/// What is left to do for an order. Each is idempotent: doing it again finds it done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Todo {
    /// Bring what the payer has signed to the chain.
    BringDeposit,
    /// Move what came to the deposit address into the escrow.
    Sweep,
    /// Return what the order cannot use from its deposit address, as seen in that block.
    GiveBack {
        seen_in: u64,
        tokens: Vec<TokenId>,
    },
    AskFiller,
    Fill,
    Refund(RefundWay),
    Claim,
    /// Free what the filler has set aside.
    Release,
}

/// An order as it stands now, and what is to be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub order: Order,
    /// The statuses that it took on the way, in words.
    pub changes: Vec<(OrderStatus, String)>,
    pub todo: Vec<Todo>,
}

impl Step {
    /// Whether nothing is left once all of `todo` is done.
    pub fn is_last(&self) -> bool {
        match self.order.status {
            OrderStatus::Filled => self.order.evidence.is_ended(),
            status => status.is_terminal(),
        }
    }
}

/// Moves an order as far as the evidence carries it. Decides only: what is to be done is told, not done, and told again
/// until the chains show it done, so that a step lost in a crash is taken by the next look.
pub fn advance(mut order: Order, world: &World) -> Step {
    let mut changes = Vec::new();
    order.evidence = world.evidence.clone();
    while let Some((status, words)) = next_status(&order, world) {
        match order.clone().become_status(status, world.now) {
            Ok(next) => order = next,
            // `next_status` names edges that exist only; a test holds that.
            Err(_) => break,
        }
        match status {
            OrderStatus::RefundPending | OrderStatus::Failed => {
                order.failure_reason.get_or_insert_with(|| words.clone());
            }
            // Whatever was to go wrong did not.
            OrderStatus::Filled => order.failure_reason = None,
            _ => {}
        }
        if status == OrderStatus::Filled && order.is_unpayable() {
            order.failure_reason = None;
        }
        order.announced |= status == OrderStatus::Deposited;
        changes.push((status, words));
    }
    let todo = todo(&order, world);
    order.due_at = Some(due(&order, &todo, world.now));
    Step { order, changes, todo }
}

fn next_status(order: &Order, world: &World) -> Option<(OrderStatus, String)> {
    use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
    let Evidence { deposit, fill, refund, .. } = &order.evidence;
    let past = |time: Option<u64>, deadline: u64| time.is_some_and(|time| time > deadline);
    let unfilled = past(world.destination_time, order.terms.fill_deadline);
    let words = |words: &str| words.to_owned();
    match order.status {
        Created if deposit.is_some() => Some((Deposited, words("The deposit stands on the chain."))),
        Created if past(world.origin_time, order.terms.open_deadline) => {
            Some((Failed, words("No deposit came before the order's time to deposit was over.")))
        }
        Deposited if fill.is_some() => Some((Published, words("The filler has been told."))),
        Deposited | Published if refund.is_some() && fill.is_none() => {
            Some((RefundPending, words("The deposit was taken back.")))
        }
        Deposited | Published if order.decision == Some(Decision::Waive) && fill.is_none() => {
            let reason = order.failure_reason.clone();
            Some((RefundPending, reason.unwrap_or_else(|| words("The filler gives the deposit back."))))
        }
        Deposited | Published if unfilled && fill.is_none() => {
            Some((RefundPending, words("Nobody delivered in time; the deposit goes back.")))
        }
        Deposited if order.decision == Some(Decision::Fill) => {
            Some((Published, words("The filler has been told.")))
        }
        // Also where the deposit was to go back: the filler that delivered after all is paid, or was.
        Published | RefundPending if fill.is_some() => Some((Filled, words("The recipient has been paid."))),
        RefundPending if refund.is_some() => Some((Refunded, words("The deposit is back."))),
        _ => None,
    }
}

fn todo(order: &Order, world: &World) -> Vec<Todo> {
    use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
    let mut todo = match order.status {
        Created => bring(order, world),
        Deposited => vec![Todo::AskFiller],
        Published => vec![Todo::Fill],
        RefundPending => vec![Todo::Refund(refund_way(order, world))],
        Filled if !order.evidence.is_ended() => {
            vec![Todo::Release, Todo::Claim]
        }
        Filled | Refunded | Failed => vec![Todo::Release],
    };
    todo.extend(give_back(order, world));
    todo
}

fn bring(order: &Order, world: &World) -> Vec<Todo> {
    let in_time = world.origin_time.is_none_or(|time| time <= order.terms.open_deadline);
    let arrived = world.arrived.as_ref().map_or(RawAmount::ZERO, |arrived| arrived.input);
    let enough = order.deposit_address.is_some() && arrived.get() >= order.terms.amount_in;
    match in_time {
        true if order.handed.is_some() => vec![Todo::BringDeposit],
        true if enough => vec![Todo::Sweep],
        _ => Vec::new(),
    }
}

fn refund_way(order: &Order, world: &World) -> RefundWay {
    let over = world.origin_time.is_some_and(|time| time > order.terms.refund_at);
    match order.decision {
        _ if over => RefundWay::Plain,
        Some(Decision::Waive) => RefundWay::Waive,
        _ if order.terms.is_same_chain() => RefundWay::Plain,
        _ => RefundWay::Unfilled,
    }
}

/// What lies at the deposit address goes back once the order does not wait for it any more. A look from before the deposit
/// was opened tells nothing of what is left. A jump's address outlives the order: whoever made the jump looks after it.
fn give_back(order: &Order, world: &World) -> Option<Todo> {
    let own = order.deposit_address.is_some() && order.jump.is_none();
    let arrived = world.arrived.as_ref().filter(|_| own)?;
    let opened = order.evidence.deposit.as_ref().map(|deposit| deposit.block);
    let over = match opened {
        // A balance is read at its block's end, when the deposit has left already.
        Some(opened) => arrived.block >= opened,
        None => order.status == OrderStatus::Failed,
    };
    let input = (!arrived.input.is_zero()).then_some(order.from);
    let tokens: Vec<TokenId> = input.into_iter().chain(arrived.others.iter().copied()).collect();
    (over && !tokens.is_empty()).then_some(Todo::GiveBack { seen_in: arrived.block, tokens })
}

/// Facts and arrivals wake an order by themselves; this is for all else.
fn due(order: &Order, todo: &[Todo], now: Timestamp) -> Timestamp {
    if todo.is_empty() {
        // Only time can move it: the deadline, and a moment for the chain to say so.
        let deadline = Timestamp::from_second(order.terms.open_deadline.try_into().unwrap_or(i64::MAX));
        let deadline = deadline.ok().and_then(|at| at.checked_add(SignedDuration::from_secs(1)).ok());
        return deadline.filter(|at| *at > now).unwrap_or_else(|| after(order, now));
    }
    after(order, now)
}

/// Sooner for what has just changed, ever later for what does not move.
fn after(order: &Order, now: Timestamp) -> Timestamp {
    let unmoved = now.duration_since(order.updated_at) / 8;
    now.checked_add(unmoved.clamp(SOONEST, LATEST)).unwrap_or(now)
}

#[cfg(test)]
mod tests;
