use std::collections::HashMap;

use alloy_primitives::{B256, U256};
use causeway_domain::ports::ChainError;
use causeway_domain::{
    Address as AnyAddress, Fact, FactKind, FactPlace, RawAmount, RefundCause, SOLANA_CHAIN_ID, Terms,
};
use solana_address::Address;

use super::closed::{closed_orders, of_closed};
use super::told::Told;
use crate::program::{self, Act, EscrowProgram, FillMarker, OrderAccount, OrderStatus};
use crate::{Account, Commitment, SolanaRpc};

/// What the accounts show of what these transactions did, read from a node that has reached `not_before`. The transactions only
/// say where to look. An account that is not there shows nothing, but that of an order which has ended and was closed since.
pub(crate) async fn facts(
    rpc: &SolanaRpc,
    program: EscrowProgram,
    told: &[Told],
    commitment: Commitment,
    not_before: Option<u64>,
) -> Result<Vec<Fact>, ChainError> {
    let mut addresses: Vec<Address> =
        told.iter().flat_map(|told| &told.acts).map(|(_, act)| act.account()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    if addresses.is_empty() {
        return Ok(Vec::new());
    }
    let accounts = rpc.accounts(&addresses, commitment, not_before).await?.value;
    let (there, gone): (Vec<_>, Vec<_>) =
        addresses.into_iter().zip(accounts).partition(|(_, account)| account.is_some());
    let gone: Vec<Address> = gone.into_iter().map(|(address, _)| address).collect();
    let closed = match commitment {
        Commitment::Finalized if !gone.is_empty() => closed_orders(rpc, program, told, &gone).await?,
        _ => HashMap::new(),
    };
    let accounts = there.into_iter().filter_map(|(address, one)| Some((address, one?))).collect();
    let sight = Sight { program, accounts, closed };
    let acts = told.iter().flat_map(|told| told.acts.iter().map(move |(place, act)| (told, *place, act)));
    Ok(acts.filter_map(|(told, place, act)| sight.fact(told, place, act)).collect())
}

/// What was found at the places where the transactions said to look.
struct Sight {
    program: EscrowProgram,
    accounts: HashMap<Address, Account>,
    /// The terms of orders that have ended and are gone.
    closed: HashMap<Address, Terms>,
}

impl Sight {
    fn fact(&self, told: &Told, index: u64, act: &Act) -> Option<Fact> {
        let at = act.account();
        let (intent, kind, time) = match (self.accounts.get(&at), act) {
            (Some(account), Act::Filled { terms, .. }) => delivered(self.program, at, account, terms)?,
            (Some(account), _) => {
                let kept = kept_order(self.program, at, account)?;
                let (kind, time) = ended_or_opened(act, &kept)?;
                (kept.terms.id(), kind, time)
            }
            (None, _) => {
                let (terms, time) = (self.closed.get(&at)?, told.time.unwrap_or_default());
                (terms.id(), of_closed(act, terms, time), time)
            }
        };
        let tx = told.signature.to_string();
        let place = FactPlace { chain: SOLANA_CHAIN_ID, tx, index, block: told.slot, time };
        Some(Fact { intent, kind, place })
    }
}

/// The order that an account of the program keeps, if it lies at the address that its terms lead to.
pub(crate) fn kept_order(program: EscrowProgram, at: Address, account: &Account) -> Option<OrderAccount> {
    let ours = account.owner == program.id;
    let kept = OrderAccount::parse(&account.data).ok().filter(|_| ours)?;
    (program.order(kept.terms.id()) == at).then_some(kept)
}

/// The record of a fill that an account of the program keeps, if it lies at the order's address.
pub(crate) fn kept_fill(program: EscrowProgram, at: Address, account: &Account) -> Option<FillMarker> {
    let ours = account.owner == program.id;
    let kept = FillMarker::parse(&account.data).ok().filter(|_| ours)?;
    (program.fill_marker(kept.order) == at).then_some(kept)
}

/// The program delivers exactly the order's amount or nothing, and the record bears the hash of all terms.
fn delivered(
    program: EscrowProgram,
    marker: Address,
    account: &Account,
    terms: &Terms,
) -> Option<(B256, FactKind, u64)> {
    let kept = kept_fill(program, marker, account)?;
    let kind = FactKind::Filled(RawAmount::new(terms.amount_out));
    (terms.id() == kept.order).then_some((kept.order, kind, kept.filled_at))
}

fn ended_or_opened(act: &Act, kept: &OrderAccount) -> Option<(FactKind, u64)> {
    let terms = &kept.terms;
    match (act, kept.status) {
        (Act::Opened { .. }, _) => Some((FactKind::Opened(Box::new(*terms)), kept.opened_at)),
        (Act::Claimed { .. }, OrderStatus::Claimed) => {
            let fee = if kept.referrer_paid { terms.referrer_fee } else { U256::ZERO };
            let amount = RawAmount::new(terms.amount_in.saturating_sub(fee));
            Some((FactKind::Claimed(amount), kept.ended_at))
        }
        (Act::Refunded { .. }, OrderStatus::Refunded(cause)) => {
            let to = AnyAddress::Solana(kept.paid_to.to_bytes());
            let cause = match cause {
                program::RefundCause::Waived => RefundCause::Waived,
                program::RefundCause::Unfilled => RefundCause::Unfilled,
                program::RefundCause::Expired => RefundCause::Expired,
            };
            let amount = RawAmount::new(terms.amount_in);
            Some((FactKind::Refunded { to, amount, cause }, kept.ended_at))
        }
        _ => None,
    }
}
