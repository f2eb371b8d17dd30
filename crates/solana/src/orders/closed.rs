use std::collections::HashMap;

use causeway_domain::ports::ChainError;
use causeway_domain::{Address as AnyAddress, FactKind, IntentTerms, RawAmount, RefundCause};
use solana_address::Address;

use super::escrow_transactions::EscrowTransaction;
use crate::program::{EscrowEvent, EscrowProgram};
use crate::{Commitment, HistoryCursor, SolanaRpc};

/// The terms of orders whose accounts are closed, read from the transactions that opened them.
/// Only ended orders are ever closed, so a missing account with a final transaction means that the order has ended.
pub(super) async fn closed_orders(
    rpc: &SolanaRpc,
    program: EscrowProgram,
    transactions: &[EscrowTransaction],
    closed_accounts: &[Address],
) -> Result<HashMap<Address, IntentTerms>, ChainError> {
    let mut known = HashMap::new();
    for order in closed_accounts {
        let mut terms = opening_terms(program, *order, transactions);
        if terms.is_none() {
            let start = HistoryCursor { slot: 0, signature: None };
            let listed = rpc.mentions_at(order, start, Commitment::Finalized, None).await?;
            let listed: Vec<_> = listed.iter().filter(|one| one.failure.is_none()).collect();
            let signatures: Vec<_> = listed.iter().map(|one| one.signature).collect();
            terms =
                opening_terms(program, *order, &rpc.final_escrow_transactions(program, &signatures).await?);
        }
        known.extend(terms.map(|terms| (*order, terms)));
    }
    Ok(known)
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
