use std::collections::HashMap;

use solana_account::{AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_transaction::sanitized::SanitizedTransaction;
use solana_transaction_error::TransactionError;

use super::Ledger;
use super::record::Effects;
use super::token_balances::token_balances;
use crate::solana::programs::LOADER_V3;

/// The size of every loaded account beyond its data.
const ACCOUNT_OVERHEAD: usize = 64;

/// The result of a simulation.
#[derive(Debug, Default)]
pub(crate) struct Simulation {
    pub(crate) error: Option<TransactionError>,
    pub(crate) effects: Effects,
    /// The accounts after it, if it succeeds.
    pub(crate) accounts: HashMap<Address, AccountSharedData>,
    pub(crate) loaded_bytes: u32,
}

impl Simulation {
    fn refused(error: TransactionError) -> Self {
        Self { error: Some(error), ..Self::default() }
    }
}

impl Ledger {
    /// Simulates a transaction without changing state.
    pub(crate) fn simulate(&self, transaction: &SanitizedTransaction) -> Simulation {
        if let Err(error) = self.check_age(transaction) {
            return Simulation::refused(error);
        }
        let keys: Vec<Address> = transaction.message().account_keys().iter().copied().collect();
        let loaded_bytes = self.loaded_bytes(&keys);
        let run = self.machine.simulate(transaction);
        if run.error.is_some() {
            let (error, effects) = (run.error, Effects::new(run.meta));
            return Simulation { error, effects, loaded_bytes, ..Simulation::default() };
        }
        let accounts: HashMap<_, _> = run.accounts.into_iter().collect();
        let before = |key: &Address| self.machine.account(key);
        let after = |key: &Address| accounts.get(key).or_else(|| self.machine.account(key));
        let balance = |account: Option<&AccountSharedData>| account.map_or(0, ReadableAccount::lamports);
        let effects = Effects {
            balances_before: keys.iter().map(|key| balance(before(key))).collect(),
            balances_after: keys.iter().map(|key| balance(after(key))).collect(),
            tokens_before: token_balances(&keys, before),
            tokens_after: token_balances(&keys, after),
            ..Effects::new(run.meta)
        };
        Simulation { error: None, effects, accounts, loaded_bytes }
    }

    /// The size of everything that a transaction loads; a program counts with the account of its code.
    fn loaded_bytes(&self, keys: &[Address]) -> u32 {
        let code = |account: &AccountSharedData| {
            let upgradeable = account.executable() && account.owner() == &LOADER_V3;
            let address = account.data().get(4..36).filter(|_| upgradeable)?;
            self.machine.account(&Address::try_from(address).ok()?)
        };
        let size = |account: &AccountSharedData| account.data().len() + ACCOUNT_OVERHEAD;
        let total: usize = keys
            .iter()
            .filter_map(|key| self.machine.account(key))
            .map(|account| size(account) + code(account).map_or(0, size))
            .sum();
        u32::try_from(total).unwrap_or(u32::MAX)
    }
}
