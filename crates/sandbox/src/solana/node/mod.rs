mod faucet;
mod open;
mod submit;
mod tick;

use std::collections::VecDeque;

use solana_keypair::Keypair;
use solana_transaction::sanitized::SanitizedTransaction;

use super::config::SolanaError;
use super::journal::Journal;
use super::ledger::Ledger;

pub(crate) use faucet::{MAX_AIRDROP, faucet_address};
pub(crate) use submit::{SendError, identity};

/// The chain with all that works on it: the clock, the waiting transactions and the file.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) ledger: Ledger,
    /// What reads are answered from while the node plays one that has fallen behind.
    pub(crate) stale: Option<Box<Ledger>>,
    pub(crate) paused: bool,
    pub(crate) stopped: bool,
    /// How many of the next transactions are accepted and then lost.
    pub(crate) drop_next: u32,
    /// How many slots a transaction waits before it lands.
    pub(crate) delay: u64,
    /// How far the chain's time is ahead of the machine's, in seconds.
    ahead: i64,
    waiting: VecDeque<Waiting>,
    faucet: Keypair,
    journal: Option<Journal>,
}

/// A transaction that was accepted and has not landed yet.
#[derive(Debug)]
struct Waiting {
    transaction: SanitizedTransaction,
    /// The first slot in which it may land.
    from: u64,
}

impl Node {
    /// What reads are answered from.
    pub(crate) fn seen(&self) -> &Ledger {
        self.stale.as_deref().unwrap_or(&self.ledger)
    }

    /// Lets reads fall behind from now on, or catch up.
    pub(crate) fn set_stale(&mut self, stale: bool) {
        if !stale {
            self.stale = None;
        } else if self.stale.is_none() {
            self.stale = Some(Box::new(self.ledger.clone()));
        }
    }

    /// Undoes the last slots; see [`Ledger::fork`].
    pub(crate) fn fork(&mut self, slots: usize) -> Result<u64, SolanaError> {
        let time = self.now();
        let forked = self.ledger.fork(slots, time)?;
        if let Some(journal) = &mut self.journal {
            journal.forked(&self.ledger, forked);
        }
        Ok(self.ledger.slots.open().slot)
    }
}
