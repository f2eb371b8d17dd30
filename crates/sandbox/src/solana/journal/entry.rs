use serde::{Deserialize, Serialize};
use solana_account::Account;
use solana_address::Address;

use crate::solana::ledger::{Record, SlotNames};

/// Raised when the entries change their form.
pub(super) const FORMAT: u32 = 1;

/// One thing that the file remembers. A file begins with a snapshot, which ends with `Ready`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Entry {
    Start(Start),
    Accounts(Vec<(Address, Option<Account>)>),
    Record(Box<Record>),
    Ready,
    /// A slot in which something happened.
    Block(Box<ClosedBlock>),
    /// Slots that were undone, with the accounts put back.
    Fork {
        slots: Vec<u64>,
        accounts: Vec<(Address, Option<Account>)>,
    },
    /// The chain came this far, though nothing happened.
    Slot {
        slot: u64,
        ahead: i64,
    },
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Start {
    pub(super) format: u32,
    pub(super) genesis: [u8; 32],
    pub(super) names: SlotNames,
    pub(super) slot: u64,
    pub(super) time: i64,
    pub(super) ahead: i64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ClosedBlock {
    pub(super) slot: u64,
    pub(super) time: i64,
    pub(super) ahead: i64,
    pub(super) accounts: Vec<(Address, Option<Account>)>,
    pub(super) records: Vec<Record>,
}
