//! Rent goes back to whoever paid it, once an account has nothing more to say.

use pinocchio::AccountView;

use crate::Call;
use crate::address::{self, Authority, Own, check_associated};
use crate::chain::now;
use crate::deposit::can_hold;
use crate::refusal::Refusal;
use crate::state::{self, fill, order};
use crate::terms::{Term, Terms, Word};
use crate::token::Mint;

/// Closes an order that has ended, past its open deadline: earlier, the same deposit could open it again. What strangers sent
/// to it beside the deposit goes to the refund address.
#[inline(never)]
pub fn close_order(call: &Call) -> Result<(), Refusal> {
    let (account, payer) = (call.writable(0)?, call.writable(1)?);
    let mut terms = Terms::room();
    let rent = ended(call, &account, &payer, &mut terms)?;
    let id = terms.id();
    Own::check(call.program, address::ORDER, &id, &account)?;
    if now()? <= terms.number(Term::OpenDeadline)? {
        return Err(Refusal::TooEarly);
    }
    if !terms.pays_in_sol() {
        close_vault(call, &terms, &id, &payer)?;
        return empty(account, payer);
    }
    let surplus = account.lamports().checked_sub(rent).ok_or(Refusal::Overflow)?;
    if surplus != 0 {
        let refund_to = call.writable(2)?;
        if refund_to.address().as_array() != terms.word(Term::RefundTo) {
            return Err(Refusal::WrongAddress);
        }
        if can_hold(&refund_to, surplus)? {
            give(account, refund_to, surplus)?;
        }
    }
    empty(account, payer)
}

/// Closes the record of a fill past its order's `refundAt`; within one chain also not before the order has ended, because
/// the claim needs the record.
#[inline(never)]
pub fn close_fill(call: &Call) -> Result<(), Refusal> {
    let (marker, payer, order) = (call.writable(0)?, call.writable(1)?, call.account(2)?);
    let data = state::load(call.program, &marker, state::FILL)?;
    if state::word(&data, fill::PAYER) != *payer.address().as_array() {
        return Err(Refusal::WrongAddress);
    }
    if now()? <= state::number(&data, fill::KEPT_UNTIL) {
        return Err(Refusal::TooEarly);
    }
    let id = state::word(&data, fill::ID);
    Own::check(call.program, address::FILL, &id, &marker)?;
    Own::check(call.program, address::ORDER, &id, &order)?;
    let same_chain = data[fill::SAME_CHAIN] == 1;
    drop(data);
    if same_chain && order.owned_by(call.program) {
        let data = state::load(call.program, &order, state::ORDER)?;
        if data[order::STATUS] == state::OPEN {
            return Err(Refusal::NotEnded);
        }
    }
    empty(marker, payer)
}

/// The rent that `payer` paid for an order that has ended; reads its terms as well.
fn ended(call: &Call, account: &AccountView, payer: &AccountView, terms: &mut Terms) -> Result<u64, Refusal> {
    let data = state::load(call.program, account, state::ORDER)?;
    if data[order::STATUS] == state::OPEN {
        return Err(Refusal::NotEnded);
    }
    let paid_by: Word = state::word(&data, order::PAYER);
    if paid_by != *payer.address().as_array() {
        return Err(Refusal::WrongAddress);
    }
    terms.read(&data[order::TERMS..])?;
    Ok(state::number(&data, order::RENT))
}

fn close_vault(call: &Call, terms: &Terms, id: &Word, payer: &AccountView) -> Result<(), Refusal> {
    let vault = call.writable(3)?;
    let mint = Mint::named(terms.word(Term::InputToken), call.account(4)?, call.account(5)?)?;
    let own = Own::check(call.program, address::VAULT, id, &vault)?;
    let rest = mint.holding(&vault, vault.address().as_array())?;
    let itself = Authority { account: &vault, own: Some(&own) };
    if rest != 0 {
        let refund_to = call.writable(2)?;
        check_associated(&refund_to, terms.word(Term::RefundTo), &mint.account, &mint.program)?;
        mint.holding(&refund_to, terms.word(Term::RefundTo))?;
        mint.transfer(&vault, &refund_to, rest, &itself)?;
    }
    mint.close(&vault, payer, &itself)
}

fn give(mut from: AccountView, mut to: AccountView, lamports: u64) -> Result<(), Refusal> {
    from.set_lamports(from.lamports().checked_sub(lamports).ok_or(Refusal::Overflow)?);
    to.set_lamports(to.lamports().checked_add(lamports).ok_or(Refusal::Overflow)?);
    Ok(())
}

fn empty(mut account: AccountView, to: AccountView) -> Result<(), Refusal> {
    give(account, to, account.lamports())?;
    account.close()?;
    Ok(())
}
