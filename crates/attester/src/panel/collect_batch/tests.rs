use std::num::NonZeroUsize;
use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::ports::{AttestationVerifier, Attestations as _};
use causeway_domain::{Attestation, SignedAttestation};

use super::super::Attest;
use super::*;

/// Signs by writing its address into the signature; refuses some orders, or sees other fills.
struct FakeAttester {
    address: Address,
    refuses: Vec<u8>,
    fill_ref: u8,
    filled_at: u64,
}

#[async_trait]
impl Attest for FakeAttester {
    async fn attest(&self, _: &IntentTerms) -> Result<SignedAttestation, AttestationRefusal> {
        Err(AttestationRefusal::Busy)
    }

    async fn attest_batch(&self, orders: &[IntentTerms]) -> Result<SignedBatch, BatchRefusal> {
        let refused: Vec<_> = self.refuses.iter().map(|nonce| terms(*nonce).id()).collect();
        let refused: Vec<_> = orders.iter().map(IntentTerms::id).filter(|id| refused.contains(id)).collect();
        if !refused.is_empty() {
            let why = |order| (order, AttestationRefusal::Undecided { chain: 10 });
            return Err(BatchRefusal::Orders(refused.into_iter().map(why).collect()));
        }
        let (filled_at, fill_ref) = (self.filled_at, B256::repeat_byte(self.fill_ref));
        let fill = |terms: &IntentTerms| FilledOrder { order: terms.id(), filled_at, fill_ref };
        let mut signature = SignatureBytes::ZERO;
        signature[..20].copy_from_slice(self.address.as_slice());
        let fills = orders.iter().map(fill).collect();
        Ok(SignedBatch { fills, epoch: 1, attester: self.address, signature })
    }

    async fn is_ready(&self, _: &IntentTerms) -> bool {
        true
    }
}

struct FakeVerifier;

impl AttestationVerifier for FakeVerifier {
    fn signer(&self, _: &IntentTerms, _: &Attestation, _: &SignatureBytes) -> Option<Address> {
        None
    }

    fn batch_signer(
        &self,
        _: &IntentTerms,
        _: &[FilledOrder],
        signature: &SignatureBytes,
    ) -> Option<Address> {
        Some(Address::from_slice(&signature[..20]))
    }
}

fn terms(nonce: u8) -> IntentTerms {
    let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
    words[0] = B256::with_last_byte(2);
    let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
    IntentTerms { nonce: B256::repeat_byte(nonce), destination_chain_id: 10, fill_deadline: 100, ..terms }
}

fn address(byte: u8) -> Address {
    Address::repeat_byte(byte)
}

fn honest(byte: u8) -> FakeAttester {
    FakeAttester { address: address(byte), refuses: Vec::new(), fill_ref: 1, filled_at: 50 }
}

fn refusing(byte: u8, refuses: &[u8]) -> FakeAttester {
    FakeAttester { refuses: refuses.to_vec(), ..honest(byte) }
}

async fn collect(members: Vec<(u8, FakeAttester)>) -> Result<CollectedBatch, CollectBatchError> {
    let members = members.into_iter().map(|(byte, fake)| (address(byte), Arc::new(fake) as Arc<dyn Attest>));
    let panel = Panel::new(members, NonZeroUsize::new(2).unwrap(), Arc::new(FakeVerifier)).unwrap();
    panel.collect_batch(&[terms(1), terms(2), terms(3)]).await
}

#[tokio::test]
async fn rule_31_a_threshold_over_one_list_in_ascending_order_of_signers() {
    let collected = collect(vec![(9, honest(9)), (1, refusing(1, &[2])), (4, honest(4))]).await.unwrap();
    let first: Vec<u8> = collected.signatures.iter().map(|signature| signature[0]).collect();
    assert_eq!(first, [4, 9]);
    let ids: Vec<_> = collected.fills.iter().map(|fill| fill.order).collect();
    assert_eq!(ids, [terms(1).id(), terms(2).id(), terms(3).id()]);
}

#[tokio::test]
async fn rule_31_signatures_over_other_fills_do_not_add_up() {
    let other = FakeAttester { fill_ref: 2, ..honest(2) };
    let error = collect(vec![(1, honest(1)), (2, other)]).await.unwrap_err();
    assert_eq!((error.have, error.need, error.leave_out.len()), (1, 2, 0));
}

#[tokio::test]
async fn rule_31_an_order_that_too_few_sign_for_is_named_and_no_other() {
    let members = vec![(1, refusing(1, &[2])), (2, refusing(2, &[2, 3])), (3, honest(3))];
    let error = collect(members).await.unwrap_err();
    assert_eq!(error.leave_out, [terms(2).id()]);
    // Each order has two who sign for it, but no two members sign the same list.
    let members = vec![(1, refusing(1, &[1])), (2, refusing(2, &[2])), (3, honest(3))];
    let mut left_out = collect(members).await.unwrap_err().leave_out;
    left_out.sort_unstable();
    let mut both = [terms(1).id(), terms(2).id()];
    both.sort_unstable();
    assert_eq!(left_out, both);
}

#[tokio::test]
async fn rule_31_answers_that_an_escrow_would_reject_are_left_out() {
    for liar in [
        FakeAttester { filled_at: 101, ..honest(1) },
        FakeAttester { filled_at: 0, ..honest(1) },
        FakeAttester { address: address(7), ..honest(1) },
    ] {
        let error = collect(vec![(1, liar), (2, honest(2))]).await.unwrap_err();
        assert_eq!(error.have, 1, "{error}");
        assert!(matches!(&error.answers[..], [(_, BatchRefusal::Whole(AttestationRefusal::Nonsense(_)))]));
    }
}
