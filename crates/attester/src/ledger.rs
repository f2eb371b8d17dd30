use std::sync::Arc;

use alloy_primitives::B256;
use causeway_domain::ports::AttestationRefusal;
use causeway_domain::{ChainId, IntentTerms, SignedAttestation};
use parking_lot::Mutex;

use crate::journal::{Journal, JournalEntry, JournalError, JournalState};

/// Signed outcomes and open orders, in memory and in the journal.
#[derive(Debug)]
pub(crate) struct Ledger(Mutex<(Journal, JournalState)>);

impl Ledger {
    pub(crate) const fn new(journal: Journal, state: JournalState) -> Self {
        Self(Mutex::new((journal, state)))
    }

    pub(crate) fn signed(&self, order: &B256) -> Option<SignedAttestation> {
        self.0.lock().1.signed.get(order).copied()
    }

    /// How many orders have a signed outcome, and how many are open.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let held = self.0.lock();
        (held.1.signed.len(), held.1.open.len())
    }

    /// Whether the order's deposit was observed and no outcome is signed.
    pub(crate) fn is_open(&self, order: &B256) -> bool {
        self.0.lock().1.open.contains_key(order)
    }

    pub(crate) fn open_orders(&self) -> Vec<IntentTerms> {
        self.0.lock().1.open.values().copied().collect()
    }

    pub(crate) fn read_to(&self, chain: ChainId) -> Option<u64> {
        self.0.lock().1.read.get(&chain).copied()
    }

    /// Records entries without a sync; losing them only costs another read of the chain.
    pub(crate) fn record(&self, entries: Vec<JournalEntry>) -> Result<(), JournalError> {
        let mut held = self.0.lock();
        held.0.append(&entries, false)?;
        for entry in entries {
            held.1.apply(entry);
        }
        Ok(())
    }

    /// Writes an outcome to the disk before it returns it. An earlier outcome is returned instead; the opposite is refused.
    /// The write completes even if the caller is cancelled.
    pub(crate) async fn commit(
        ledger: &Arc<Self>,
        signed: SignedAttestation,
    ) -> Result<SignedAttestation, AttestationRefusal> {
        let ledger = Arc::clone(ledger);
        let write = tokio::task::spawn_blocking(move || ledger.write(signed));
        write.await.unwrap_or_else(|error| Err(AttestationRefusal::Journal(error.to_string())))
    }

    fn write(&self, signed: SignedAttestation) -> Result<SignedAttestation, AttestationRefusal> {
        let mut held = self.0.lock();
        if let Some(before) = held.1.signed.get(&signed.attestation.order()) {
            let outcome = before.attestation.outcome();
            let same = outcome == signed.attestation.outcome();
            return if same { Ok(*before) } else { Err(AttestationRefusal::Opposite(outcome)) };
        }
        let entry = JournalEntry::Signed(signed);
        held.0.append(std::slice::from_ref(&entry), true).map_err(|error| {
            tracing::error!(%error, "journal write failed, outcome not signed");
            AttestationRefusal::Journal(error.to_string())
        })?;
        held.1.apply(entry);
        Ok(signed)
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Address;
    use causeway_domain::{Attestation, Outcome, SignatureBytes};

    use super::*;

    fn signed(attestation: Attestation) -> SignedAttestation {
        let (attester, signature) = (Address::ZERO, SignatureBytes::ZERO);
        SignedAttestation { attestation, epoch: 1, attester, signature }
    }

    #[tokio::test]
    async fn rule_11_one_outcome_per_order_and_the_opposite_never_even_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let order = B256::repeat_byte(1);
        let filled = signed(Attestation::Filled { order, filled_at: 5, fill_ref: B256::ZERO });
        let elsewhere = signed(Attestation::Filled { order, filled_at: 5, fill_ref: B256::repeat_byte(9) });
        let unfilled = signed(Attestation::Unfilled { order, destination_time: 7 });
        for _ in 0..2 {
            let (journal, state) = Journal::open(folder.path(), Address::ZERO).unwrap();
            let ledger = Arc::new(Ledger::new(journal, state));
            assert_eq!(Ledger::commit(&ledger, filled).await, Ok(filled));
            assert_eq!(
                Ledger::commit(&ledger, elsewhere).await,
                Ok(filled),
                "the first outcome is returned again"
            );
            let refused = Ledger::commit(&ledger, unfilled).await;
            assert_eq!(refused, Err(AttestationRefusal::Opposite(Outcome::Filled)));
            assert_eq!(ledger.signed(&order), Some(filled));
        }
    }
}
