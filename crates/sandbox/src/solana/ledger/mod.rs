mod fork;
mod history;
mod land;
mod machine;
mod record;
mod simulate;
mod slots;
mod token_balances;
mod view;

use std::collections::{HashMap, VecDeque};

use solana_account::{Account, AccountSharedData};
use solana_address::Address;

pub(crate) use fork::Forked;
pub(crate) use history::History;
pub(crate) use land::Landing;
pub(crate) use machine::Machine;
pub(crate) use record::Record;
pub(crate) use simulate::Simulation;
pub(crate) use slots::{Block, FINALITY, MAX_AGE, SlotNames, Slots};
pub(crate) use token_balances::{mint, token_account};
pub(crate) use view::View;

use super::config::SolanaError;

/// Accounts as they were before a slot touched them.
type Before = HashMap<Address, Option<AccountSharedData>>;

/// Everything that is true of the chain now, and of the slots that are not final yet.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    pub(crate) machine: Machine,
    pub(crate) slots: Slots,
    pub(crate) history: History,
    /// What to put back to undo a slot, oldest first; the last entry belongs to the open slot.
    undo: VecDeque<(u64, Before)>,
}

impl Ledger {
    pub(crate) fn new(machine: Machine, slots: Slots, history: History) -> Self {
        let undo = VecDeque::from([(slots.open().slot, Before::new())]);
        let mut ledger = Self { machine, slots, history, undo };
        ledger.tell_programs();
        ledger
    }

    /// Closes the open slot and opens the next, of which programs must be told before they run.
    pub(crate) fn next_slot(&mut self, time: i64) {
        let block = self.slots.next(time);
        self.open_slot(block.slot);
    }

    /// Tells programs the slot, the time and the hashes of the slots before.
    pub(crate) fn tell_programs(&mut self) {
        self.machine.set_sysvars(&self.slots);
    }

    fn open_slot(&mut self, slot: u64) {
        self.undo.push_back((slot, Before::new()));
        while self.undo.len() > FINALITY {
            self.undo.pop_front();
        }
    }

    /// Writes accounts past every rule, as part of the open slot.
    pub(crate) fn write(&mut self, accounts: Vec<(Address, Option<Account>)>) -> Result<(), SolanaError> {
        for (address, _) in &accounts {
            let before = self.machine.account(address).cloned();
            self.note(*address, before);
        }
        self.machine.put(accounts)
    }

    /// Remembers what an account was before the open slot first touched it.
    fn note(&mut self, address: Address, before: Option<AccountSharedData>) {
        if let Some((_, undo)) = self.undo.back_mut() {
            undo.entry(address).or_insert(before);
        }
    }

    /// The accounts that the open slot has touched, as they are now.
    pub(crate) fn touched(&self) -> Vec<(Address, Option<Account>)> {
        let touched = self.undo.back().into_iter().flat_map(|(_, before)| before.keys());
        touched.map(|address| (*address, self.machine.account(address).cloned().map(Account::from))).collect()
    }
}
