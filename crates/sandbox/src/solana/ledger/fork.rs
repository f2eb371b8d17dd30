use std::collections::HashMap;

use solana_account::Account;
use solana_address::Address;

use super::{FINALITY, Ledger};
use crate::solana::config::SolanaError;

/// What a fork undid, as stored in the journal.
#[derive(Debug)]
pub(crate) struct Forked {
    pub(crate) slots: Vec<u64>,
    pub(crate) accounts: Vec<(Address, Option<Account>)>,
}

impl Ledger {
    /// Undoes the last `count` slots with their effects and transactions, and opens as many empty slots.
    pub(crate) fn fork(&mut self, count: usize, time: i64) -> Result<Forked, SolanaError> {
        if count == 0 || count > FINALITY {
            let message = format!("a fork undoes 1 to {FINALITY} slots: older ones are final");
            return Err(SolanaError::Refused(message));
        }
        let slots = self.slots.fork(count, time);
        let mut before = HashMap::new();
        while let Some((slot, _)) = self.undo.back()
            && slots.contains(slot)
            && let Some((_, changes)) = self.undo.pop_back()
        {
            before.extend(changes);
        }
        let accounts: Vec<_> =
            before.into_iter().map(|(key, account)| (key, account.map(Account::from))).collect();
        self.machine.put(accounts.clone())?;
        self.history.remove_slots(&slots);
        let opened: Vec<u64> =
            self.slots.between(slots.iter().max().map_or(0, |last| last + 1), u64::MAX).collect();
        for slot in opened {
            self.open_slot(slot);
        }
        self.update_sysvars();
        Ok(Forked { slots, accounts })
    }
}
