use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use alloy_primitives::Address;
use async_trait::async_trait;
use causeway_domain::ports::{
    AttestationRefusal, AttestationVerifier, Attestations, CollectBatchError, CollectError,
};
use causeway_domain::{
    Attestation, CollectedAttestation, CollectedBatch, IntentTerms, SignatureBytes, SignedAttestation,
};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use thiserror::Error;

use super::Attest;

/// Why a panel configuration is invalid.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PanelError {
    #[error("{threshold} signatures can never come from {members} attesters")]
    Threshold { threshold: usize, members: usize },
    #[error("the attester {0} is named twice")]
    DuplicateMember(Address),
}

/// The attesters of an epoch, and how many of them must sign the same outcome.
pub struct Panel {
    pub(super) members: BTreeMap<Address, Arc<dyn Attest>>,
    pub(super) threshold: NonZeroUsize,
    pub(super) verifier: Arc<dyn AttestationVerifier>,
}

impl fmt::Debug for Panel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Panel({} of {:?})", self.threshold, self.members.keys())
    }
}

impl Panel {
    /// Creates a panel of attesters by their addresses in the registry.
    pub fn new(
        members: impl IntoIterator<Item = (Address, Arc<dyn Attest>)>,
        threshold: NonZeroUsize,
        verifier: Arc<dyn AttestationVerifier>,
    ) -> Result<Self, PanelError> {
        let mut panel = Self { members: BTreeMap::new(), threshold, verifier };
        for (address, attester) in members {
            if panel.members.insert(address, attester).is_some() {
                return Err(PanelError::DuplicateMember(address));
            }
        }
        let members = panel.members.len();
        let enough = threshold.get() <= members;
        if enough { Ok(panel) } else { Err(PanelError::Threshold { threshold: threshold.get(), members }) }
    }

    /// Accepts an answer only if it is about this order, fits its deadline, and the attester itself signed it.
    fn check(
        &self,
        member: Address,
        terms: &IntentTerms,
        answer: Result<SignedAttestation, AttestationRefusal>,
    ) -> Result<(Attestation, SignatureBytes), AttestationRefusal> {
        let SignedAttestation { attestation, signature, .. } = answer?;
        let nonsense = |reason: &str| Err(AttestationRefusal::Nonsense(reason.to_owned()));
        if attestation.order() != terms.id() {
            return nonsense("it is about another order");
        }
        let is_wrong_side = match attestation {
            Attestation::Filled { filled_at, .. } => filled_at == 0 || filled_at > terms.fill_deadline,
            Attestation::Unfilled { destination_time, .. } => destination_time <= terms.fill_deadline,
        };
        if is_wrong_side {
            return nonsense("its time lies on the wrong side of the fill deadline");
        }
        if self.verifier.signer(terms, &attestation, &signature) != Some(member) {
            return nonsense("the signature is not its own");
        }
        Ok((attestation, signature))
    }
}

#[async_trait]
impl Attestations for Panel {
    async fn collect(&self, terms: &IntentTerms) -> Result<CollectedAttestation, CollectError> {
        let members = self.members.iter();
        let mut requests: FuturesUnordered<_> = members
            .map(|(member, attester)| async move { (*member, attester.attest(terms).await) })
            .collect();
        let mut outcomes: Vec<(Attestation, BTreeMap<Address, SignatureBytes>)> = Vec::new();
        let mut refusals = Vec::new();
        while let Some((member, answer)) = requests.next().await {
            let (attestation, signature) = match self.check(member, terms, answer) {
                Ok(checked) => checked,
                Err(why) => {
                    refusals.push((member, why));
                    continue;
                }
            };
            let index = outcomes.iter().position(|(known, _)| *known == attestation);
            let index = index.unwrap_or_else(|| {
                outcomes.push((attestation, BTreeMap::new()));
                outcomes.len() - 1
            });
            let Some((_, signatures)) = outcomes.get_mut(index) else { continue };
            signatures.insert(member, signature);
            if signatures.len() >= self.threshold.get() {
                // The map holds them in ascending order, as the registry requires.
                return Ok(CollectedAttestation {
                    attestation,
                    signatures: signatures.values().copied().collect(),
                });
            }
        }
        let have = outcomes.iter().map(|(_, signatures)| signatures.len()).max().unwrap_or(0);
        let may_still_sign = refusals.iter().filter(|(_, why)| why.is_retryable()).count();
        let retry = have + may_still_sign >= self.threshold.get();
        refusals.sort_by_key(|(member, _)| *member);
        Err(CollectError { have, need: self.threshold.get(), retry, answers: refusals })
    }

    async fn collect_batch(&self, orders: &[IntentTerms]) -> Result<CollectedBatch, CollectBatchError> {
        self.collect_fills(orders).await
    }

    async fn is_available(&self, terms: &IntentTerms) -> bool {
        let mut requests: FuturesUnordered<_> =
            self.members.values().map(|attester| attester.is_ready(terms)).collect();
        let mut ready = 0_usize;
        while let Some(is_ready) = requests.next().await {
            ready += usize::from(is_ready);
            if ready >= self.threshold.get() {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;
    use causeway_domain::FilledOrder;

    use super::*;

    /// Signs by writing its address into the signature.
    struct FakeAttester(Result<Attestation, AttestationRefusal>, Address);

    #[async_trait]
    impl Attest for FakeAttester {
        async fn attest(&self, _: &IntentTerms) -> Result<SignedAttestation, AttestationRefusal> {
            let attestation = self.0.clone()?;
            let mut signature = SignatureBytes::ZERO;
            signature[..20].copy_from_slice(self.1.as_slice());
            Ok(SignedAttestation { attestation, epoch: 1, attester: self.1, signature })
        }

        async fn is_ready(&self, _: &IntentTerms) -> bool {
            self.0.is_ok()
        }
    }

    struct FakeVerifier;

    impl AttestationVerifier for FakeVerifier {
        fn signer(&self, _: &IntentTerms, _: &Attestation, signature: &SignatureBytes) -> Option<Address> {
            Some(Address::from_slice(&signature[..20]))
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

    fn terms() -> IntentTerms {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        IntentTerms { fill_deadline: 100, ..IntentTerms::from_bytes(&words.concat()).unwrap() }
    }

    fn filled(reference: u8) -> Attestation {
        Attestation::Filled { order: terms().id(), filled_at: 50, fill_ref: B256::repeat_byte(reference) }
    }

    fn address(byte: u8) -> Address {
        Address::repeat_byte(byte)
    }

    async fn collect(answers: Vec<(u8, FakeAttester)>) -> Result<CollectedAttestation, CollectError> {
        let members =
            answers.into_iter().map(|(member, fake)| (address(member), Arc::new(fake) as Arc<dyn Attest>));
        let panel = Panel::new(members, NonZeroUsize::new(2).unwrap(), Arc::new(FakeVerifier)).unwrap();
        panel.collect(&terms()).await
    }

    #[tokio::test]
    async fn rule_10_signatures_come_in_ascending_order_of_their_signers() {
        let no = || Err(AttestationRefusal::Undecided { chain: 1 });
        let collected = collect(vec![
            (9, FakeAttester(Ok(filled(1)), address(9))),
            (1, FakeAttester(no(), address(1))),
            (4, FakeAttester(Ok(filled(1)), address(4))),
        ])
        .await
        .unwrap();
        let first: Vec<u8> = collected.signatures.iter().map(|signature| signature[0]).collect();
        assert_eq!(first, [4, 9]);
        assert_eq!(collected.attestation, filled(1));
    }

    #[tokio::test]
    async fn signatures_over_different_outcomes_do_not_add_up() {
        let unfilled = Ok(Attestation::Unfilled { order: terms().id(), destination_time: 101 });
        let error = collect(vec![
            (1, FakeAttester(Ok(filled(1)), address(1))),
            (2, FakeAttester(Ok(filled(2)), address(2))),
            (3, FakeAttester(unfilled, address(3))),
        ])
        .await
        .unwrap_err();
        assert_eq!((error.have, error.need, error.retry), (1, 2, false));
    }

    #[tokio::test]
    async fn attestations_that_an_escrow_would_reject_are_left_out_with_reason() {
        let another = Ok(Attestation::Unfilled { order: B256::ZERO, destination_time: 101 });
        let early = Ok(Attestation::Unfilled { order: terms().id(), destination_time: 100 });
        let error = collect(vec![
            (1, FakeAttester(Ok(filled(1)), address(2))),
            (2, FakeAttester(another, address(2))),
            (3, FakeAttester(early, address(3))),
            (4, FakeAttester(Err(AttestationRefusal::Unreachable("gone".to_owned())), address(4))),
        ])
        .await
        .unwrap_err();
        let names: Vec<_> = error.answers.iter().map(|(_, why)| why.name()).collect();
        assert_eq!(names, ["Nonsense", "Nonsense", "Nonsense", "Unreachable"]);
        assert!(!error.retry, "one that may still answer is not two");
    }

    #[tokio::test]
    async fn collecting_is_retryable_while_enough_attesters_may_still_sign() {
        let later = || FakeAttester(Err(AttestationRefusal::Undecided { chain: 1 }), address(0));
        assert!(collect(vec![(1, later()), (2, later()), (3, later())]).await.unwrap_err().retry);
        let error =
            collect(vec![(1, FakeAttester(Ok(filled(1)), address(1))), (2, later())]).await.unwrap_err();
        assert!(error.retry && error.have == 1, "{error}");
    }

    #[test]
    fn unreachable_threshold_and_duplicate_members_are_rejected() {
        let member =
            |byte| (address(byte), Arc::new(FakeAttester(Ok(filled(1)), address(byte))) as Arc<dyn Attest>);
        let two = NonZeroUsize::new(2).unwrap();
        let few = Panel::new([member(1)], two, Arc::new(FakeVerifier)).unwrap_err();
        assert_eq!(few, PanelError::Threshold { threshold: 2, members: 1 });
        let twice = Panel::new([member(1), member(1)], two, Arc::new(FakeVerifier)).unwrap_err();
        assert_eq!(twice, PanelError::DuplicateMember(address(1)));
    }
}
