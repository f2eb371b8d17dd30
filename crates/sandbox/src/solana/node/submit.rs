use sha2::{Digest, Sha256};
use solana_address::Address;
use solana_signature::Signature;
use solana_transaction::sanitized::SanitizedTransaction;
use solana_transaction::versioned::VersionedTransaction;
use solana_transaction_error::TransactionError;

use super::{Node, PendingTransaction};
use crate::solana::ledger::{Landing, Simulation};

/// The identity of the node.
pub(crate) fn identity() -> Address {
    Address::new_from_array(Sha256::digest(b"causeway sandbox validator").into())
}

/// Why a transaction was not accepted.
#[derive(Debug)]
pub(crate) enum SendError {
    /// It is not a transaction that any block could hold.
    Malformed(TransactionError),
    /// A signature is wrong, and preflight is skipped.
    Signature,
    /// It would fail.
    Preflight(Box<Simulation>),
}

impl Node {
    /// Accepts a transaction as a node does: preflight unless skipped, then it lands, waits or is dropped as
    /// configured.
    pub(crate) fn send(
        &mut self,
        transaction: VersionedTransaction,
        skip_preflight: bool,
    ) -> Result<Signature, SendError> {
        let transaction = self.ledger.machine.sanitize(transaction).map_err(SendError::Malformed)?;
        let signature = *transaction.signature();
        match transaction.verify() {
            Err(_) if skip_preflight => return Err(SendError::Signature),
            Err(error) => {
                let simulation = Simulation { error: Some(error), ..Simulation::default() };
                return Err(SendError::Preflight(Box::new(simulation)));
            }
            Ok(()) if !skip_preflight => {
                let simulation = self.ledger.simulate(&transaction);
                if simulation.error.is_some() {
                    return Err(SendError::Preflight(Box::new(simulation)));
                }
            }
            Ok(()) => {}
        }
        if self.drop_next > 0 {
            self.drop_next -= 1;
        } else {
            self.accept(transaction);
        }
        Ok(signature)
    }

    /// Queues transactions of undone slots again.
    pub(super) fn requeue(&mut self, landed: &[Vec<u8>]) {
        let from = self.ledger.slots.open().slot;
        for wire in landed {
            let Ok(transaction) = wincode::deserialize::<VersionedTransaction>(wire) else { continue };
            if let Ok(transaction) = self.ledger.machine.sanitize(transaction) {
                self.pending.push_back(PendingTransaction { transaction, from });
            }
        }
    }

    /// Lands a transaction now, or queues it for a later slot.
    pub(super) fn accept(&mut self, transaction: SanitizedTransaction) {
        let slot = self.ledger.slots.open().slot;
        let signature = *transaction.signature();
        if self.paused || self.delay > 0 {
            let known = self.pending.iter().any(|pending| *pending.transaction.signature() == signature);
            if !known {
                self.pending.push_back(PendingTransaction { transaction, from: slot + self.delay });
            }
        } else if let Landing::Rejected(error) = self.ledger.land(&transaction) {
            tracing::debug!(%signature, %error, "transaction rejected");
        }
    }
}
