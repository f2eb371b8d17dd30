use std::collections::HashMap;

use causeway_domain::ports::ChainError;
use causeway_domain::{Address as AnyAddress, FactKind, IntentTerms, RawAmount, RefundCause};
use solana_address::Address;

use super::escrow_transactions::EscrowTransaction;
use crate::history::HistoryWalk;
use crate::program::{EscrowEvent, EscrowProgram};
use crate::{Commitment, SolanaRpc};

/// Anybody can mention an order's address, so only so much of its history is read: the pages of a list, and the oldest
/// transactions of it.
const MAX_HISTORY_PAGES: usize = 3;
const MAX_OLDEST_TRANSACTIONS: usize = 256;

/// What is known of orders before their transactions are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenedOrders<'a> {
    /// The terms of orders that were seen when they were opened, by their account.
    pub(crate) terms: &'a HashMap<Address, IntentTerms>,
    /// Whether a history that does not answer is asked for again, or yields no fact.
    pub(crate) must_answer: bool,
}

/// The terms of orders whose accounts are closed, from `opened` or from the transactions that opened them.
/// Only ended orders are ever closed, so a missing account with a final transaction means that the order has ended. An
/// order whose history cannot be read is left out.
pub(super) async fn closed_orders(
    rpc: &SolanaRpc,
    program: EscrowProgram,
    transactions: &[EscrowTransaction],
    (opened, closed_accounts): (OpenedOrders<'_>, &[Address]),
) -> Result<HashMap<Address, IntentTerms>, ChainError> {
    let mut known = HashMap::new();
    for order in closed_accounts {
        let terms = opened.terms.get(order).copied().or_else(|| opening_terms(program, *order, transactions));
        let terms = match terms {
            Some(terms) => Some(terms),
            None => match terms_from_history(rpc, program, *order).await {
                Err(error) if !opened.must_answer => {
                    tracing::warn!(%order, %error, "the history of a closed order does not answer: its end is not reported");
                    None
                }
                found => found?,
            },
        };
        known.extend(terms.map(|terms| (*order, terms)));
    }
    Ok(known)
}

/// The opening is the oldest transaction of an order, or among the oldest.
async fn terms_from_history(
    rpc: &SolanaRpc,
    program: EscrowProgram,
    order: Address,
) -> Result<Option<IntentTerms>, ChainError> {
    let mut walk = HistoryWalk::of_successful(0);
    let at = (Commitment::Finalized, None);
    match rpc.walk(&order, &mut walk, at, MAX_HISTORY_PAGES).await {
        Ok(true) => {}
        Ok(false) => {
            tracing::warn!(%order, "the history of a closed order is too long to be read: its end is not reported");
            return Ok(None);
        }
        Err(error @ (ChainError::Refused(..) | ChainError::Nonsense(..))) => {
            tracing::warn!(%order, %error, "the history of a closed order cannot be read: its end is not reported");
            return Ok(None);
        }
        Err(error) => return Err(error),
    }
    let signatures: Vec<_> =
        walk.finish().into_iter().take(MAX_OLDEST_TRANSACTIONS).map(|one| one.signature).collect();
    for chunk in signatures.chunks(rpc.config().pool.max_batch_calls.get()) {
        let found = rpc.escrow_transactions(program, chunk, Commitment::Finalized).await?;
        let found: Vec<_> = found.into_iter().flatten().collect();
        if let Some(terms) = opening_terms(program, order, &found) {
            return Ok(Some(terms));
        }
    }
    Ok(None)
}

/// The terms of the opening or fill, if the account is derived from them.
fn opening_terms(
    program: EscrowProgram,
    at: Address,
    transactions: &[EscrowTransaction],
) -> Option<IntentTerms> {
    transactions.iter().flat_map(|transaction| &transaction.events).find_map(|(_, event)| match event {
        EscrowEvent::Opened { order, terms: Some(terms) }
            if *order == at && program.order(terms.id()) == at =>
        {
            Some(**terms)
        }
        // A fill marker is closed once no refund is possible; the successful transaction still proves the fill.
        EscrowEvent::Filled { marker, terms } if *marker == at && program.fill_marker(terms.id()) == at => {
            Some(**terms)
        }
        _ => None,
    })
}

/// The fact behind an event of an order that has been closed since. Amounts and causes follow from the program's
/// rules; a fee that the referrer could not take counts as taken.
pub(super) fn closed_order_fact(event: &EscrowEvent, terms: &IntentTerms, time: u64) -> FactKind {
    let amount = |amount| RawAmount::new(amount);
    match event {
        EscrowEvent::Opened { .. } => FactKind::Opened(Box::new(*terms)),
        EscrowEvent::Claimed { .. } => {
            FactKind::Claimed(amount(terms.amount_in.saturating_sub(terms.referrer_fee)))
        }
        EscrowEvent::Refunded { .. } => {
            let cause = match time {
                late if late > terms.refund_at => RefundCause::Expired,
                late if late > terms.fill_deadline => RefundCause::Unfilled,
                _ => RefundCause::Waived,
            };
            let to = AnyAddress::Solana(terms.refund_to.0);
            FactKind::Refunded { to, amount: amount(terms.amount_in), cause }
        }
        // These are the terms of the instruction; the closed marker is derived from them.
        EscrowEvent::Filled { .. } => FactKind::Filled(amount(terms.amount_out)),
    }
}
