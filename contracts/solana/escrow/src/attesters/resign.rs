use super::current;
use super::signatures::{place, signer};
use crate::Call;
use crate::chain::now;
use crate::digest;
use crate::error::EscrowError;
use crate::state::{self, attester_config, epoch};

/// How long one word of an attester stops new deposits at most.
const PAUSE: u64 = 24 * 60 * 60;

/// Strikes a key at once on its own signature, as long as a threshold of keys remains.
///
/// Data: the signature.
#[inline(never)]
pub fn resign(call: &Call) -> Result<(), EscrowError> {
    let mut account = call.writable(0)?;
    let signature = call.data.try_into().map_err(|_| EscrowError::BadSignature)?;
    let mut data = state::load_mut(call.program, &mut account, state::EPOCH)?;
    let number = state::number(&data, epoch::NUMBER);
    let place = place(&data, &signer(&digest::resignation(call.program, number), signature)?)?;

    let mut resigned = u16::from_le_bytes([data[epoch::RESIGNED], data[epoch::RESIGNED + 1]]);
    let remaining = u32::from(data[epoch::COUNT]).saturating_sub(resigned.count_ones());
    if remaining <= u32::from(data[epoch::THRESHOLD]) {
        return Err(EscrowError::ThresholdWouldBreak);
    }
    resigned |= 1 << (place & 15);
    data[epoch::RESIGNED..epoch::RESIGNED + 2].copy_from_slice(&resigned.to_le_bytes());
    Ok(())
}

/// Stops new deposits until the time that an current attester signed, a day away at most. Nothing else pauses.
///
/// Data: the time `u64`, the signature.
#[inline(never)]
pub fn pause(call: &Call) -> Result<(), EscrowError> {
    let (mut config, present) = (call.writable(0)?, call.account(1)?);
    let (until, signature) = call.data.split_first_chunk().ok_or(EscrowError::BadData)?;
    let until = u64::from_le_bytes(*until);
    let signature = signature.try_into().map_err(|_| EscrowError::BadSignature)?;

    let time = now()?;
    let mut data = state::load_mut(call.program, &mut config, state::ATTESTER_CONFIG)?;
    let number = current(&data, time);
    let set = state::load(call.program, &present, state::EPOCH)?;
    if state::number(&set, epoch::NUMBER) != number {
        return Err(EscrowError::WrongEpoch);
    }
    place(&set, &signer(&digest::pause(call.program, number, until), signature)?)?;

    // A pause is never shortened, so an old signature that is shown again does nothing.
    let latest = time.checked_add(PAUSE).ok_or(EscrowError::Overflow)?;
    if until > latest || until <= time || until <= state::number(&data, attester_config::PAUSED_UNTIL) {
        return Err(EscrowError::BadPause);
    }
    state::set_number(&mut data, attester_config::PAUSED_UNTIL, until);
    Ok(())
}
