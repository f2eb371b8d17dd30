use std::collections::HashMap;

use solana_account::{AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_commitment_config::CommitmentLevel;

use super::{Block, Ledger};

/// The accounts at the end of a block that is not older than the last final one.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) block: Block,
    /// Accounts that later slots changed, as they were at this block.
    changed: HashMap<&'a Address, Option<&'a AccountSharedData>>,
}

impl Ledger {
    pub(crate) fn view(&self, level: CommitmentLevel) -> View<'_> {
        let block = self.slots.at(level);
        let later = self.undo.iter().rev().take_while(|(slot, _)| *slot > block.slot);
        // From new to old: the state before the earliest later change is the state at the block.
        let changed =
            later.flat_map(|(_, before)| before.iter()).map(|(key, old)| (key, old.as_ref())).collect();
        View { ledger: self, block, changed }
    }
}

impl<'a> View<'a> {
    pub(crate) fn account(&self, address: &Address) -> Option<&'a AccountSharedData> {
        self.changed.get(address).copied().unwrap_or_else(|| self.ledger.machine.account(address))
    }

    /// Every account that a program owns, in the order of their addresses.
    pub(crate) fn owned_by(&self, program: &Address) -> Vec<(Address, &'a AccountSharedData)> {
        let unchanged = self.ledger.machine.accounts().filter(|(key, _)| !self.changed.contains_key(key));
        let changed = self.changed.iter().filter_map(|(key, account)| Some((*key, (*account)?)));
        let mut found: Vec<_> = unchanged
            .chain(changed)
            .filter(|(_, account)| account.owner() == program)
            .map(|(key, account)| (*key, account))
            .collect();
        found.sort_unstable_by_key(|(key, _)| *key);
        found
    }
}
