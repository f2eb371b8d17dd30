use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{B256, hex, keccak256};
use causeway_domain::ports::{BookMarks, Carrier, Deed, DeedError, IntentBook, IntentEntry, Progress};
use causeway_domain::{Evidence, IntentState, Order, OrderId, Shown};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::turns::{ToldOnce, Turns};

/// The most lines of one batch: each bears a whole order, and a transaction has to fit a block of any hub.
const MOST_ENTRIES: usize = 128;
/// How many orders are looked at for one batch.
const MOST_ORDERS: u32 = 128;

/// What the hub's book of intents is kept with.
#[derive(Clone)]
pub struct BookParts {
    pub marks: Arc<dyn BookMarks>,
    pub book: Arc<dyn IntentBook>,
    /// In whose name it is written, on the book's chain.
    pub writer: Arc<dyn Carrier>,
}

impl fmt::Debug for BookParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BookParts").finish_non_exhaustive()
    }
}

/// A batch that was sent, and what it tells of each order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Batch {
    purpose: String,
    tells: Vec<(OrderId, IntentState)>,
}

/// Tells the hub's book where intents stand, one batch at a time, until `stop`. No order waits for it, and nothing but the book
/// hangs on it: a hub that is away is told later.
pub async fn keep_intent_book(parts: BookParts, every: Duration, stop: CancellationToken) {
    let (mut turns, mut told) = (Turns::new(every, stop.clone()), ToldOnce::default());
    let mut batch = None;
    while turns.next().await {
        let turn = parts.turn(&mut batch, Timestamp::now());
        let Some(result) = stop.run_until_cancelled(turn).await else { return };
        told.note(result, "the book of intents cannot be written, trying again");
    }
}

impl BookParts {
    /// Sees the last batch through, or sends the next one.
    async fn turn(&self, batch: &mut Option<Batch>, now: Timestamp) -> Result<(), DeedError> {
        if let Some(sent) = batch {
            match self.writer.progress(&sent.purpose).await? {
                Some(Progress::OnItsWay(_) | Progress::Waiting) => return Ok(()),
                Some(Progress::Succeeded(tx)) => {
                    tracing::debug!(tx, orders = sent.tells.len(), "the book of intents was told");
                    self.marks.note_told(&sent.tells).await?;
                }
                // Told anew below, from where the book really stands.
                Some(Progress::Reverted(_)) | None => {}
            }
            *batch = None;
        }
        let orders = self.deposited().await?;
        if orders.is_empty() {
            return Ok(());
        }
        let intents: Vec<B256> = orders.iter().map(|order| order.intent).collect();
        let states = self.book.states(self.writer.account(), &intents).await?;
        let plan = plan(&orders, &states);
        // What the book knows already, or can never be told, is not looked at again.
        self.marks.note_told(&plan.known).await?;
        if plan.entries.is_empty() {
            return Ok(());
        }
        let sent = Batch { purpose: purpose(&plan.tells, now), tells: plan.tells };
        let deed = Deed::RecordIntents { entries: plan.entries };
        let carried = self.writer.carry(&sent.purpose, &deed, now).await;
        // It may be stored although the answer is an error.
        *batch = Some(sent);
        carried.map(drop)
    }

    /// The next orders that the book is told of. What was never deposited is not among them: anybody makes such orders for
    /// nothing, and each line of the book costs gas.
    async fn deposited(&self) -> Result<Vec<Order>, DeedError> {
        loop {
            let orders = self.marks.untold(MOST_ORDERS).await?;
            let (empty, deposited): (Vec<Order>, Vec<Order>) = orders.into_iter().partition(is_empty);
            if empty.is_empty() {
                return Ok(deposited);
            }
            // They are not looked at again, and keep nobody waiting who has deposited.
            let known: Vec<_> = empty.iter().map(|order| (order.id.clone(), order.intent_state())).collect();
            self.marks.note_told(&known).await?;
        }
    }
}

/// Whether nothing was ever deposited for an order.
fn is_empty(order: &Order) -> bool {
    matches!(order.intent_state(), IntentState::NonExistent | IntentState::Error)
}

/// No two batches have the same name, whichever replica sends them.
fn purpose(tells: &[(OrderId, IntentState)], now: Timestamp) -> String {
    let all: Vec<String> = tells.iter().map(|(order, state)| format!("{order}{}", state.number())).collect();
    let digest = keccak256(all.concat());
    format!("book:{}:{}", now.as_millisecond(), hex::encode(digest.get(..8).unwrap_or_default()))
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    entries: Vec<IntentEntry>,
    tells: Vec<(OrderId, IntentState)>,
    known: Vec<(OrderId, IntentState)>,
}

/// What the book is to be told so that it stands where the orders do, starting from where it stands.
fn plan(orders: &[Order], states: &[IntentState]) -> Plan {
    let mut plan = Plan::default();
    for (order, from) in orders.iter().zip(states) {
        let to = order.intent_state();
        // The book takes no step back: a delivery that the chain refused is shown as open again until its deposit is back.
        let steps = from.steps_to(to).unwrap_or_default();
        if steps.is_empty() {
            plan.known.push((order.id.clone(), to));
            continue;
        }
        if plan.entries.len() + steps.len() > MOST_ENTRIES {
            break;
        }
        plan.entries.extend(steps.iter().map(|state| IntentEntry {
            terms: order.terms,
            state: *state,
            evidence: shown_by(*state, &order.evidence),
        }));
        plan.tells.push((order.id.clone(), to));
    }
    plan
}

/// The transaction that shows a state.
fn shown_by(state: IntentState, evidence: &Evidence) -> B256 {
    let shown = match state {
        IntentState::Open | IntentState::Locked => evidence.deposit.as_ref(),
        IntentState::Solved => evidence.fill.as_ref(),
        IntentState::Settled => evidence.claim.as_ref(),
        IntentState::Expired | IntentState::Cancelled => evidence.refund.as_ref().map(|(shown, _)| shown),
        IntentState::NonExistent | IntentState::Error => None,
    };
    shown.map_or(B256::ZERO, hash_of)
}

/// A transaction's hash as it is on EVM; a Solana signature is twice as long and is hashed.
fn hash_of(shown: &Shown) -> B256 {
    let mut hash = B256::ZERO;
    let digits = shown.tx.strip_prefix("0x").unwrap_or_default();
    match hex::decode_to_slice(digits, hash.as_mut_slice()) {
        Ok(()) => hash,
        Err(_) => keccak256(&shown.tx),
    }
}
