use crate::Call;
use crate::address::{self, ProgramAddress};
use crate::attesters;
use crate::chain::now;
use crate::digest;
use crate::error::EscrowError;
use crate::payout::OpenOrder;
use crate::state;
use crate::terms::{Term, Terms, ZERO};

/// Where the accounts of a token begin: vault, mint, token program.
const TAIL: usize = 4;
/// How long after `refundAt` the user, too, may redirect a refund.
const USER_REDIRECTS_AFTER: u64 = 30 * 24 * 60 * 60;

/// Gives the deposit back because the filler, who signs, waives it; or, once `refundAt` has passed (within one chain: the fill
/// deadline, unfilled), because anyone asks.
#[inline(never)]
pub fn refund(call: &Call) -> Result<(), EscrowError> {
    let mut terms = Terms::zeroed();
    let order = OpenOrder::load(call, TAIL, &mut terms)?;
    let caller = call.account(3)?;
    let waived = caller.is_signer() && caller.address().as_array() == order.terms.word(Term::Filler);
    require_unfilled(call, &order)?;
    if !waived {
        require_expired(&order)?;
    }
    give_back(call, &order, if waived { state::WAIVED } else { state::EXPIRED })
}

/// Gives it back on a threshold of attestations that there was no fill. Anyone may call.
///
/// Data: the destination's time `u64`, signatures of 65 bytes.
#[inline(never)]
pub fn refund_unfilled(call: &Call) -> Result<(), EscrowError> {
    let mut terms = Terms::zeroed();
    let order = OpenOrder::load(call, TAIL, &mut terms)?;
    if order.terms.same_chain() {
        return Err(EscrowError::AttestationsRefused);
    }
    let (time, _) = call.data.split_first_chunk().ok_or(EscrowError::BadData)?;
    let time = u64::from_le_bytes(*time);
    if time <= order.terms.number(Term::FillDeadline)? {
        return Err(EscrowError::NotUnfilled);
    }
    let digest = digest::unfilled(call.program, &order.id, time);
    let epoch = order.terms.number(Term::Epoch)?;
    attesters::check(call, &call.account(1)?, epoch, &digest, 8)?;
    give_back(call, &order, state::UNFILLED)
}

/// Gives an expired deposit to another account, for a refund address that cannot receive. Only the refund address itself may
/// name it, and from thirty days after `refundAt` the user too.
#[inline(never)]
pub fn refund_to(call: &Call) -> Result<(), EscrowError> {
    let mut terms = Terms::zeroed();
    let order = OpenOrder::load(call, TAIL, &mut terms)?;
    require_unfilled(call, &order)?;
    require_expired(&order)?;
    let (to, caller) = (call.writable(2)?, call.account(3)?);
    if !caller.is_signer() {
        return Err(EscrowError::NotSigner);
    }
    let key = caller.address().as_array();
    let late =
        order.terms.number(Term::RefundAt)?.checked_add(USER_REDIRECTS_AFTER).ok_or(EscrowError::Overflow)?;
    let user_may = key == order.terms.word(Term::User) && now()? >= late;
    if key != order.terms.word(Term::RefundTo) && !user_may {
        return Err(EscrowError::NotTheRefundAddress);
    }
    let holder = order.holder(&to)?;
    if holder == ZERO {
        return Err(EscrowError::ZeroAddress);
    }
    // Money sent to the program's own accounts would belong to nobody.
    if holder == *call.program.as_array() || to.owned_by(call.program) {
        return Err(EscrowError::EscrowAsParty);
    }
    order.end(state::REFUNDED, state::EXPIRED, &holder)?;
    order.move_to(to, order.terms.number(Term::AmountIn)?)
}

fn give_back(call: &Call, order: &OpenOrder, cause: u8) -> Result<(), EscrowError> {
    let refund_to = order.terms.word(Term::RefundTo);
    order.end(state::REFUNDED, cause, refund_to)?;
    order.pay(refund_to, call.account(2)?, order.terms.number(Term::AmountIn)?)
}

/// Within one chain the record of the fill decides.
fn require_unfilled(call: &Call, order: &OpenOrder) -> Result<(), EscrowError> {
    if !order.terms.same_chain() {
        return Ok(());
    }
    let marker = call.account(1)?;
    ProgramAddress::check(call.program, address::FILL, &order.id, &marker)?;
    if marker.owned_by(call.program) { Err(EscrowError::AlreadyFilled) } else { Ok(()) }
}

/// Within one chain nothing can be filled after the fill deadline, so nobody has to wait for longer.
fn require_expired(order: &OpenOrder) -> Result<(), EscrowError> {
    let term = if order.terms.same_chain() { Term::FillDeadline } else { Term::RefundAt };
    if now()? > order.terms.number(term)? { Ok(()) } else { Err(EscrowError::NotRefundable) }
}
