use crate::Call;
use crate::address::{self, Own};
use crate::attesters;
use crate::chain::now;
use crate::digest;
use crate::pay::Purse;
use crate::refusal::Refusal;
use crate::state;
use crate::terms::{Term, Terms, ZERO};

/// How long after `refundAt` the user, too, may redirect a refund.
const USER_REDIRECTS_AFTER: u64 = 30 * 24 * 60 * 60;

/// Gives the deposit back because the filler, who signs, waives it; or, once `refundAt` has passed (within one chain: the fill
/// deadline, unfilled), because anyone asks.
#[inline(never)]
pub fn refund(call: &Call) -> Result<(), Refusal> {
    let mut terms = Terms::room();
    let purse = Purse::open(call, &mut terms)?;
    let caller = call.account(3)?;
    let waived = caller.is_signer() && caller.address().as_array() == purse.terms.word(Term::Filler);
    require_unfilled(call, &purse)?;
    if !waived {
        require_expired(&purse)?;
    }
    give_back(call, &purse, if waived { state::WAIVED } else { state::EXPIRED })
}

/// Gives it back on a threshold of attestations that there was no fill. Anyone may call.
///
/// Data: the destination's time `u64`, signatures of 65 bytes.
#[inline(never)]
pub fn refund_unfilled(call: &Call) -> Result<(), Refusal> {
    let mut terms = Terms::room();
    let purse = Purse::open(call, &mut terms)?;
    if purse.terms.same_chain() {
        return Err(Refusal::AttestationsRefused);
    }
    let (time, _) = call.data.split_first_chunk().ok_or(Refusal::BadData)?;
    let time = u64::from_le_bytes(*time);
    if time <= purse.terms.number(Term::FillDeadline)? {
        return Err(Refusal::NotUnfilled);
    }
    let digest = digest::unfilled(call.program, &purse.id, time);
    let epoch = purse.terms.number(Term::Epoch)?;
    attesters::check(call, &call.account(1)?, epoch, &digest, 8)?;
    give_back(call, &purse, state::UNFILLED)
}

/// Gives an expired deposit to another account, for a refund address that cannot receive. Only the refund address itself may
/// name it, and from thirty days after `refundAt` the user too.
#[inline(never)]
pub fn refund_to(call: &Call) -> Result<(), Refusal> {
    let mut terms = Terms::room();
    let purse = Purse::open(call, &mut terms)?;
    require_unfilled(call, &purse)?;
    require_expired(&purse)?;
    let (to, caller) = (call.writable(2)?, call.account(3)?);
    if !caller.is_signer() {
        return Err(Refusal::NotSigner);
    }
    let key = caller.address().as_array();
    let late =
        purse.terms.number(Term::RefundAt)?.checked_add(USER_REDIRECTS_AFTER).ok_or(Refusal::Overflow)?;
    let user_may = key == purse.terms.word(Term::User) && now()? >= late;
    if key != purse.terms.word(Term::RefundTo) && !user_may {
        return Err(Refusal::NotTheRefundAddress);
    }
    let holder = purse.holder(&to)?;
    if holder == ZERO {
        return Err(Refusal::ZeroAddress);
    }
    // Money sent to the program's own accounts would belong to nobody.
    if holder == *call.program.as_array() || to.owned_by(call.program) {
        return Err(Refusal::EscrowAsParty);
    }
    purse.end(state::REFUNDED, state::EXPIRED, &holder)?;
    purse.move_to(to, purse.terms.number(Term::AmountIn)?)
}

fn give_back(call: &Call, purse: &Purse, cause: u8) -> Result<(), Refusal> {
    let refund_to = purse.terms.word(Term::RefundTo);
    purse.end(state::REFUNDED, cause, refund_to)?;
    purse.pay(refund_to, call.account(2)?, purse.terms.number(Term::AmountIn)?)
}

/// Within one chain the record of the fill decides.
fn require_unfilled(call: &Call, purse: &Purse) -> Result<(), Refusal> {
    if !purse.terms.same_chain() {
        return Ok(());
    }
    let marker = call.account(1)?;
    Own::check(call.program, address::FILL, &purse.id, &marker)?;
    if marker.owned_by(call.program) { Err(Refusal::AlreadyFilled) } else { Ok(()) }
}

/// Within one chain nothing can be filled after the fill deadline, so nobody has to wait for longer.
fn require_expired(purse: &Purse) -> Result<(), Refusal> {
    let term = if purse.terms.same_chain() { Term::FillDeadline } else { Term::RefundAt };
    if now()? > purse.terms.number(term)? { Ok(()) } else { Err(Refusal::NotRefundable) }
}
