use super::{Set, check, current};
use crate::Call;
use crate::address::{self, ProgramAddress};
use crate::chain::now;
use crate::digest;
use crate::error::EscrowError;
use crate::state::{self, attester_config, epoch};
use crate::system::create;

/// From a handover until the new set is in effect.
const DELAY: u64 = 48 * 60 * 60;

/// Hands over to another set after the delay, on a threshold of the current set's signatures. A handover that is not in effect
/// yet is replaced; the number of the proposal makes that no signature works twice.
///
/// Data: threshold `u8`, count `u8`, the attesters' addresses, signatures of 65 bytes.
#[inline(never)]
pub fn hand_over(call: &Call) -> Result<(), EscrowError> {
    let payer = call.signer(0)?;
    let (mut config, present, next) = (call.writable(1)?, call.account(2)?, call.writable(3)?);
    let &[threshold, count, ref rest @ ..] = call.data else {
        return Err(EscrowError::BadData);
    };
    // Twenty times the count, without a product.
    let length = usize::from(count);
    let length = (length << 4) + (length << 2);
    let members = rest.get(..length).ok_or(EscrowError::BadData)?;
    let set = Set::read(members, threshold)?;

    let time = now()?;
    let mut data = state::load_mut(call.program, &mut config, state::ATTESTER_CONFIG)?;
    let epoch = current(&data, time);
    let number = epoch.checked_add(1).ok_or(EscrowError::Overflow)?;
    let proposal = state::number(&data, attester_config::PROPOSALS);
    state::set_number(
        &mut data,
        attester_config::PROPOSALS,
        proposal.checked_add(1).ok_or(EscrowError::Overflow)?,
    );
    drop(data);

    let digest = digest::handover(call.program, number, proposal, &set.hash(), threshold);
    check(call, &present, epoch, &digest, 2 + length)?;

    let name = number.to_le_bytes();
    let own = ProgramAddress::check(call.program, address::EPOCH, &name, &next)?;
    if next.owned_by(call.program) {
        state::load(call.program, &next, state::EPOCH)?;
    } else {
        create(&payer, &next, &own, epoch::LENGTH, call.program)?;
    }
    let from = time.checked_add(DELAY).ok_or(EscrowError::Overflow)?;
    set.schedule(call.program, &mut [next, config], number, from)
}
