use pinocchio::AccountView;

use crate::Call;
use crate::address::{self, ProgramAddress};
use crate::attesters;
use crate::digest;
use crate::error::EscrowError;
use crate::payout::OpenOrder;
use crate::state::{self, fill, order};
use crate::terms::{Term, Terms, Word, ZERO};

/// Where the accounts of a token begin: vault, mint, token program.
const TAIL: usize = 4;

/// Pays the filler's payee, and the referrer its fee. Anyone may call; a claim never expires.
///
/// Data: within one chain none, because the record of the fill counts; otherwise the time of the fill `u64`, its reference (32
/// bytes) and signatures of 65 bytes.
#[inline(never)]
pub fn claim(call: &Call) -> Result<(), EscrowError> {
    let mut terms = Terms::zeroed();
    let order = OpenOrder::load(call, TAIL, &mut terms)?;
    let fill = if order.terms.same_chain() { recorded(call, &order)? } else { attested(call, &order)? };
    pay(&order, &fill, call.account(2)?, call.account(3)?)
}

/// When an order was filled, and the reference of the fill.
pub type Fill = (u64, Word);

/// Ends an order as claimed: the fee goes to the referrer, the rest to the payee. Without a fee `referrer` is not looked at.
#[inline(never)]
pub fn pay(
    order: &OpenOrder,
    (filled_at, fill_ref): &Fill,
    payee: AccountView,
    referrer: AccountView,
) -> Result<(), EscrowError> {
    let payee_word = order.terms.word(Term::Payee);
    order.end(state::CLAIMED, 0, payee_word)?;
    let amount = order.terms.number(Term::AmountIn)?;
    let fee = order.terms.number(Term::ReferrerFee)?;
    let referrer_word = order.terms.word(Term::Referrer);
    let paid = fee != 0 && order.can_pay(referrer_word, &referrer, fee)?;
    {
        let mut account = order.account;
        let mut data = state::load_mut(order.program(), &mut account, state::ORDER)?;
        state::set_number(&mut data, order::FILLED_AT, *filled_at);
        state::set_word(&mut data, order::FILL_REF, fill_ref);
        data[order::REFERRER_PAID] = u8::from(paid);
    }
    // A fee that the referrer cannot take goes to the payee.
    let fee = if paid { fee } else { 0 };
    if paid {
        order.pay(referrer_word, referrer, fee)?;
    }
    order.pay(payee_word, payee, amount.checked_sub(fee).ok_or(EscrowError::Overflow)?)
}

/// Whether attesters may speak of this order at all, and of a fill at this time.
pub fn check_attested(terms: &Terms, filled_at: u64) -> Result<(), EscrowError> {
    if terms.same_chain() {
        return Err(EscrowError::AttestationsRefused);
    }
    if filled_at == 0 {
        return Err(EscrowError::NotFilled);
    }
    if filled_at > terms.number(Term::FillDeadline)? {
        return Err(EscrowError::FilledTooLate);
    }
    Ok(())
}

#[inline(never)]
fn recorded(call: &Call, order: &OpenOrder) -> Result<Fill, EscrowError> {
    if !call.data.is_empty() {
        return Err(EscrowError::AttestationsRefused);
    }
    let marker = call.account(1)?;
    ProgramAddress::check(call.program, address::FILL, &order.id, &marker)?;
    if !marker.owned_by(call.program) {
        return Err(EscrowError::NotFilled);
    }
    let data = state::load(call.program, &marker, state::FILL)?;
    Ok((state::number(&data, fill::FILLED_AT), ZERO))
}

#[inline(never)]
fn attested(call: &Call, order: &OpenOrder) -> Result<Fill, EscrowError> {
    let (filled_at, rest) = call.data.split_first_chunk().ok_or(EscrowError::BadData)?;
    let (fill_ref, _) = rest.split_first_chunk().ok_or(EscrowError::BadData)?;
    let filled_at = u64::from_le_bytes(*filled_at);
    check_attested(order.terms, filled_at)?;
    let digest = digest::filled(call.program, &order.id, filled_at, fill_ref);
    let epoch = order.terms.number(Term::Epoch)?;
    attesters::check(call, &call.account(1)?, epoch, &digest, 8 + 32)?;
    Ok((filled_at, *fill_ref))
}
