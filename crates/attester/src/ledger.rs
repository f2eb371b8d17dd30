use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alloy_primitives::B256;
use causeway_domain::ports::NoAttestation;
use causeway_domain::{ChainId, SignedAttestation, Terms};

use crate::journal::{Journal, JournalError, Kept, Note};

/// What was signed, on the disk and at hand.
#[derive(Debug)]
pub(crate) struct Ledger(Mutex<(Journal, Kept)>);

impl Ledger {
    pub(crate) const fn new(journal: Journal, kept: Kept) -> Self {
        Self(Mutex::new((journal, kept)))
    }

    fn lock(&self) -> MutexGuard<'_, (Journal, Kept)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn signed(&self, order: &B256) -> Option<SignedAttestation> {
        self.lock().1.signed.get(order).copied()
    }

    /// How many orders were signed about, and how many wait.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let held = self.lock();
        (held.1.signed.len(), held.1.open.len())
    }

    /// Whether the order's deposit was seen, and nothing was signed about it.
    pub(crate) fn is_open(&self, order: &B256) -> bool {
        self.lock().1.open.contains_key(order)
    }

    pub(crate) fn open_orders(&self) -> Vec<Terms> {
        self.lock().1.open.values().copied().collect()
    }

    pub(crate) fn read_to(&self, chain: ChainId) -> Option<u64> {
        self.lock().1.read.get(&chain).copied()
    }

    /// Keeps what is only worth remembering; losing it costs another look at the chain.
    pub(crate) fn note(&self, notes: Vec<Note>) -> Result<(), JournalError> {
        let mut held = self.lock();
        held.0.append(&notes, false)?;
        for note in notes {
            held.1.take(note);
        }
        Ok(())
    }

    /// Puts an outcome on the disk and only then gives it out: the same as before if there was one, never its opposite.
    /// The write goes on when nobody waits for it any more.
    pub(crate) async fn commit(
        ledger: &Arc<Self>,
        signed: SignedAttestation,
    ) -> Result<SignedAttestation, NoAttestation> {
        let ledger = Arc::clone(ledger);
        let write = tokio::task::spawn_blocking(move || ledger.write(signed));
        write.await.unwrap_or_else(|error| Err(NoAttestation::Journal(error.to_string())))
    }

    fn write(&self, signed: SignedAttestation) -> Result<SignedAttestation, NoAttestation> {
        let mut held = self.lock();
        if let Some(before) = held.1.signed.get(&signed.attestation.order()) {
            let outcome = before.attestation.outcome();
            let same = outcome == signed.attestation.outcome();
            return if same { Ok(*before) } else { Err(NoAttestation::Opposite(outcome)) };
        }
        let note = Note::Signed(signed);
        held.0.append(std::slice::from_ref(&note), true).map_err(|error| {
            tracing::error!(%error, "an outcome could not be kept, so it was not signed");
            NoAttestation::Journal(error.to_string())
        })?;
        held.1.take(note);
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
            let (journal, kept) = Journal::open(folder.path(), Address::ZERO).unwrap();
            let ledger = Arc::new(Ledger::new(journal, kept));
            assert_eq!(Ledger::commit(&ledger, filled).await, Ok(filled));
            assert_eq!(Ledger::commit(&ledger, elsewhere).await, Ok(filled), "the first word is given again");
            let refused = Ledger::commit(&ledger, unfilled).await;
            assert_eq!(refused, Err(NoAttestation::Opposite(Outcome::Filled)));
            assert_eq!(ledger.signed(&order), Some(filled));
        }
    }
}
