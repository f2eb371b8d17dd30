use std::collections::HashMap;

use causeway_domain::ports::ChainError;
use causeway_domain::{Address as AnyAddress, FactKind, RawAmount, RefundCause, Terms};
use solana_address::Address;

use super::told::Told;
use crate::program::{Act, EscrowProgram};
use crate::{Bookmark, Commitment, SolanaRpc};

/// The terms of orders whose accounts are gone. Only what has ended is ever closed, so that an account which is missing behind a
/// final transaction of its order tells that much by itself; the terms are those of the transaction that opened it.
pub(super) async fn closed_orders(
    rpc: &SolanaRpc,
    program: EscrowProgram,
    told: &[Told],
    gone: &[Address],
) -> Result<HashMap<Address, Terms>, ChainError> {
    let mut known = HashMap::new();
    for order in gone {
        let mut terms = opening(program, *order, told);
        if terms.is_none() {
            let begin = Bookmark { slot: 0, signature: None };
            let listed = rpc.mentions_at(order, begin, Commitment::Finalized, None).await?;
            let listed: Vec<_> = listed.iter().filter(|one| one.failure.is_none()).collect();
            let signatures: Vec<_> = listed.iter().map(|one| one.signature).collect();
            terms = opening(program, *order, &rpc.told_for_good(program, &signatures).await?);
        }
        known.extend(terms.map(|terms| (*order, terms)));
    }
    Ok(known)
}

/// The terms by which an order was opened or delivered, if they lead to the account.
fn opening(program: EscrowProgram, at: Address, told: &[Told]) -> Option<Terms> {
    told.iter().flat_map(|told| &told.acts).find_map(|(_, act)| match act {
        Act::Opened { order, terms: Some(terms) } if *order == at && program.order(terms.id()) == at => {
            Some(**terms)
        }
        // A marker goes once nobody can be refunded any more; what a transaction that succeeded said of it stays true.
        Act::Filled { marker, terms } if *marker == at && program.fill_marker(terms.id()) == at => {
            Some(**terms)
        }
        _ => None,
    })
}

/// What an act did to an order that has been closed since. Amounts and causes are what the program's rules leave: a fee that the
/// referrer could not take counts as taken.
pub(super) fn of_closed(act: &Act, terms: &Terms, time: u64) -> FactKind {
    let amount = |amount| RawAmount::new(amount);
    match act {
        Act::Opened { .. } => FactKind::Opened(Box::new(*terms)),
        Act::Claimed { .. } => FactKind::Claimed(amount(terms.amount_in.saturating_sub(terms.referrer_fee))),
        Act::Refunded { .. } => {
            let cause = match time {
                late if late > terms.refund_at => RefundCause::Expired,
                late if late > terms.fill_deadline => RefundCause::Unfilled,
                _ => RefundCause::Waived,
            };
            let to = AnyAddress::Solana(terms.refund_to.0);
            FactKind::Refunded { to, amount: amount(terms.amount_in), cause }
        }
        // The terms are the instruction's own here, and lead to the marker that is gone.
        Act::Filled { .. } => FactKind::Filled(amount(terms.amount_out)),
    }
}
