use solana_account::{AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_commitment_config::CommitmentLevel;
use solana_transaction::sanitized::SanitizedTransaction;
use solana_transaction_error::TransactionError;
use solana_transaction_status::extract_and_fmt_memos;

use super::Ledger;
use super::record::{Effects, Record};
use super::token_balances::token_balances;

/// The result of landing a transaction.
#[derive(Debug, PartialEq)]
pub(crate) enum Landing {
    /// It is part of the open slot, whether it succeeded or failed.
    Landed,
    /// No block can hold it, and no fee was paid.
    Rejected(TransactionError),
}

impl Ledger {
    /// Checks that a transaction's blockhash is recent and that the transaction is new.
    pub(crate) fn check_age(&self, transaction: &SanitizedTransaction) -> Result<(), TransactionError> {
        if self.history.get(transaction.signature()).is_some() {
            return Err(TransactionError::AlreadyProcessed);
        }
        let hash = transaction.message().recent_blockhash();
        let young = self.slots.last_valid_height(hash, CommitmentLevel::Processed).is_some();
        if young || self.uses_durable_nonce(transaction) {
            return Ok(());
        }
        Err(TransactionError::BlockhashNotFound)
    }

    fn uses_durable_nonce(&self, transaction: &SanitizedTransaction) -> bool {
        let message = transaction.message();
        let nonce = transaction.get_durable_nonce().and_then(|address| self.machine.account(address));
        nonce
            .and_then(|account| {
                solana_nonce_account::verify_nonce_account(account, message.recent_blockhash())
            })
            .is_some_and(|nonce| message.get_ix_signers(0).any(|signer| *signer == nonce.authority))
    }

    /// Executes a transaction, whose signatures were checked before, in the open slot.
    pub(crate) fn land(&mut self, transaction: &SanitizedTransaction) -> Landing {
        if let Err(error) = self.check_age(transaction) {
            return Landing::Rejected(error);
        }
        let message = transaction.message();
        let keys: Vec<Address> = message.account_keys().iter().copied().collect();
        let before: Vec<Option<AccountSharedData>> =
            keys.iter().map(|key| self.machine.account(key).cloned()).collect();
        let tokens_before = token_balances(&keys, |key| self.machine.account(key));

        let Ok(wire) = wincode::serialize(&transaction.to_versioned_transaction()) else {
            return Landing::Rejected(TransactionError::SanitizeFailure);
        };
        let run = self.machine.execute(transaction);
        if let Some(error) = &run.error
            && run.meta.signature != *transaction.signature()
        {
            return Landing::Rejected(error.clone());
        }

        let after: Vec<Option<&AccountSharedData>> =
            keys.iter().map(|key| self.machine.account(key)).collect();
        let balance = |account: Option<&AccountSharedData>| account.map_or(0, ReadableAccount::lamports);
        let effects = Effects {
            balances_before: before.iter().map(|account| balance(account.as_ref())).collect(),
            balances_after: after.iter().map(|account| balance(*account)).collect(),
            tokens_before,
            tokens_after: token_balances(&keys, |key| self.machine.account(key)),
            ..Effects::new(run.meta)
        };
        let changed: Vec<bool> =
            before.iter().zip(after).map(|(before, after)| before.as_ref() != after).collect();
        for ((key, before), _) in keys.iter().zip(before).zip(changed).filter(|(_, changed)| *changed) {
            self.record_prior(*key, before);
        }

        let loaded = transaction.get_loaded_addresses();
        let block = self.slots.open();
        self.history.push(Record {
            slot: block.slot,
            time: block.time,
            index: u32::try_from(self.history.of_slot(block.slot).count()).unwrap_or(u32::MAX),
            signature: *transaction.signature(),
            loaded: (loaded.writable.len(), loaded.readonly.len()),
            keys,
            wire,
            error: run.error,
            memo: extract_and_fmt_memos(message),
            effects,
        });
        Landing::Landed
    }
}
