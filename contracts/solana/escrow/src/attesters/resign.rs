use super::current;
use super::signatures::{place, signer};
use crate::Call;
use crate::chain::now;
use crate::digest;
use crate::refusal::Refusal;
use crate::state::{self, epoch, office};

/// How long one word of an attester stops new deposits at most.
const PAUSE: u64 = 24 * 60 * 60;

/// Strikes a key at once on its own signature, as long as a threshold of keys remains.
///
/// Data: the signature.
#[inline(never)]
pub fn resign(call: &Call) -> Result<(), Refusal> {
    let mut account = call.writable(0)?;
    let signature = call.data.try_into().map_err(|_| Refusal::BadSignature)?;
    let mut data = state::load_mut(call.program, &mut account, state::EPOCH)?;
    let number = state::number(&data, epoch::NUMBER);
    let place = place(&data, &signer(&digest::resignation(call.program, number), signature)?)?;

    let mut resigned = u16::from_le_bytes([data[epoch::RESIGNED], data[epoch::RESIGNED + 1]]);
    let remaining = u32::from(data[epoch::COUNT]).saturating_sub(resigned.count_ones());
    if remaining <= u32::from(data[epoch::THRESHOLD]) {
        return Err(Refusal::ThresholdWouldBreak);
    }
    resigned |= 1 << (place & 15);
    data[epoch::RESIGNED..epoch::RESIGNED + 2].copy_from_slice(&resigned.to_le_bytes());
    Ok(())
}

/// Stops new deposits until the time that an attester in office signed, a day away at most. Nothing else pauses.
///
/// Data: the time `u64`, the signature.
#[inline(never)]
pub fn pause(call: &Call) -> Result<(), Refusal> {
    let (mut office, present) = (call.writable(0)?, call.account(1)?);
    let (until, signature) = call.data.split_first_chunk().ok_or(Refusal::BadData)?;
    let until = u64::from_le_bytes(*until);
    let signature = signature.try_into().map_err(|_| Refusal::BadSignature)?;

    let time = now()?;
    let mut data = state::load_mut(call.program, &mut office, state::OFFICE)?;
    let number = current(&data, time);
    let set = state::load(call.program, &present, state::EPOCH)?;
    if state::number(&set, epoch::NUMBER) != number {
        return Err(Refusal::WrongEpoch);
    }
    place(&set, &signer(&digest::pause(call.program, number, until), signature)?)?;

    // A pause is never shortened, so an old signature that is shown again does nothing.
    let latest = time.checked_add(PAUSE).ok_or(Refusal::Overflow)?;
    if until > latest || until <= time || until <= state::number(&data, office::PAUSED_UNTIL) {
        return Err(Refusal::BadPause);
    }
    state::set_number(&mut data, office::PAUSED_UNTIL, until);
    Ok(())
}
