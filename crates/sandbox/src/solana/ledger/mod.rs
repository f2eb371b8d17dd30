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
pub(crate) use slots::{Block, FINALITY, MAX_BLOCKHASH_AGE, SlotState, Slots};
pub(crate) use token_balances::{mint, token_account};
pub(crate) use view::View;

use super::config::SolanaError;

/// Accounts before a slot changed them.
type PriorAccounts = HashMap<Address, Option<AccountSharedData>>;

/// The current state of the chain, and what is needed to undo slots that are not final.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    pub(crate) machine: Machine,
    pub(crate) slots: Slots,
    pub(crate) history: History,
    /// The prior accounts of each slot that can be undone, oldest first; the last entry belongs to the open slot.
    undo: VecDeque<(u64, PriorAccounts)>,
}

impl Ledger {
    pub(crate) fn new(machine: Machine, slots: Slots, history: History) -> Self {
        let undo = VecDeque::from([(slots.open().slot, PriorAccounts::new())]);
        let mut ledger = Self { machine, slots, history, undo };
        ledger.update_sysvars();
        ledger
    }

    /// Closes the open slot and opens the next; call [`Self::update_sysvars`] before programs run.
    pub(crate) fn next_slot(&mut self, time: i64) {
        let block = self.slots.next(time);
        self.open_slot(block.slot);
    }

    /// Updates the clock and slot hashes that programs read.
    pub(crate) fn update_sysvars(&mut self) {
        self.machine.set_sysvars(&self.slots);
    }

    fn open_slot(&mut self, slot: u64) {
        self.undo.push_back((slot, PriorAccounts::new()));
        while self.undo.len() > FINALITY {
            self.undo.pop_front();
        }
    }

    /// Sets accounts directly, as part of the open slot.
    pub(crate) fn write(&mut self, accounts: Vec<(Address, Option<Account>)>) -> Result<(), SolanaError> {
        for (address, _) in &accounts {
            let before = self.machine.account(address).cloned();
            self.record_prior(*address, before);
        }
        self.machine.put(accounts)
    }

    /// Records the state of an account before the open slot first changes it.
    fn record_prior(&mut self, address: Address, before: Option<AccountSharedData>) {
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
