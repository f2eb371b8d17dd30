//! What an attester must never forget, in a file of its own.

mod file;
mod line;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;

use alloy_primitives::{Address, B256};
use causeway_domain::{ChainId, SignedAttestation, Terms};
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
        "{file} is damaged in line {line}, before something that was signed: restore it from a copy; without it this key \
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

/// One thing worth keeping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Said once and for all.
    Signed(SignedAttestation),
    /// Waits to be filled, or for its deadline.
    Opened(Box<Terms>),
    Ended(B256),
    /// Every block up to this one has been read.
    Read {
        chain: ChainId,
        block: u64,
    },
}

/// All that a journal holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    pub signed: HashMap<B256, SignedAttestation>,
    /// Orders that were opened, have not ended, and of which nothing was signed.
    pub open: HashMap<B256, Terms>,
    pub read: BTreeMap<ChainId, u64>,
}

impl Kept {
    pub(crate) fn take(&mut self, note: Note) {
        match note {
            Note::Signed(signed) => {
                let order = signed.attestation.order();
                self.open.remove(&order);
                // The first word counts.
                self.signed.entry(order).or_insert(signed);
            }
            Note::Opened(terms) => {
                let order = terms.id();
                if !self.signed.contains_key(&order) {
                    self.open.insert(order, *terms);
                }
            }
            Note::Ended(order) => drop(self.open.remove(&order)),
            Note::Read { chain, block } => drop(self.read.insert(chain, block)),
        }
    }
}
