use std::time::Duration;

use causeway_domain::ports::{BlockMark, Outgoing, Trouble, TroubleKind};
use causeway_domain::{ChainId, Decision, DepositMethod, Order, OrderStatus};
use jiff::Timestamp;

/// What an order waits for, and what would move it, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    pub reason: String,
    pub remedy: String,
}

impl Wait {
    fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { reason: reason.into(), remedy: remedy.into() }
    }
}

/// How far a chain was read.
pub(super) struct ChainSight {
    pub(super) chain: ChainId,
    pub(super) halted: bool,
    pub(super) mark: Option<BlockMark>,
}

/// Everything outside of an order that it may wait for.
pub(super) struct Sight<'a> {
    pub(super) now: Timestamp,
    pub(super) stale_after: Duration,
    pub(super) origin: ChainSight,
    pub(super) destination: ChainSight,
    pub(super) has_hand: bool,
    pub(super) filler_paused: Option<String>,
    pub(super) trouble: Option<&'a Trouble>,
    pub(super) sent: &'a [Outgoing],
}

/// What an order that is not over waits for. What a person has to do something about comes first.
pub(super) fn judge(order: &Order, sight: &Sight<'_>) -> Wait {
    let halted = [&sight.origin, &sight.destination].into_iter().find(|chain| chain.halted);
    if let Some(ChainSight { chain, .. }) = halted {
        return Wait::new(
            format!("chain {chain} contradicted what stood, and nothing is done for orders that touch it"),
            format!("look at the endpoints of chain {chain}; when they are right, start the service again"),
        );
    }
    if let Some(wait) = stale(order, sight) {
        return wait;
    }
    if !sight.has_hand && needs_hand(order) {
        return Wait::new(
            format!("the filler {} is not here", order.filler),
            format!(
                "add the filler again, or wait: {}",
                if order.status == OrderStatus::Filled { unpaid(order) } else { goes_back(order) }
            ),
        );
    }
    if let Some(trouble) = sight.trouble {
        return Wait::new(trouble.words.clone(), remedy(order, trouble));
    }
    if let Some(wait) = on_its_way(sight) {
        return wait;
    }
    by_status(order, sight)
}

/// The chain that has to show what comes next has shown nothing for long.
fn stale(order: &Order, sight: &Sight<'_>) -> Option<Wait> {
    let watched = if order.status == OrderStatus::Published { &sight.destination } else { &sight.origin };
    let chain = watched.chain;
    let Some(mark) = watched.mark else {
        return Some(Wait::new(
            format!("chain {chain} has not been read since the start"),
            format!("chain {chain} and its endpoints must answer"),
        ));
    };
    let at = Timestamp::from_second(i64::try_from(mark.time).ok()?).ok()?;
    let age = Duration::try_from(sight.now.duration_since(at)).ok()?;
    (age > sight.stale_after).then(|| {
        Wait::new(
            format!("chain {chain} has shown nothing that stands since block {} at {at}", mark.number),
            format!("chain {chain} must make blocks again, or its endpoints answer"),
        )
    })
}

const fn needs_hand(order: &Order) -> bool {
    match order.status {
        OrderStatus::Deposited | OrderStatus::Published | OrderStatus::Filled => true,
        OrderStatus::RefundPending => matches!(order.decision, Some(Decision::Waive)),
        _ => false,
    }
}

fn remedy(order: &Order, trouble: &Trouble) -> String {
    match trouble.kind {
        TroubleKind::Chain => "it is tried again by itself; the chain's endpoints must answer".to_owned(),
        TroubleKind::Store => "it is tried again by itself; the store must answer".to_owned(),
        TroubleKind::Attesters => {
            let after = match order.status {
                OrderStatus::Filled => unpaid(order),
                _ => format!(
                    "without them, anybody may have the deposit given back {}",
                    from(order.terms.refund_at)
                ),
            };
            format!("enough attesters must answer and see the same blocks; {after}")
        }
        TroubleKind::Refused => match order.status {
            OrderStatus::Published => {
                format!(
                    "the recipient, the token or the filler's balance must let the delivery through; {}",
                    goes_back(order)
                )
            }
            OrderStatus::RefundPending => {
                "the refund address must be able to take the token; it is tried again by itself".to_owned()
            }
            _ => "what the chain says must change; it is tried again by itself".to_owned(),
        },
        TroubleKind::Waits => "it passes by itself, or the part that it names must come back".to_owned(),
        TroubleKind::GivenUp => "somebody must look: trying again does not help".to_owned(),
    }
}

/// Something of ours is sent and has not ended.
fn on_its_way(sight: &Sight<'_>) -> Option<Wait> {
    let open = sight.sent.iter().rev().find(|outgoing| outgoing.end.is_none())?;
    let (deed, chain) = (open.purpose.split(':').next().unwrap_or_default(), open.chain);
    let last = open.attempts.last()?;
    Some(Wait::new(
        format!(
            "the transaction `{deed}` was sent on chain {chain} at {} and stands in no block yet",
            last.made_at
        ),
        format!("it is sent again, dearer where that helps, by itself; chain {chain} must take it"),
    ))
}

fn by_status(order: &Order, sight: &Sight<'_>) -> Wait {
    let block = sight.origin.mark.map_or(0, |mark| mark.number);
    let chain = sight.origin.chain;
    match order.status {
        OrderStatus::Created => {
            let what = match (order.method, order.deposit_tx()) {
                (DepositMethod::Transfer, _) => "the money to stand at its deposit address".to_owned(),
                (_, Some(tx)) => format!("the deposit {tx} to stand on chain {chain}"),
                (_, None) => format!("its deposit on chain {chain}"),
            };
            Wait::new(
                format!("it waits for {what}; block {block} is the newest that stands"),
                format!(
                    "the payer's deposit; without it the order fails {}",
                    from(order.terms.open_deadline)
                ),
            )
        }
        OrderStatus::Deposited => Wait::new("the filler has not decided yet", goes_back(order)),
        OrderStatus::Published => {
            let paused = sight.filler_paused.as_ref().map(|words| format!(" ({words})")).unwrap_or_default();
            Wait::new(format!("the filler {} has not delivered yet{paused}", order.filler), goes_back(order))
        }
        OrderStatus::RefundPending => Wait::new(
            format!("the deposit is not back yet; block {block} of chain {chain} is the newest that stands"),
            format!("it is given back by itself; anybody may ask for it {}", from(order.terms.refund_at)),
        ),
        OrderStatus::Filled => Wait::new("the delivery is made and not paid for yet", unpaid(order)),
        OrderStatus::Refunded | OrderStatus::Failed => Wait::new(
            "it is over, and something is left to tidy up",
            "what is left is freed or returned by itself",
        ),
    }
}

fn goes_back(order: &Order) -> String {
    format!("if nobody delivers, the deposit goes back by itself {}", from(order.terms.fill_deadline))
}

fn unpaid(order: &Order) -> String {
    format!("the filler must be paid before its deposit may be taken back {}", from(order.terms.refund_at))
}

/// From a moment of a chain's own time on.
fn from(seconds: u64) -> String {
    let at = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    at.map_or_else(|| "in the far future".to_owned(), |at| format!("after {at}"))
}
