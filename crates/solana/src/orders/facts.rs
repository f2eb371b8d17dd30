use std::collections::HashMap;

use alloy_primitives::{B256, U256};
use causeway_domain::ports::ChainError;
use causeway_domain::{
    Address as AnyAddress, Fact, FactKind, FactPlace, IntentTerms, RawAmount, RefundCause, SOLANA_CHAIN_ID,
};
use solana_address::Address;

use super::closed::{OpenedOrders, closed_order_fact, closed_orders};
use super::escrow_transactions::EscrowTransaction;
use crate::program::{self, EscrowEvent, EscrowProgram, FillMarker, OrderAccount, OrderStatus};
use crate::{Account, Commitment, SolanaRpc};

/// The facts behind these transactions, read from accounts of a node that has reached slot `not_before`. Transactions
/// only name the accounts to read. A missing account yields no fact, unless its order has ended and was closed; `opened`
/// are the terms of orders that were seen before.
pub(crate) async fn facts(
    rpc: &SolanaRpc,
    program: EscrowProgram,
    transactions: &[EscrowTransaction],
    (commitment, not_before): (Commitment, Option<u64>),
    opened: OpenedOrders<'_>,
) -> Result<Vec<Fact>, ChainError> {
    let mut addresses: Vec<Address> = transactions
        .iter()
        .flat_map(|transaction| &transaction.events)
        .map(|(_, event)| event.account())
        .collect();
    addresses.sort_unstable();
    addresses.dedup();
    if addresses.is_empty() {
        return Ok(Vec::new());
    }
    let accounts = rpc.accounts(&addresses, commitment, not_before).await?.value;
    let (existing, missing): (Vec<_>, Vec<_>) =
        addresses.into_iter().zip(accounts).partition(|(_, account)| account.is_some());
    let missing: Vec<Address> = missing.into_iter().map(|(address, _)| address).collect();
    let closed = match commitment {
        Commitment::Finalized if !missing.is_empty() => {
            closed_orders(rpc, program, transactions, (opened, &missing)).await?
        }
        _ => HashMap::new(),
    };
    let accounts = existing.into_iter().filter_map(|(address, one)| Some((address, one?))).collect();
    let snapshot = AccountSnapshot { program, accounts, closed };
    let events = transactions.iter().flat_map(|transaction| {
        transaction.events.iter().map(move |(place, event)| (transaction, *place, event))
    });
    Ok(events.filter_map(|(transaction, place, event)| snapshot.fact(transaction, place, event)).collect())
}

/// The accounts that the transactions name.
struct AccountSnapshot {
    program: EscrowProgram,
    accounts: HashMap<Address, Account>,
    /// The terms of orders that have ended and were closed.
    closed: HashMap<Address, IntentTerms>,
}

impl AccountSnapshot {
    fn fact(&self, transaction: &EscrowTransaction, index: u64, event: &EscrowEvent) -> Option<Fact> {
        let at = event.account();
        let (intent, kind, time) = match (self.accounts.get(&at), event) {
            (Some(account), EscrowEvent::Filled { terms, .. }) => {
                fill_fact(self.program, at, account, terms)?
            }
            (Some(account), _) => {
                let state = read_order_account(self.program, at, account)?;
                let (kind, time) = order_fact(event, &state)?;
                (state.terms.id(), kind, time)
            }
            (None, _) => {
                let (terms, time) = (self.closed.get(&at)?, transaction.time.unwrap_or_default());
                (terms.id(), closed_order_fact(event, terms, time), time)
            }
        };
        let tx = transaction.signature.to_string();
        let place = FactPlace { chain: SOLANA_CHAIN_ID, tx, index, block: transaction.slot, time };
        Some(Fact { intent_id: intent, kind, place })
    }
}

/// The order in an account of the program, if the address is derived from its terms.
pub(crate) fn read_order_account(
    program: EscrowProgram,
    at: Address,
    account: &Account,
) -> Option<OrderAccount> {
    let is_program_account = account.owner == program.id;
    let state = OrderAccount::parse(&account.data).ok().filter(|_| is_program_account)?;
    (program.order(state.terms.id()) == at).then_some(state)
}

/// The fill marker in an account of the program, if the address is derived from its order.
pub(crate) fn read_fill_marker(program: EscrowProgram, at: Address, account: &Account) -> Option<FillMarker> {
    let is_program_account = account.owner == program.id;
    let state = FillMarker::parse(&account.data).ok().filter(|_| is_program_account)?;
    (program.fill_marker(state.order) == at).then_some(state)
}

/// The program fills exactly the order's amount or nothing, and the marker holds the hash of all terms.
fn fill_fact(
    program: EscrowProgram,
    marker: Address,
    account: &Account,
    terms: &IntentTerms,
) -> Option<(B256, FactKind, u64)> {
    let state = read_fill_marker(program, marker, account)?;
    let kind = FactKind::Filled(RawAmount::new(terms.amount_out));
    (terms.id() == state.order).then_some((state.order, kind, state.filled_at))
}

fn order_fact(event: &EscrowEvent, state: &OrderAccount) -> Option<(FactKind, u64)> {
    let terms = &state.terms;
    match (event, state.status) {
        (EscrowEvent::Opened { .. }, _) => Some((FactKind::Opened(Box::new(*terms)), state.opened_at)),
        (EscrowEvent::Claimed { .. }, OrderStatus::Claimed) => {
            let fee = if state.referrer_paid { terms.referrer_fee } else { U256::ZERO };
            let amount = RawAmount::new(terms.amount_in.saturating_sub(fee));
            Some((FactKind::Claimed(amount), state.ended_at))
        }
        (EscrowEvent::Refunded { .. }, OrderStatus::Refunded(cause)) => {
            let to = AnyAddress::Solana(state.paid_to.to_bytes());
            let cause = match cause {
                program::RefundCause::Waived => RefundCause::Waived,
                program::RefundCause::Unfilled => RefundCause::Unfilled,
                program::RefundCause::Expired => RefundCause::Expired,
            };
            let amount = RawAmount::new(terms.amount_in);
            Some((FactKind::Refunded { to, amount, cause }, state.ended_at))
        }
        _ => None,
    }
}
