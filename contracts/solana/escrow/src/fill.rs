use pinocchio::AccountView;

use crate::Call;
use crate::address::{self, Authority, ProgramAddress, check_associated};
use crate::chain::{CHAIN_ID, now};
use crate::deposit::can_hold;
use crate::error::EscrowError;
use crate::state::{self, fill};
use crate::system::{create, transfer};
use crate::terms::{self, Term, Terms, ZERO};
use crate::token::{Mint, wants_memo};

/// Delivers an order from the caller to its recipient, once, and keeps the record of it. Anyone may fill: the payee is part of
/// the order.
///
/// Data: packed terms.
#[inline(never)]
pub fn fill(call: &Call) -> Result<(), EscrowError> {
    let mut terms = Terms::zeroed();
    terms.unpack(call, 0)?;
    let (caller, marker) = (call.signer(0)?, call.writable(1)?);
    let now = now()?;
    check(call, &terms, now)?;
    mark(call, &terms, (&caller, marker), now)?;

    let amount = terms.number(Term::AmountOut)?;
    if amount == 0 {
        return Err(EscrowError::ZeroAmount);
    }
    let recipient = call.writable(3)?;
    let from_caller = Authority { account: &caller, own: None };
    let (before, after);
    if *terms.word(Term::OutputToken) == ZERO {
        if recipient.address().as_array() != terms.word(Term::Recipient) || recipient.executable() {
            return Err(EscrowError::BadRecipient);
        }
        if !can_hold(&recipient, amount)? {
            return Err(EscrowError::NotRentExempt);
        }
        before = recipient.lamports();
        transfer(&from_caller, &recipient, amount)?;
        after = recipient.lamports();
    } else {
        let source = call.writable(4)?;
        let mint = Mint::named(terms.word(Term::OutputToken), call.account(5)?, call.account(6)?)?;
        mint.check_plain()?;
        check_associated(&recipient, terms.word(Term::Recipient), &mint.account, &mint.program)?;
        before = mint.holding(&recipient, terms.word(Term::Recipient))?;
        if wants_memo(&recipient)? {
            return Err(EscrowError::MemoRequired);
        }
        mint.read(&source)?;
        mint.transfer(&source, &recipient, amount, &from_caller)?;
        after = mint.holding(&recipient, terms.word(Term::Recipient))?;
    }
    // A transfer to oneself succeeds and delivers nothing.
    if after.checked_sub(before) == Some(amount) { Ok(()) } else { Err(EscrowError::WrongDelta) }
}

fn check(call: &Call, terms: &Terms, now: u64) -> Result<(), EscrowError> {
    let own = call.program.as_array();
    if terms.number(Term::Version)? != terms::VERSION {
        return Err(EscrowError::WrongVersion);
    }
    if terms.number(Term::DestinationChain)? != CHAIN_ID {
        return Err(EscrowError::WrongChain);
    }
    if terms.word(Term::Settler) != own {
        return Err(EscrowError::WrongSettler);
    }
    if now > terms.number(Term::FillDeadline)? {
        return Err(EscrowError::FillDeadlinePassed);
    }
    let recipient = terms.word(Term::Recipient);
    let nobody = [&ZERO, own, terms.word(Term::OutputToken), terms.word(Term::Escrow)];
    if nobody.contains(&recipient) { Err(EscrowError::BadRecipient) } else { Ok(()) }
}

/// Writes the record of the fill, which can be made once only.
fn mark(
    call: &Call,
    terms: &Terms,
    (caller, mut marker): (&AccountView, AccountView),
    now: u64,
) -> Result<(), EscrowError> {
    let id = terms.id();
    if marker.owned_by(call.program) {
        return Err(EscrowError::AlreadyFilled);
    }
    let own = ProgramAddress::check(call.program, address::FILL, &id, &marker)?;
    create(caller, &marker, &own, fill::LENGTH, call.program)?;
    let kept_until = terms.number(Term::RefundAt)?.max(terms.number(Term::FillDeadline)?);
    let mut data = marker.try_borrow_mut()?;
    data[0] = state::FILL;
    data[fill::SAME_CHAIN] = u8::from(terms.same_chain());
    state::set_number(&mut data, fill::FILLED_AT, now);
    state::set_number(&mut data, fill::KEPT_UNTIL, kept_until);
    state::set_word(&mut data, fill::PAYER, caller.address().as_array());
    state::set_word(&mut data, fill::ID, &id);
    Ok(())
}
