use serde::{Deserialize, Serialize};
use solana_account::Account;
use solana_address::Address;

use crate::solana::ledger::{Record, SlotState};

/// Incremented when the format of entries changes.
pub(super) const FORMAT: u32 = 1;

/// One entry of the journal. A file begins with a snapshot, which ends with `Ready`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Entry {
    Start(Start),
    Accounts(Vec<(Address, Option<Account>)>),
    Record(Box<Record>),
    Ready,
    /// A slot with changes.
    Block(Box<ClosedBlock>),
    /// Undone slots, with the restored accounts.
    Fork {
        slots: Vec<u64>,
        accounts: Vec<(Address, Option<Account>)>,
    },
    /// A checkpoint without changes.
    Slot {
        slot: u64,
        ahead: i64,
    },
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Start {
    pub(super) format: u32,
    pub(super) genesis: [u8; 32],
    pub(super) names: SlotState,
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
