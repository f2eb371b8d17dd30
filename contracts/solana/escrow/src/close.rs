//! Rent goes back to whoever paid it, once an account has nothing more to say.

use pinocchio::AccountView;

use crate::Call;
use crate::address::{self, Authority, ProgramAddress, check_associated};
use crate::chain::now;
use crate::deposit::can_hold;
use crate::error::EscrowError;
use crate::state::{self, fill, order};
use crate::terms::{Term, Terms, Word};
use crate::token::{Mint, wants_memo};

/// Closes an order that has ended, past its open deadline: earlier, the same deposit could open it again. What strangers sent
/// to it beside the deposit goes to the refund address.
#[inline(never)]
pub fn close_order(call: &Call) -> Result<(), EscrowError> {
    let (account, payer) = (call.writable(0)?, call.writable(1)?);
    let mut terms = Terms::zeroed();
    let rent = ended(call, &account, &payer, &mut terms)?;
    let id = terms.id();
    ProgramAddress::check(call.program, address::ORDER, &id, &account)?;
    if now()? <= terms.number(Term::OpenDeadline)? {
        return Err(EscrowError::TooEarly);
    }
    if !terms.pays_in_sol() {
        close_vault(call, &terms, &id, &payer)?;
        return empty(account, payer);
    }
    let surplus = account.lamports().checked_sub(rent).ok_or(EscrowError::Overflow)?;
    if surplus != 0 {
        let refund_to = call.writable(2)?;
        if refund_to.address().as_array() != terms.word(Term::RefundTo) {
            return Err(EscrowError::WrongAddress);
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
pub fn close_fill(call: &Call) -> Result<(), EscrowError> {
    let (marker, payer, order) = (call.writable(0)?, call.writable(1)?, call.account(2)?);
    let data = state::load(call.program, &marker, state::FILL)?;
    if state::word(&data, fill::PAYER) != *payer.address().as_array() {
        return Err(EscrowError::WrongAddress);
    }
    if now()? <= state::number(&data, fill::KEPT_UNTIL) {
        return Err(EscrowError::TooEarly);
    }
    let id = state::word(&data, fill::ID);
    ProgramAddress::check(call.program, address::FILL, &id, &marker)?;
    ProgramAddress::check(call.program, address::ORDER, &id, &order)?;
    let same_chain = data[fill::SAME_CHAIN] == 1;
    drop(data);
    if same_chain && order.owned_by(call.program) {
        let data = state::load(call.program, &order, state::ORDER)?;
        if data[order::STATUS] == state::OPEN {
            return Err(EscrowError::NotEnded);
        }
    }
    empty(marker, payer)
}

/// The rent that `payer` paid for an order that has ended; reads its terms as well.
fn ended(
    call: &Call,
    account: &AccountView,
    payer: &AccountView,
    terms: &mut Terms,
) -> Result<u64, EscrowError> {
    let data = state::load(call.program, account, state::ORDER)?;
    if data[order::STATUS] == state::OPEN {
        return Err(EscrowError::NotEnded);
    }
    let paid_by: Word = state::word(&data, order::PAYER);
    if paid_by != *payer.address().as_array() {
        return Err(EscrowError::WrongAddress);
    }
    terms.read(&data[order::TERMS..])?;
    Ok(state::number(&data, order::RENT))
}

fn close_vault(call: &Call, terms: &Terms, id: &Word, payer: &AccountView) -> Result<(), EscrowError> {
    let vault = call.writable(3)?;
    let mint = Mint::named(terms.word(Term::InputToken), call.account(4)?, call.account(5)?)?;
    let own = ProgramAddress::check(call.program, address::VAULT, id, &vault)?;
    let surplus = mint.holding(&vault, vault.address().as_array())?;
    let itself = Authority { account: &vault, own: Some(&own) };
    if surplus != 0 {
        let to = surplus_account(call, terms, &mint, payer)?;
        mint.transfer(&vault, &to, surplus, &itself)?;
    }
    mint.close(&vault, payer, &itself)
}

/// Where tokens go that were sent to the vault beside the deposit: to the refund address, and where that has no account that
/// can take them to the payer of the rent. So nobody can lock the rent with a stray token.
fn surplus_account(
    call: &Call,
    terms: &Terms,
    mint: &Mint,
    payer: &AccountView,
) -> Result<AccountView, EscrowError> {
    let refund_to = call.account(2)?;
    let wallet = terms.word(Term::RefundTo);
    check_associated(&refund_to, wallet, &mint.account, &mint.program)?;
    let (to, wallet) = if mint.holding(&refund_to, wallet).is_ok() && !wants_memo(&refund_to)? {
        (refund_to, *wallet)
    } else {
        let own = call.account(6)?;
        check_associated(&own, payer.address().as_array(), &mint.account, &mint.program)?;
        (own, *payer.address().as_array())
    };
    mint.holding(&to, &wallet)?;
    if to.is_writable() { Ok(to) } else { Err(EscrowError::NotWritable) }
}

fn give(mut from: AccountView, mut to: AccountView, lamports: u64) -> Result<(), EscrowError> {
    from.set_lamports(from.lamports().checked_sub(lamports).ok_or(EscrowError::Overflow)?);
    to.set_lamports(to.lamports().checked_add(lamports).ok_or(EscrowError::Overflow)?);
    Ok(())
}

fn empty(mut account: AccountView, to: AccountView) -> Result<(), EscrowError> {
    give(account, to, account.lamports())?;
    account.close()?;
    Ok(())
}
