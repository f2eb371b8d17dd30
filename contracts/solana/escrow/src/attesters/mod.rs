//! Who may speak of other chains. A set is never changed, only followed by another, and serves the orders of its epoch.

mod hand_over;
mod init;
mod resign;
mod signatures;

use pinocchio::{AccountView, Address};

pub use hand_over::hand_over;
pub use init::init;
pub use resign::{pause, resign};
pub use signatures::{check, signer};

use crate::chain::{clear, copy, keccak};
use crate::error::EscrowError;
use crate::state::{self, attester_config, epoch};
use crate::terms::Word;

/// The largest set. A threshold above half of it still fits one transaction with its signatures.
pub const MAX_ATTESTERS: usize = 15;
/// The largest threshold, for the same reason.
const MAX_THRESHOLD: u8 = 8;

/// A set as an instruction carries it: addresses of 20 bytes, strictly ascending.
struct Set<'a> {
    members: &'a [[u8; 20]],
    threshold: u8,
}

impl<'a> Set<'a> {
    fn read(bytes: &'a [u8], threshold: u8) -> Result<Self, EscrowError> {
        let (members, rest) = bytes.as_chunks::<20>();
        if !rest.is_empty() {
            return Err(EscrowError::BadData);
        }
        let needed = usize::from(threshold);
        if members.len() > MAX_ATTESTERS
            || threshold > MAX_THRESHOLD
            || needed > members.len()
            || needed + needed <= members.len()
        {
            return Err(EscrowError::BadThreshold);
        }
        let mut last = &[0; 20];
        for member in members {
            if member <= last {
                return Err(EscrowError::AttestersNotAscending);
            }
            last = member;
        }
        Ok(Self { members, threshold })
    }

    /// The hash of the addresses, each padded to a word, as EIP-712 hashes a list.
    fn hash(&self) -> Word {
        let mut words = [[0u8; 32]; MAX_ATTESTERS];
        for (word, member) in words.iter_mut().zip(self.members) {
            word[12..].copy_from_slice(member);
        }
        let count = self.members.len().min(MAX_ATTESTERS);
        keccak(&[words[..count].as_flattened()])
    }

    /// Writes the set into the account of its epoch and makes it the newest one.
    fn schedule(
        &self,
        program: &Address,
        accounts: &mut [AccountView; 2],
        number: u64,
        from: u64,
    ) -> Result<(), EscrowError> {
        let [epoch_account, config_account] = accounts;
        let mut data = epoch_account.try_borrow_mut()?;
        clear(&mut data);
        data[0] = state::EPOCH;
        data[epoch::THRESHOLD] = self.threshold;
        data[epoch::COUNT] = self.members.len() as u8;
        state::set_number(&mut data, epoch::NUMBER, number);
        state::set_number(&mut data, epoch::FROM, from);
        let members = self.members.as_flattened();
        copy(&mut data[epoch::MEMBERS..epoch::MEMBERS + members.len()], members)?;

        let mut data = state::load_mut(program, config_account, state::ATTESTER_CONFIG)?;
        state::set_number(&mut data, attester_config::NEWEST, number);
        state::set_number(&mut data, attester_config::NEWEST_FROM, from);
        Ok(())
    }
}

/// The epoch in effect at this time.
pub fn current(config: &[u8], now: u64) -> u64 {
    let newest = state::number(config, attester_config::NEWEST);
    if now < state::number(config, attester_config::NEWEST_FROM) { newest.saturating_sub(1) } else { newest }
}
