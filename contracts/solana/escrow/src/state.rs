//! The program's accounts, byte by byte. The first byte says what an account is; zero is none of them.

use pinocchio::account::{Ref, RefMut};
use pinocchio::{AccountView, Address};

use crate::error::EscrowError;
use crate::terms::{Terms, Word};

pub const ORDER: u8 = 1;
pub const FILL: u8 = 2;
pub const EPOCH: u8 = 3;
pub const ATTESTER_CONFIG: u8 = 4;

/// How an order stands.
pub const OPEN: u8 = 1;
pub const CLAIMED: u8 = 2;
pub const REFUNDED: u8 = 3;

/// Why an order was refunded.
pub const WAIVED: u8 = 1;
pub const UNFILLED: u8 = 2;
pub const EXPIRED: u8 = 3;

pub mod order {
    pub const STATUS: usize = 1;
    pub const CAUSE: usize = 2;
    pub const REFERRER_PAID: usize = 3;
    pub const SWEPT: usize = 4;
    pub const OPENED_AT: usize = 8;
    pub const ENDED_AT: usize = 16;
    pub const FILLED_AT: usize = 24;
    pub const FILL_REF: usize = 32;
    pub const PAID_TO: usize = 64;
    pub const PAYER: usize = 96;
    pub const RENT: usize = 128;
    pub const TERMS: usize = 136;
    pub const LENGTH: usize = TERMS + crate::terms::BYTES;
}

pub mod fill {
    pub const SAME_CHAIN: usize = 1;
    pub const FILLED_AT: usize = 8;
    pub const KEPT_UNTIL: usize = 16;
    pub const PAYER: usize = 24;
    pub const ID: usize = 56;
    pub const LENGTH: usize = 88;
}

pub mod epoch {
    pub const THRESHOLD: usize = 1;
    pub const COUNT: usize = 2;
    pub const RESIGNED: usize = 4;
    pub const NUMBER: usize = 8;
    pub const FROM: usize = 16;
    pub const MEMBERS: usize = 24;
    pub const LENGTH: usize = MEMBERS + 20 * crate::attesters::MAX_ATTESTERS;
}

pub mod attester_config {
    pub const NEWEST: usize = 8;
    pub const NEWEST_FROM: usize = 16;
    pub const PAUSED_UNTIL: usize = 24;
    pub const PROPOSALS: usize = 32;
    pub const MIN_GRACE: usize = 40;
    pub const LENGTH: usize = 48;
}

/// An account of the program, of the kind that is asked for.
pub fn load<'a>(program: &Address, account: &'a AccountView, kind: u8) -> Result<Ref<'a, [u8]>, EscrowError> {
    check(program, account)?;
    let data = account.try_borrow()?;
    if is(&data, kind) { Ok(data) } else { Err(EscrowError::WrongKind) }
}

/// The same, to be changed.
pub fn load_mut<'a>(
    program: &Address,
    account: &'a mut AccountView,
    kind: u8,
) -> Result<RefMut<'a, [u8]>, EscrowError> {
    check(program, account)?;
    if !account.is_writable() {
        return Err(EscrowError::NotWritable);
    }
    let data = account.try_borrow_mut()?;
    if is(&data, kind) { Ok(data) } else { Err(EscrowError::WrongKind) }
}

fn check(program: &Address, account: &AccountView) -> Result<(), EscrowError> {
    if account.owned_by(program) { Ok(()) } else { Err(EscrowError::WrongOwner) }
}

/// Each kind has one length, so a place within it can be read.
fn is(data: &[u8], kind: u8) -> bool {
    let length = match kind {
        ORDER => order::LENGTH,
        FILL => fill::LENGTH,
        EPOCH => epoch::LENGTH,
        _ => attester_config::LENGTH,
    };
    data.len() == length && data.first() == Some(&kind)
}

pub fn number(data: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&data[at..at + 8]);
    u64::from_le_bytes(bytes)
}

pub fn set_number(data: &mut [u8], at: usize, value: u64) {
    data[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

pub fn word(data: &[u8], at: usize) -> Word {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(&data[at..at + 32]);
    bytes
}

pub fn set_word(data: &mut [u8], at: usize, value: &Word) {
    data[at..at + 32].copy_from_slice(value);
}

/// Reads the terms of an order, and says whether it is open.
pub fn read_terms(program: &Address, account: &AccountView, terms: &mut Terms) -> Result<bool, EscrowError> {
    let data = load(program, account, ORDER)?;
    terms.read(&data[order::TERMS..])?;
    Ok(data[order::STATUS] == OPEN)
}
