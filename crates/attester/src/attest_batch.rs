use std::collections::HashSet;

use causeway_domain::ports::{AttestationRefusal, BatchRefusal};
use causeway_domain::{Attestation, FilledOrder, IntentTerms, Outcome, SignedBatch};
use futures::StreamExt as _;

use crate::attester::Attester;

/// How many orders an attester signs for at once.
pub(crate) const MAX_BATCH_ORDERS: usize = 50;

/// How many orders of a batch are read from the chains concurrently; those that are signed already need no reading.
const CONCURRENT_READS: usize = 4;

impl Attester {
    /// Signs the fills of these orders as one list. The outcome of each is decided and committed to the journal as if it were
    /// asked for alone; only then the list is signed.
    pub async fn attest_batch(&self, orders: &[IntentTerms]) -> Result<SignedBatch, BatchRefusal> {
        let first = check(orders)?;
        let outcomes = orders.iter().copied().map(|terms| {
            let attester = self.clone();
            async move { (terms.id(), attester.attest(&terms).await) }
        });
        let outcomes: Vec<_> = futures::stream::iter(outcomes).buffered(CONCURRENT_READS).collect().await;
        let (mut fills, mut refused) = (Vec::with_capacity(orders.len()), Vec::new());
        for (order, outcome) in outcomes {
            match outcome.map(|signed| signed.attestation) {
                Ok(Attestation::Filled { order, filled_at, fill_ref }) => {
                    fills.push(FilledOrder { order, filled_at, fill_ref });
                }
                Ok(Attestation::Unfilled { .. }) => {
                    refused.push((order, AttestationRefusal::Opposite(Outcome::Unfilled)));
                }
                Err(why) => refused.push((order, why)),
            }
        }
        if !refused.is_empty() {
            return Err(BatchRefusal::Orders(refused));
        }
        let signature = self.0.signer.sign_batch(first, &fills).await.map_err(AttestationRefusal::from)?;
        Ok(SignedBatch { fills, epoch: first.epoch, attester: self.address(), signature })
    }
}

/// The first of the orders, whose chain, escrow and epoch all of them share.
fn check(orders: &[IntentTerms]) -> Result<&IntentTerms, AttestationRefusal> {
    let first = orders.first().filter(|_| orders.len() <= MAX_BATCH_ORDERS);
    let first = first.ok_or(AttestationRefusal::BatchSize(MAX_BATCH_ORDERS))?;
    let shared = |terms: &IntentTerms| (terms.origin_chain_id, terms.escrow, terms.epoch);
    let ids: HashSet<_> = orders.iter().map(IntentTerms::id).collect();
    if ids.len() < orders.len() || orders.iter().any(|terms| shared(terms) != shared(first)) {
        return Err(AttestationRefusal::MixedBatch);
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;

    use super::*;

    fn terms(nonce: u8) -> IntentTerms {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
        IntentTerms { nonce: B256::repeat_byte(nonce), destination_chain_id: 10, ..terms }
    }

    #[test]
    fn rule_31_the_orders_of_a_batch_are_distinct_and_share_chain_escrow_and_epoch() {
        let size = Err(AttestationRefusal::BatchSize(MAX_BATCH_ORDERS));
        assert_eq!(check(&[]), size);
        let many: Vec<_> = (0..=50).map(terms).collect();
        assert_eq!(check(&many), size);
        assert_eq!(check(&many[1..]), Ok(&terms(1)));
        for other in [
            terms(1),
            IntentTerms { origin_chain_id: 2, ..terms(2) },
            IntentTerms { escrow: B256::ZERO, ..terms(2) },
            IntentTerms { epoch: 9, ..terms(2) },
        ] {
            assert_eq!(check(&[terms(1), other]), Err(AttestationRefusal::MixedBatch));
        }
    }
}
