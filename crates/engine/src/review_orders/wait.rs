use std::time::Duration;

use causeway_domain::ports::{ChainCursor, Outgoing, StuckKind, StuckReason};
use causeway_domain::{ChainId, Decision, DepositMethod, Order, OrderStatus};
use jiff::Timestamp;

/// What an order waits for and how to unblock it, for operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    pub reason: String,
    pub remedy: String,
}

impl Wait {
    pub(super) fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { reason: reason.into(), remedy: remedy.into() }
    }
}

/// How far a chain was read.
pub(super) struct ChainStatus {
    pub(super) chain: ChainId,
    pub(super) halted: bool,
    pub(super) cursor: Option<ChainCursor>,
}

/// Everything outside of the order that it may wait for.
pub(super) struct ReviewContext<'a> {
    pub(super) now: Timestamp,
    pub(super) stale_after: Duration,
    pub(super) origin: ChainStatus,
    pub(super) destination: ChainStatus,
    pub(super) has_executor: bool,
    pub(super) filler_paused: Option<String>,
    pub(super) stuck_reason: Option<&'a StuckReason>,
    pub(super) sent: &'a [Outgoing],
}

/// What an incomplete order waits for. Causes that need an operator come first.
pub(super) fn diagnose(order: &Order, context: &ReviewContext<'_>) -> Wait {
    let halted = [&context.origin, &context.destination].into_iter().find(|chain| chain.halted);
    if let Some(ChainStatus { chain, .. }) = halted {
        return Wait::new(
            format!("chain {chain} contradicted a final block and is halted"),
            format!("check the endpoints of chain {chain}, then restart the service"),
        );
    }
    if let Some(wait) = provider_wait(order) {
        return wait;
    }
    if let Some(wait) = stale(order, context) {
        return wait;
    }
    if !context.has_executor && needs_executor(order) {
        return Wait::new(
            format!("the filler {} is not registered", order.filler),
            format!(
                "add the filler again, or wait: {}",
                if order.status == OrderStatus::Filled { unpaid(order) } else { refunds_after(order) }
            ),
        );
    }
    if let Some(stuck_reason) = context.stuck_reason {
        return Wait::new(stuck_reason.message.clone(), remedy(order, stuck_reason));
    }
    if let Some(wait) = pending(context) {
        return wait;
    }
    by_status(order, context)
}

/// A provider settles the order: nothing of ours moves it.
fn provider_wait(order: &Order) -> Option<Wait> {
    let provider = order.provider.as_deref()?;
    let word = provider.word.as_deref().unwrap_or("nothing");
    let (filler, chain) = (&order.filler, order.from.chain());
    if let Some(joined) = order.joined().filter(|joined| joined.has_arrived()) {
        let (plan, hub) = (&joined.plan, joined.terms.hub);
        let swap = plan.swap.as_ref().map_or_else(|| "none yet".to_owned(), ToString::to_string);
        return Some(Wait::new(
            format!("the first leg has arrived at {} as {hub}; the swap that takes it: {swap}", plan.address),
            format!(
                "a filler must take it at the agreed rate; otherwise it goes to {}",
                joined.terms.refund_to
            ),
        ));
    }
    Some(match (order.status, order.deposit_tx()) {
        (OrderStatus::Created, _) if order.method == DepositMethod::Transfer => Wait::new(
            format!("it waits for a payment to {filler}'s address {} on chain {chain}", provider.target),
            format!("the payer must pay; otherwise the order fails {}", from(order.terms.fill_deadline)),
        ),
        (OrderStatus::Created, None) => Wait::new(
            format!("it waits for the payer's transaction on chain {chain}, which must be submitted"),
            format!(
                "the payer must pay and submit; otherwise the order fails {}",
                from(order.terms.fill_deadline)
            ),
        ),
        (OrderStatus::Created, Some(tx)) => Wait::new(
            format!(
                "it waits for the payer's transaction {tx} to be final on chain {chain} and to pay {}",
                provider.target
            ),
            "the chain's endpoints must answer; a transaction that was not built for the order never counts",
        ),
        _ => Wait::new(
            format!("{filler} settles it through {} and says: {word}", provider.terms.tool),
            format!(
                "{filler} must deliver or return the money, and a chain must show it; ask {filler} with transaction {}",
                order.deposit_tx().unwrap_or("unknown")
            ),
        ),
    })
}

/// The chain that has to show the next fact has shown no final block for a while.
fn stale(order: &Order, context: &ReviewContext<'_>) -> Option<Wait> {
    let watched = if order.status == OrderStatus::Published { &context.destination } else { &context.origin };
    let chain = watched.chain;
    let Some(cursor) = watched.cursor else {
        return Some(Wait::new(
            format!("chain {chain} was not read since the start"),
            format!("chain {chain} and its endpoints must answer"),
        ));
    };
    let at = Timestamp::from_second(i64::try_from(cursor.time).ok()?).ok()?;
    let age = Duration::try_from(context.now.duration_since(at)).ok()?;
    (age > context.stale_after).then(|| {
        Wait::new(
            format!("chain {chain} has had no new final block since block {} at {at}", cursor.number),
            format!("chain {chain} must produce blocks and its endpoints must answer"),
        )
    })
}

const fn needs_executor(order: &Order) -> bool {
    match order.status {
        OrderStatus::Deposited | OrderStatus::Published | OrderStatus::Filled => true,
        OrderStatus::RefundPending => matches!(order.decision, Some(Decision::Waive)),
        _ => false,
    }
}

fn remedy(order: &Order, stuck_reason: &StuckReason) -> String {
    match stuck_reason.kind {
        StuckKind::Chain => "it is retried automatically; the chain's endpoints must answer".to_owned(),
        StuckKind::Store => "it is retried automatically; the store must answer".to_owned(),
        StuckKind::Attesters => {
            let after = match order.status {
                OrderStatus::Filled => unpaid(order),
                _ => format!("without them, anybody can request the refund {}", from(order.terms.refund_at)),
            };
            format!("enough attesters must answer and see the same blocks; {after}")
        }
        StuckKind::Refused => match order.status {
            OrderStatus::Published => {
                format!(
                    "the recipient, the token and the filler's balance must allow the fill; {}",
                    refunds_after(order)
                )
            }
            OrderStatus::RefundPending => {
                "the refund address must be able to receive the token; it is retried automatically".to_owned()
            }
            _ => "the reason that the chain gives must change; it is retried automatically".to_owned(),
        },
        StuckKind::Waits => {
            "it resolves automatically, or once the named component is available again".to_owned()
        }
        StuckKind::GivenUp => "an operator must intervene: retrying does not help".to_owned(),
    }
}

/// One of our transactions is pending.
fn pending(context: &ReviewContext<'_>) -> Option<Wait> {
    let open = context.sent.iter().rev().find(|outgoing| outgoing.end.is_none())?;
    let (action, chain) = (open.purpose.split(':').next().unwrap_or_default(), open.chain);
    let last = open.attempts.last()?;
    Some(Wait::new(
        format!(
            "the transaction `{action}` was sent on chain {chain} at {} and is not in a block yet",
            last.made_at
        ),
        format!(
            "it is rebroadcast automatically, with a higher fee where that helps; chain {chain} must include it"
        ),
    ))
}

fn by_status(order: &Order, context: &ReviewContext<'_>) -> Wait {
    let block = context.origin.cursor.map_or(0, |cursor| cursor.number);
    let chain = context.origin.chain;
    match order.status {
        OrderStatus::Created => {
            let what = match (order.method, order.deposit_tx()) {
                (DepositMethod::Transfer, _) => "a final payment to its deposit address".to_owned(),
                (_, Some(tx)) => format!("the deposit {tx} to become final on chain {chain}"),
                (_, None) => format!("its deposit on chain {chain}"),
            };
            Wait::new(
                format!("it waits for {what}; block {block} is the newest final block"),
                format!(
                    "the payer must deposit; otherwise the order fails {}",
                    from(order.terms.open_deadline)
                ),
            )
        }
        OrderStatus::Deposited => Wait::new("the filler has not decided yet", refunds_after(order)),
        OrderStatus::Published => {
            let paused =
                context.filler_paused.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            Wait::new(format!("the filler {} has not filled yet{paused}", order.filler), refunds_after(order))
        }
        OrderStatus::RefundPending => Wait::new(
            format!(
                "the deposit is not refunded yet; block {block} of chain {chain} is the newest final block"
            ),
            format!(
                "it is refunded automatically; anybody can request the refund {}",
                from(order.terms.refund_at)
            ),
        ),
        OrderStatus::Filled => Wait::new("the order is filled and not claimed yet", unpaid(order)),
        OrderStatus::Refunded | OrderStatus::Failed => Wait::new(
            "it is complete, and cleanup is pending",
            "reservations and remaining balances are released automatically",
        ),
    }
}

fn refunds_after(order: &Order) -> String {
    format!("if it is not filled, the deposit is refunded automatically {}", from(order.terms.fill_deadline))
}

fn unpaid(order: &Order) -> String {
    format!("the deposit must be claimed before it becomes refundable {}", from(order.terms.refund_at))
}

/// A chain time as text.
fn from(seconds: u64) -> String {
    let at = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    at.map_or_else(|| "in the far future".to_owned(), |at| format!("after {at}"))
}
