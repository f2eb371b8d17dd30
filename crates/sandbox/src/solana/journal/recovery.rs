use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io;
use std::path::Path;

use solana_account::Account;
use solana_address::Address;

use super::entry::{Entry, FORMAT};
use super::{IDLE_CHECKPOINT_SLOTS, Journal, frame, path};
use crate::solana::config::SolanaError;
use crate::solana::genesis::Genesis;
use crate::solana::ledger::{History, Ledger, Machine, Record, SlotState, Slots};
use crate::solana::programs::is_loader;

/// The state of a chain read from its journal.
#[derive(Debug)]
pub(crate) struct RecoveredChain {
    genesis: [u8; 32],
    names: SlotState,
    /// The last slot that is known to have been open.
    slot: u64,
    time: i64,
    /// How far the chain's time was ahead of the system clock.
    pub(crate) ahead: i64,
    accounts: HashMap<Address, Option<Account>>,
    records: VecDeque<Record>,
}

impl Journal {
    /// Reads the journal of a folder, if there is one; a torn last entry is ignored.
    pub(crate) fn read(folder: &Path) -> Result<Option<RecoveredChain>, SolanaError> {
        let bytes = match fs::read(path(folder)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(SolanaError::File { path: path(folder), source }),
        };
        let damaged = |reason: &str| SolanaError::Journal { path: path(folder), reason: reason.to_owned() };
        let mut entries = frame::read(&bytes).map_while(|entry| postcard::from_bytes::<Entry>(entry).ok());
        let Some(Entry::Start(start)) = entries.next() else {
            return Err(damaged("its beginning cannot be read"));
        };
        if start.format != FORMAT {
            return Err(damaged(&format!("it has format {}, this version reads {FORMAT}", start.format)));
        }
        let mut chain = RecoveredChain {
            genesis: start.genesis,
            names: start.names,
            slot: start.slot,
            time: start.time,
            ahead: start.ahead,
            accounts: HashMap::new(),
            records: VecDeque::new(),
        };
        let mut ready = false;
        for entry in entries {
            ready |= matches!(entry, Entry::Ready);
            chain.add(entry);
        }
        if ready { Ok(Some(chain)) } else { Err(damaged("its snapshot is incomplete")) }
    }
}

impl RecoveredChain {
    fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Start(_) | Entry::Ready => {}
            Entry::Accounts(accounts) => self.accounts.extend(accounts),
            Entry::Record(record) => self.records.push_back(*record),
            Entry::Block(block) => {
                (self.slot, self.time, self.ahead) = (block.slot, block.time, block.ahead);
                self.accounts.extend(block.accounts);
                self.records.extend(block.records);
            }
            Entry::Fork { slots, accounts } => {
                self.slot = slots.iter().max().map_or(self.slot, |last| last + slots.len() as u64);
                self.accounts.extend(accounts);
                self.records.retain(|record| !slots.contains(&record.slot));
                self.names.skipped.extend(slots);
            }
            Entry::Slot { slot, ahead } => (self.slot, self.ahead) = (slot, ahead),
        }
    }

    /// Rebuilds the ledger, some slots later; `now` is the system time.
    pub(crate) fn resume(mut self, genesis: &Genesis, limit: usize, now: i64) -> Result<Ledger, SolanaError> {
        let mut machine = Machine::new();
        if self.genesis != genesis.fingerprint() {
            // A newer genesis adds accounts and replaces programs; all other accounts keep their state.
            for (address, account) in genesis.accounts() {
                match account {
                    Some(account) if is_loader(&account.owner) => {
                        self.accounts.insert(address, Some(account));
                    }
                    account => {
                        self.accounts.entry(address).or_insert(account);
                    }
                }
            }
        }
        machine.put(self.accounts.into_iter().collect())?;

        let mut times: HashMap<u64, i64> = HashMap::new();
        let mut history = History::new(limit);
        let oldest = self.records.front().map_or(self.slot, |record| record.slot);
        for record in self.records {
            times.insert(record.slot, record.time);
            history.push(record);
        }
        // Slots since the last checkpoint are skipped, so that no blockhash is ever reused.
        let last = self.slot + IDLE_CHECKPOINT_SLOTS;
        let now = now.saturating_add(self.ahead).max(self.time);
        let slots = Slots::resume(self.names, oldest, last, |slot| match times.get(&slot) {
            Some(time) => *time,
            None if slot > self.slot => now,
            None => self.time,
        });
        Ok(Ledger::new(machine, slots, history))
    }
}
