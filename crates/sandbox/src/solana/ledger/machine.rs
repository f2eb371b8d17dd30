use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use litesvm::LiteSVM;
use litesvm::types::TransactionMetadata;
use solana_account::{Account, AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_clock::Clock;
use solana_epoch_schedule::EpochSchedule;
use solana_hash::Hash;
use solana_message::{SanitizedMessage, SanitizedVersionedMessage, VersionedMessage};
use solana_runtime_transaction::transaction_meta::TransactionConfiguration;
use solana_slot_hashes::SlotHashes;
use solana_transaction::sanitized::{MAX_TX_ACCOUNT_LOCKS, MessageHash, SanitizedTransaction};
use solana_transaction::versioned::VersionedTransaction;
use solana_transaction_error::TransactionError;

use super::slots::Slots;
use crate::solana::config::SolanaError;
use crate::solana::programs::{SYSVAR, is_loader};

const LAMPORTS_PER_SIGNATURE: u64 = 5_000;

/// The virtual machine with its accounts. Blockhashes, signatures and history are checked before a transaction
/// reaches it.
#[derive(Clone)]
pub(crate) struct Machine {
    svm: LiteSVM,
    /// The accounts of a new machine, which need not be stored.
    base: Arc<HashMap<Address, AccountSharedData>>,
    epochs: EpochSchedule,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let mut svm = LiteSVM::default()
            .with_mainnet_features()
            .with_builtins()
            .with_sysvars()
            .with_feature_accounts()
            .with_default_programs()
            .with_sigverify(false)
            .with_blockhash_check(false)
            .with_transaction_history(0);
        let epochs = EpochSchedule::without_warmup();
        svm.set_sysvar(&epochs);
        let base =
            Arc::new(svm.accounts_db().inner.iter().map(|(key, value)| (*key, value.clone())).collect());
        Self { svm, base, epochs }
    }

    pub(crate) fn account(&self, address: &Address) -> Option<&AccountSharedData> {
        self.svm.accounts_db().get_account_ref(address)
    }

    pub(crate) fn accounts(&self) -> impl Iterator<Item = (&Address, &AccountSharedData)> {
        self.svm.accounts_db().inner.iter()
    }

    /// The accounts that a new machine does not have.
    pub(crate) fn own_accounts(&self) -> impl Iterator<Item = (&Address, &AccountSharedData)> {
        self.accounts().filter(|(address, account)| {
            account.owner() != &SYSVAR && self.base.get(*address) != Some(*account)
        })
    }

    pub(crate) fn epochs(&self) -> &EpochSchedule {
        &self.epochs
    }

    pub(crate) fn rent_minimum(&self, length: usize) -> u64 {
        self.svm.minimum_balance_for_rent_exemption(length)
    }

    /// Sets accounts directly; a missing value deletes.
    pub(crate) fn put(&mut self, accounts: Vec<(Address, Option<Account>)>) -> Result<(), SolanaError> {
        // The VM caches programs that were removed or replaced.
        let stale_programs = accounts.iter().any(|(address, _)| {
            self.account(address).is_some_and(|old| old.executable() || is_loader(old.owner()))
        });
        let (programs, data): (Vec<_>, Vec<_>) = accounts
            .into_iter()
            .partition(|(_, account)| account.as_ref().is_some_and(|account| account.executable));
        // A program is loaded from its data account, which must exist first.
        for (address, account) in data.into_iter().chain(programs) {
            self.set(address, account.unwrap_or_default())?;
        }
        if stale_programs { self.rebuild() } else { Ok(()) }
    }

    fn set(&mut self, address: Address, account: Account) -> Result<(), SolanaError> {
        self.svm
            .set_account(address, account)
            .map_err(|error| SolanaError::Account { address: address.to_string(), reason: error.to_string() })
    }

    fn rebuild(&mut self) -> Result<(), SolanaError> {
        let accounts: Vec<_> =
            self.own_accounts().map(|(address, account)| (*address, Some(account.clone().into()))).collect();
        let sysvars: Vec<_> = self
            .accounts()
            .filter(|(_, account)| account.owner() == &SYSVAR)
            .map(|(address, account)| (*address, Some(Account::from(account.clone()))))
            .collect();
        let mut machine = Self::new();
        machine.put(sysvars)?;
        machine.put(accounts)?;
        *self = machine;
        Ok(())
    }

    pub(crate) fn set_sysvars(&mut self, slots: &Slots) {
        let block = slots.open();
        let epoch = self.epochs.get_epoch(block.slot);
        self.svm.set_sysvar(&Clock {
            slot: block.slot,
            epoch_start_timestamp: 0,
            epoch,
            leader_schedule_epoch: self.epochs.get_leader_schedule_epoch(block.slot),
            unix_timestamp: block.time,
        });
        let hashes: Vec<(u64, Hash)> = slots
            .newest()
            .skip(1)
            .take(solana_slot_hashes::MAX_ENTRIES)
            .map(|block| (block.slot, block.hash))
            .collect();
        self.svm.set_sysvar(&SlotHashes::new(&hashes));
    }

    /// Resolves lookup tables and checks the form of a transaction.
    pub(crate) fn sanitize(
        &self,
        transaction: VersionedTransaction,
    ) -> Result<SanitizedTransaction, TransactionError> {
        let sanitized = SanitizedTransaction::try_create(
            transaction,
            MessageHash::Compute,
            Some(false),
            self.svm.accounts_db(),
            &HashSet::new(),
        )?;
        SanitizedTransaction::validate_account_locks(sanitized.message(), MAX_TX_ACCOUNT_LOCKS)?;
        Ok(sanitized)
    }

    /// The fee of a message, or why it is invalid.
    pub(crate) fn fee(&self, message: VersionedMessage) -> Result<u64, String> {
        let message = SanitizedVersionedMessage::try_from(message).map_err(|error| error.to_string())?;
        let loader = self.svm.accounts_db();
        let message = SanitizedMessage::try_new(message, loader, &HashSet::new());
        let message = message.map_err(|error| error.to_string())?;
        let features = LiteSVM::mainnet_feature_set();
        let limits = TransactionConfiguration::try_from_sanitized_message(&message, &features);
        let limits = limits.map_err(|error| error.to_string())?;
        Ok(solana_fee::calculate_fee(
            &message,
            LAMPORTS_PER_SIGNATURE,
            limits.priority_fee_lamports,
            solana_fee::FeeFeatures::from(&features),
        ))
    }

    pub(crate) fn execute(&mut self, transaction: &SanitizedTransaction) -> Execution {
        let versioned = transaction.to_versioned_transaction();
        let run = catch_vm_panic(|| match self.svm.send_transaction(versioned) {
            Ok(meta) => Execution { error: None, meta, accounts: Vec::new() },
            Err(failed) => Execution { error: Some(failed.err), meta: failed.meta, accounts: Vec::new() },
        });
        self.with_precise_error(run, transaction)
    }

    pub(crate) fn simulate(&self, transaction: &SanitizedTransaction) -> Execution {
        let versioned = transaction.to_versioned_transaction();
        let run = catch_vm_panic(|| match self.svm.simulate_transaction(versioned) {
            Ok(done) => Execution { error: None, meta: done.meta, accounts: done.post_accounts },
            Err(failed) => Execution { error: Some(failed.err), meta: failed.meta, accounts: Vec::new() },
        });
        self.with_precise_error(run, transaction)
    }

    /// Replaces the VM's imprecise error for a missing program.
    fn with_precise_error(&self, mut run: Execution, transaction: &SanitizedTransaction) -> Execution {
        let mut programs = transaction.message().program_instructions_iter();
        if run.error == Some(TransactionError::InvalidProgramForExecution)
            && programs.any(|(program, _)| self.account(program).is_none())
        {
            run.error = Some(TransactionError::ProgramAccountNotFound);
        }
        run
    }
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").finish_non_exhaustive()
    }
}

/// The result of executing or simulating a transaction.
#[derive(Debug)]
pub(crate) struct Execution {
    pub(crate) error: Option<TransactionError>,
    /// Has no signature if no block can hold the transaction, because its fee was not paid.
    pub(crate) meta: TransactionMetadata,
    /// The accounts after a simulation.
    pub(crate) accounts: Vec<(Address, AccountSharedData)>,
}

/// A panic of the VM must not end the chain.
fn catch_vm_panic(run: impl FnOnce() -> Execution) -> Execution {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        tracing::error!("Solana VM panicked on a transaction");
        let error = Some(TransactionError::ClusterMaintenance);
        Execution { error, meta: TransactionMetadata::default(), accounts: Vec::new() }
    })
}
