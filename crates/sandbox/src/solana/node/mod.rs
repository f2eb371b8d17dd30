mod faucet;
mod open;
mod submit;
mod tick;

use std::collections::{BTreeMap, VecDeque};

use solana_keypair::Keypair;
use solana_transaction::sanitized::SanitizedTransaction;

use super::config::SolanaError;
use super::journal::Journal;
use super::ledger::Ledger;

pub(crate) use faucet::{MAX_AIRDROP, faucet_address};
pub(crate) use submit::{SendError, identity};

/// The chain with its clock, pending transactions and journal.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) ledger: Ledger,
    /// The old ledgers that stale nodes answer reads from.
    pub(crate) stale: BTreeMap<u8, Box<Ledger>>,
    pub(crate) paused: bool,
    pub(crate) stopped: bool,
    /// How many of the next transactions are accepted and then dropped.
    pub(crate) drop_next: u32,
    /// How many slots a transaction waits before it lands.
    pub(crate) delay: u64,
    /// How far the chain's time is ahead of the system clock, in seconds.
    ahead: i64,
    pending: VecDeque<PendingTransaction>,
    faucet: Keypair,
    journal: Option<Journal>,
}

/// A transaction that was accepted and has not landed yet.
#[derive(Debug)]
struct PendingTransaction {
    transaction: SanitizedTransaction,
    /// The first slot in which it may land.
    from: u64,
}

impl Node {
    /// The ledger that a node's reads are answered from.
    pub(crate) fn ledger_for(&self, by: u8) -> &Ledger {
        self.stale.get(&by).map_or(&self.ledger, |ledger| &**ledger)
    }

    /// Freezes a node's reads at the current state, or lets them catch up.
    pub(crate) fn set_stale(&mut self, of: u8, stale: bool) {
        if stale {
            self.stale.entry(of).or_insert_with(|| Box::new(self.ledger.clone()));
        } else {
            self.stale.remove(&of);
        }
    }

    /// Undoes the last slots; see [`Ledger::fork`]. Their transactions are dropped or requeued.
    pub(crate) fn fork(&mut self, slots: usize, discard: bool) -> Result<u64, SolanaError> {
        let time = self.now();
        let undone: Vec<u64> = self.ledger.slots.newest().take(slots).map(|block| block.slot).collect();
        let history = self.ledger.history.oldest_first();
        let landed = history.filter(|record| !discard && undone.contains(&record.slot));
        let landed: Vec<Vec<u8>> = landed.map(|record| record.wire.clone()).collect();
        let forked = self.ledger.fork(slots, time)?;
        if let Some(journal) = &mut self.journal {
            journal.append_fork(&self.ledger, forked);
        }
        self.requeue(&landed);
        Ok(self.ledger.slots.open().slot)
    }
}
