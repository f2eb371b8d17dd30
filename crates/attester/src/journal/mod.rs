//! The attester's durable journal: one outcome per order, and what to resume after a restart.

mod file;
mod line;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;

use alloy_primitives::{Address, B256};
use causeway_domain::{ChainId, IntentTerms, SignedAttestation};
use thiserror::Error;

pub use file::Journal;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error("another attester is running on the folder {0}: stop it, or give this one a folder of its own")]
    Locked(PathBuf),
    #[error("{file} belongs to the attester {owner}: give this key a folder of its own")]
    Owner { file: PathBuf, owner: Address },
    #[error(
        "{file} is damaged in line {line}, before a signed entry: restore it from a copy; without it this key \
         could sign the opposite of what it has signed"
    )]
    Damaged { file: PathBuf, line: usize },
    #[error("{file} was written by another version of this program")]
    Version { file: PathBuf },
    #[error("{file} cannot be used: {source}")]
    Io { file: PathBuf, source: io::Error },
    #[error("an earlier write could not be undone, so nothing more is written until a restart")]
    Broken,
}

/// One entry of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JournalEntry {
    /// The final outcome that was signed for an order.
    Signed(SignedAttestation),
    /// An order was opened and waits for its fill or its deadline.
    Opened(Box<IntentTerms>),
    Ended(B256),
    /// Every block up to this one has been read.
    Read {
        chain: ChainId,
        block: u64,
    },
}

/// The content of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalState {
    pub signed: HashMap<B256, SignedAttestation>,
    /// Orders that were opened, have not ended, and have no signed outcome.
    pub open: HashMap<B256, IntentTerms>,
    pub read: BTreeMap<ChainId, u64>,
}

impl JournalState {
    pub(crate) fn apply(&mut self, entry: JournalEntry) {
        match entry {
            JournalEntry::Signed(signed) => {
                let order = signed.attestation.order();
                self.open.remove(&order);
                // The first outcome counts.
                self.signed.entry(order).or_insert(signed);
            }
            JournalEntry::Opened(terms) => {
                let order = terms.id();
                if !self.signed.contains_key(&order) {
                    self.open.insert(order, *terms);
                }
            }
            JournalEntry::Ended(order) => drop(self.open.remove(&order)),
            JournalEntry::Read { chain, block } => drop(self.read.insert(chain, block)),
        }
    }
}
