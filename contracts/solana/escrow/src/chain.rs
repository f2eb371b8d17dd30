//! What only the chain can answer. All `unsafe` of the program is here: system calls on buffers of known length.

use pinocchio::Address;
use pinocchio::syscalls::{
    sol_get_sysvar, sol_keccak256, sol_log_, sol_log_pubkey, sol_memcpy_, sol_memset_, sol_secp256k1_recover,
};
use pinocchio::sysvars::Sysvar;
use pinocchio::sysvars::clock::Clock;
use pinocchio::sysvars::rent::RENT_ID;

use crate::error::EscrowError;

/// The chain's own number in the terms of orders.
pub const CHAIN_ID: u64 = 20_011_000_000;

/// What an account takes beside its data when rent is counted.
const ACCOUNT_OVERHEAD: u64 = 128;
const TWO: [u8; 8] = 2.0f64.to_le_bytes();

/// The Keccak-256 hash of all parts, one after the other.
pub fn keccak(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = [0; 32];
    // SAFETY: a slice of slices is the list of addresses and lengths that the call reads; it writes 32 bytes.
    unsafe { sol_keccak256(parts.as_ptr().cast(), parts.len() as u64, hash.as_mut_ptr()) };
    hash
}

/// The public key that signed `digest`, without its prefix.
pub fn recover(digest: &[u8; 32], recovery: u8, signature: &[u8; 64]) -> Result<[u8; 64], EscrowError> {
    let mut key = [0; 64];
    // SAFETY: the call reads 32 and 64 bytes and writes 64.
    let failed = unsafe {
        sol_secp256k1_recover(digest.as_ptr(), u64::from(recovery), signature.as_ptr(), key.as_mut_ptr())
    };
    if failed == 0 { Ok(key) } else { Err(EscrowError::BadSignature) }
}

/// Copies bytes whose number is known only here; the compiler's own way to do so does not exist on this machine.
pub fn copy(to: &mut [u8], from: &[u8]) -> Result<(), EscrowError> {
    if to.len() != from.len() {
        return Err(EscrowError::BadData);
    }
    // SAFETY: both have the length that is copied, and a mutable slice overlaps with no other.
    unsafe { sol_memcpy_(to.as_mut_ptr(), from.as_ptr(), from.len() as u64) };
    Ok(())
}

/// Sets all bytes to zero.
pub fn clear(bytes: &mut [u8]) {
    // SAFETY: the slice is as long as what is written.
    unsafe { sol_memset_(bytes.as_mut_ptr(), 0, bytes.len() as u64) };
}

/// Writes a line and then an address into the transaction's log.
pub fn log(line: &str, address: &Address) {
    // SAFETY: the calls read the line with its length, and 32 bytes.
    unsafe {
        sol_log_(line.as_ptr(), line.len() as u64);
        sol_log_pubkey(address.as_array().as_ptr());
    }
}

/// The block time in Unix seconds.
pub fn now() -> Result<u64, EscrowError> {
    let clock = Clock::get().map_err(|_| EscrowError::Overflow)?;
    u64::try_from(clock.unix_timestamp).map_err(|_| EscrowError::Overflow)
}

/// What an account of this length must hold to be kept.
pub fn rent(length: usize) -> Result<u64, EscrowError> {
    let mut sysvar = [[0u8; 8]; 2];
    // SAFETY: the call reads a 32-byte address and writes the 16 bytes that it is asked for.
    let failed = unsafe { sol_get_sysvar(RENT_ID.as_array().as_ptr(), sysvar.as_mut_ptr().cast(), 0, 16) };
    if failed != 0 {
        return Err(EscrowError::Overflow);
    }
    let [rate, years] = sysvar;
    let rate = u64::from_le_bytes(rate);
    // Older clusters give a rate per year and two years, newer ones a rate alone.
    let rate = if years == TWO { rate.checked_add(rate).ok_or(EscrowError::Overflow)? } else { rate };
    let bytes = (length as u64).checked_add(ACCOUNT_OVERHEAD).ok_or(EscrowError::Overflow)?;
    if rate > u64::from(u32::MAX) || bytes > u64::from(u32::MAX) {
        return Err(EscrowError::Overflow);
    }
    Ok(rate.wrapping_mul(bytes))
}
