use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io;
use std::path::Path;

use solana_account::Account;
use solana_address::Address;

use super::entry::{Entry, FORMAT};
use super::{Journal, NOTE_EVERY, frame, path};
use crate::solana::config::SolanaError;
use crate::solana::genesis::Genesis;
use crate::solana::ledger::{History, Ledger, Machine, Record, SlotNames, Slots};
use crate::solana::programs::is_loader;

/// What a file tells of a chain that ran before.
#[derive(Debug)]
pub(crate) struct Past {
    genesis: [u8; 32],
    names: SlotNames,
    /// The last slot that is known to have been open.
    slot: u64,
    time: i64,
    /// How far the chain's time was ahead of the machine's.
    pub(crate) ahead: i64,
    accounts: HashMap<Address, Option<Account>>,
    records: VecDeque<Record>,
}

impl Journal {
    /// Reads the file of a folder, if there is one; what a kill left half written at its end is ignored.
    pub(crate) fn read(folder: &Path) -> Result<Option<Past>, SolanaError> {
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
        let mut past = Past {
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
            past.add(entry);
        }
        if ready { Ok(Some(past)) } else { Err(damaged("its snapshot is not whole")) }
    }
}

impl Past {
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

    /// The ledger as it was, some slots later; `now` is the machine's time.
    pub(crate) fn resume(mut self, genesis: &Genesis, limit: usize, now: i64) -> Result<Ledger, SolanaError> {
        let mut machine = Machine::new();
        if self.genesis != genesis.fingerprint() {
            // A newer genesis adds what it has more and replaces programs; what the chain made of the rest stands.
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
        // Slots that passed since the last note are given up, so that none is ever named twice.
        let last = self.slot + NOTE_EVERY;
        let now = now.saturating_add(self.ahead).max(self.time);
        let slots = Slots::resume(self.names, oldest, last, |slot| match times.get(&slot) {
            Some(time) => *time,
            None if slot > self.slot => now,
            None => self.time,
        });
        Ok(Ledger::new(machine, slots, history))
    }
}
