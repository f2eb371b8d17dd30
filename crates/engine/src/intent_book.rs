use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{B256, hex, keccak256};
use causeway_domain::ports::{
    ActionError, ChainAction, ChainStore, IntentBook, IntentEntry, Progress, TxSender,
};
use causeway_domain::{ConfirmedTx, Evidence, IntentState, Order, OrderId};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::ticker::{LogOnce, Ticker};

/// The most entries of one batch: each carries a whole order, and the transaction has to fit into a block of any hub.
const MAX_ENTRIES: usize = 128;
/// How many orders are read for one batch.
const MAX_ORDERS: u32 = 128;

/// What [`sync_intent_book`] works with.
#[derive(Clone)]
pub struct BookParts {
    pub book_state: Arc<dyn ChainStore>,
    pub book: Arc<dyn IntentBook>,
    /// Writes the entries, on the book's chain.
    pub writer: Arc<dyn TxSender>,
}

impl fmt::Debug for BookParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BookParts").finish_non_exhaustive()
    }
}

/// A batch that was sent, and the state it records for each order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Batch {
    purpose: String,
    states: Vec<(OrderId, IntentState)>,
}

/// Records the state of intents in the hub's book, one batch at a time, until `stop`. No order waits for it; an unreachable
/// hub is updated later.
pub async fn sync_intent_book(parts: BookParts, every: Duration, stop: CancellationToken) {
    let (mut ticker, mut log_once) = (Ticker::new(every, stop.clone()), LogOnce::default());
    let mut batch = None;
    while ticker.next().await {
        let sync = parts.sync(&mut batch, Timestamp::now());
        let Some(result) = stop.run_until_cancelled(sync).await else { return };
        log_once.record(result, "writing the intent book failed, retrying");
    }
}

impl BookParts {
    /// Checks the batch in flight, or sends the next one.
    async fn sync(&self, batch: &mut Option<Batch>, now: Timestamp) -> Result<(), ActionError> {
        if let Some(sent) = batch {
            match self.writer.progress(&sent.purpose).await? {
                Some(Progress::Sent(_) | Progress::Waiting) => return Ok(()),
                Some(Progress::Succeeded(tx)) => {
                    tracing::debug!(tx, orders = sent.states.len(), "intent book updated");
                    self.book_state.mark_recorded(&sent.states).await?;
                }
                // Sent again below, starting from the book's actual state.
                Some(Progress::Reverted(_)) | None => {}
            }
            *batch = None;
        }
        let orders = self.deposited().await?;
        if orders.is_empty() {
            return Ok(());
        }
        let intents: Vec<B256> = orders.iter().map(|order| order.intent_id).collect();
        let recorded = self.book.states(self.writer.account(), &intents).await?;
        let plan = plan(&orders, &recorded);
        // Orders that the book already knows, or can never record, are done.
        self.book_state.mark_recorded(&plan.known).await?;
        if plan.entries.is_empty() {
            return Ok(());
        }
        let sent = Batch { purpose: purpose(&plan.states, now), states: plan.states };
        let action = ChainAction::RecordIntents { entries: plan.entries };
        let sent_actions = self.writer.send(&sent.purpose, &action, now).await;
        // It may be stored even if the call fails.
        *batch = Some(sent);
        sent_actions.map(drop)
    }

    /// The next orders to record. Orders without a deposit are left out: anybody can create them at no cost, and each entry
    /// costs gas.
    async fn deposited(&self) -> Result<Vec<Order>, ActionError> {
        loop {
            let orders = self.book_state.unrecorded(MAX_ORDERS).await?;
            let (empty, deposited): (Vec<Order>, Vec<Order>) =
                orders.into_iter().partition(is_without_deposit);
            if empty.is_empty() {
                return Ok(deposited);
            }
            // Mark them as done, so that they do not hold up orders with a deposit.
            let known: Vec<_> = empty.iter().map(|order| (order.id.clone(), order.intent_state())).collect();
            self.book_state.mark_recorded(&known).await?;
        }
    }
}

/// Whether nothing was ever deposited for an order.
fn is_without_deposit(order: &Order) -> bool {
    matches!(order.intent_state(), IntentState::NonExistent | IntentState::Error)
}

/// Unique per batch across replicas.
fn purpose(states: &[(OrderId, IntentState)], now: Timestamp) -> String {
    let all: Vec<String> = states.iter().map(|(order, state)| format!("{order}{}", state.number())).collect();
    let digest = keccak256(all.concat());
    format!("book:{}:{}", now.as_millisecond(), hex::encode(digest.get(..8).unwrap_or_default()))
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    entries: Vec<IntentEntry>,
    states: Vec<(OrderId, IntentState)>,
    known: Vec<(OrderId, IntentState)>,
}

/// The entries that bring the book from its recorded states to the orders' states.
fn plan(orders: &[Order], recorded: &[IntentState]) -> Plan {
    let mut plan = Plan::default();
    for (order, from) in orders.iter().zip(recorded) {
        let to = order.intent_state();
        // The book takes no step back: an order whose fill reverted stays as recorded until its refund.
        let steps = from.steps_to(to).unwrap_or_default();
        if steps.is_empty() {
            plan.known.push((order.id.clone(), to));
            continue;
        }
        if plan.entries.len() + steps.len() > MAX_ENTRIES {
            break;
        }
        plan.entries.extend(steps.iter().map(|state| IntentEntry {
            terms: order.terms,
            state: *state,
            evidence: evidence_of(*state, &order.evidence),
        }));
        plan.states.push((order.id.clone(), to));
    }
    plan
}

/// The transaction that proves a state.
fn evidence_of(state: IntentState, evidence: &Evidence) -> B256 {
    let shown = match state {
        IntentState::Open | IntentState::Locked => evidence.deposit.as_ref(),
        IntentState::Solved => evidence.fill.as_ref(),
        IntentState::Settled => evidence.claim.as_ref(),
        IntentState::Expired | IntentState::Cancelled => evidence.refund.as_ref().map(|(shown, _)| shown),
        IntentState::NonExistent | IntentState::Error => None,
    };
    shown.map_or(B256::ZERO, tx_hash)
}

/// An EVM transaction hash as it is; a Solana signature is twice as long and is hashed.
fn tx_hash(shown: &ConfirmedTx) -> B256 {
    let mut hash = B256::ZERO;
    let digits = shown.tx.strip_prefix("0x").unwrap_or_default();
    match hex::decode_to_slice(digits, hash.as_mut_slice()) {
        Ok(()) => hash,
        Err(_) => keccak256(&shown.tx),
    }
}
