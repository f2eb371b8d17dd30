use crate::Call;
use crate::address::{self, Own};
use crate::attesters;
use crate::digest;
use crate::pay::Purse;
use crate::refusal::Refusal;
use crate::state::{self, fill, order};
use crate::terms::{Term, Terms, Word, ZERO};

/// Pays the filler's payee, and the referrer its fee. Anyone may call; a claim never expires.
///
/// Data: within one chain none, because the record of the fill counts; otherwise the time of the fill `u64`, its reference (32
/// bytes) and signatures of 65 bytes.
#[inline(never)]
pub fn claim(call: &Call) -> Result<(), Refusal> {
    let mut terms = Terms::room();
    let purse = Purse::open(call, &mut terms)?;
    let (filled_at, fill_ref) =
        if purse.terms.same_chain() { recorded(call, &purse)? } else { attested(call, &purse)? };

    let payee = *purse.terms.word(Term::Payee);
    purse.end(state::CLAIMED, 0, &payee)?;
    let amount = purse.terms.number(Term::AmountIn)?;
    let fee = purse.terms.number(Term::ReferrerFee)?;
    let referrer = purse.terms.word(Term::Referrer);
    let paid = fee != 0 && purse.can_pay(referrer, &call.account(3)?, fee)?;
    {
        let mut account = purse.order;
        let mut data = state::load_mut(call.program, &mut account, state::ORDER)?;
        state::set_number(&mut data, order::FILLED_AT, filled_at);
        state::set_word(&mut data, order::FILL_REF, &fill_ref);
        data[order::REFERRER_PAID] = u8::from(paid);
    }
    // A fee that the referrer cannot take goes to the payee.
    let fee = if paid { fee } else { 0 };
    if paid {
        purse.pay(referrer, call.account(3)?, fee)?;
    }
    purse.pay(&payee, call.account(2)?, amount.checked_sub(fee).ok_or(Refusal::Overflow)?)
}

#[inline(never)]
fn recorded(call: &Call, purse: &Purse) -> Result<(u64, Word), Refusal> {
    if !call.data.is_empty() {
        return Err(Refusal::AttestationsRefused);
    }
    let marker = call.account(1)?;
    Own::check(call.program, address::FILL, &purse.id, &marker)?;
    if !marker.owned_by(call.program) {
        return Err(Refusal::NotFilled);
    }
    let data = state::load(call.program, &marker, state::FILL)?;
    Ok((state::number(&data, fill::FILLED_AT), ZERO))
}

#[inline(never)]
fn attested(call: &Call, purse: &Purse) -> Result<(u64, Word), Refusal> {
    let (filled_at, rest) = call.data.split_first_chunk().ok_or(Refusal::BadData)?;
    let (fill_ref, _) = rest.split_first_chunk().ok_or(Refusal::BadData)?;
    let filled_at = u64::from_le_bytes(*filled_at);
    if filled_at == 0 {
        return Err(Refusal::NotFilled);
    }
    if filled_at > purse.terms.number(Term::FillDeadline)? {
        return Err(Refusal::FilledTooLate);
    }
    let digest = digest::filled(call.program, &purse.id, filled_at, fill_ref);
    let epoch = purse.terms.number(Term::Epoch)?;
    attesters::check(call, &call.account(1)?, epoch, &digest, 8 + 32)?;
    Ok((filled_at, *fill_ref))
}
