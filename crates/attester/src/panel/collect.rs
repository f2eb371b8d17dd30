use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use alloy_primitives::Address;
use async_trait::async_trait;
use causeway_domain::ports::{AttestationVerifier, Attestations, CollectError, NoAttestation};
use causeway_domain::{Attestation, Collected, SignatureBytes, SignedAttestation, Terms};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use thiserror::Error;

use super::Attest;

/// Why attesters cannot be asked as configured.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PanelError {
    #[error("{threshold} signatures can never come from {members} attesters")]
    Threshold { threshold: usize, members: usize },
    #[error("the attester {0} is named twice")]
    Twice(Address),
}

/// The attesters of an epoch, and how many of them must say the same.
pub struct Panel {
    members: BTreeMap<Address, Arc<dyn Attest>>,
    threshold: NonZeroUsize,
    verifier: Arc<dyn AttestationVerifier>,
}

impl fmt::Debug for Panel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Panel({} of {:?})", self.threshold, self.members.keys())
    }
}

impl Panel {
    /// Attesters by the addresses under which the registry knows them.
    pub fn new(
        members: impl IntoIterator<Item = (Address, Arc<dyn Attest>)>,
        threshold: NonZeroUsize,
        verifier: Arc<dyn AttestationVerifier>,
    ) -> Result<Self, PanelError> {
        let mut panel = Self { members: BTreeMap::new(), threshold, verifier };
        for (address, attester) in members {
            if panel.members.insert(address, attester).is_some() {
                return Err(PanelError::Twice(address));
            }
        }
        let members = panel.members.len();
        let enough = threshold.get() <= members;
        if enough { Ok(panel) } else { Err(PanelError::Threshold { threshold: threshold.get(), members }) }
    }

    /// Believes an answer only if it is about this order and the attester itself has signed it.
    fn check(
        &self,
        member: Address,
        terms: &Terms,
        answer: Result<SignedAttestation, NoAttestation>,
    ) -> Result<(Attestation, SignatureBytes), NoAttestation> {
        let SignedAttestation { attestation, signature, .. } = answer?;
        let nonsense = |words: &str| Err(NoAttestation::Nonsense(words.to_owned()));
        if attestation.order() != terms.id() {
            return nonsense("it is about another order");
        }
        let useless = match attestation {
            Attestation::Filled { filled_at, .. } => filled_at == 0 || filled_at > terms.fill_deadline,
            Attestation::Unfilled { destination_time, .. } => destination_time <= terms.fill_deadline,
        };
        if useless {
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
    async fn collect(&self, terms: &Terms) -> Result<Collected, CollectError> {
        let asked = self.members.iter();
        let mut asking: FuturesUnordered<_> =
            asked.map(|(member, attester)| async move { (*member, attester.attest(terms).await) }).collect();
        let mut said: Vec<(Attestation, BTreeMap<Address, SignatureBytes>)> = Vec::new();
        let mut answers = Vec::new();
        while let Some((member, answer)) = asking.next().await {
            let (attestation, signature) = match self.check(member, terms, answer) {
                Ok(said) => said,
                Err(why) => {
                    answers.push((member, why));
                    continue;
                }
            };
            let place = said.iter().position(|(known, _)| *known == attestation);
            let place = place.unwrap_or_else(|| {
                said.push((attestation, BTreeMap::new()));
                said.len() - 1
            });
            let Some((_, signatures)) = said.get_mut(place) else { continue };
            signatures.insert(member, signature);
            if signatures.len() >= self.threshold.get() {
                // The map holds them in ascending order, as the registry wants them.
                return Ok(Collected { attestation, signatures: signatures.values().copied().collect() });
            }
        }
        let have = said.iter().map(|(_, signatures)| signatures.len()).max().unwrap_or(0);
        let hopeful = answers.iter().filter(|(_, why)| why.is_retryable()).count();
        let retry = have + hopeful >= self.threshold.get();
        answers.sort_by_key(|(member, _)| *member);
        Err(CollectError { have, need: self.threshold.get(), retry, answers })
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;

    use super::*;

    /// Signs by writing its address into the signature.
    struct Says(Result<Attestation, NoAttestation>, Address);

    #[async_trait]
    impl Attest for Says {
        async fn attest(&self, _: &Terms) -> Result<SignedAttestation, NoAttestation> {
            let attestation = self.0.clone()?;
            let mut signature = SignatureBytes::ZERO;
            signature[..20].copy_from_slice(self.1.as_slice());
            Ok(SignedAttestation { attestation, epoch: 1, attester: self.1, signature })
        }
    }

    struct Reads;

    impl AttestationVerifier for Reads {
        fn signer(&self, _: &Terms, _: &Attestation, signature: &SignatureBytes) -> Option<Address> {
            Some(Address::from_slice(&signature[..20]))
        }
    }

    fn terms() -> Terms {
        let words = [B256::with_last_byte(1); Terms::WORDS];
        Terms { fill_deadline: 100, ..Terms::from_bytes(&words.concat()).unwrap() }
    }

    fn filled(reference: u8) -> Attestation {
        Attestation::Filled { order: terms().id(), filled_at: 50, fill_ref: B256::repeat_byte(reference) }
    }

    fn who(byte: u8) -> Address {
        Address::repeat_byte(byte)
    }

    async fn collect(answers: Vec<(u8, Says)>) -> Result<Collected, CollectError> {
        let members =
            answers.into_iter().map(|(member, says)| (who(member), Arc::new(says) as Arc<dyn Attest>));
        let panel = Panel::new(members, NonZeroUsize::new(2).unwrap(), Arc::new(Reads)).unwrap();
        panel.collect(&terms()).await
    }

    #[tokio::test]
    async fn rule_10_signatures_come_in_ascending_order_of_their_signers() {
        let no = || Err(NoAttestation::Undecided { chain: 1 });
        let collected = collect(vec![
            (9, Says(Ok(filled(1)), who(9))),
            (1, Says(no(), who(1))),
            (4, Says(Ok(filled(1)), who(4))),
        ])
        .await
        .unwrap();
        let first: Vec<u8> = collected.signatures.iter().map(|signature| signature[0]).collect();
        assert_eq!(first, [4, 9]);
        assert_eq!(collected.attestation, filled(1));
    }

    #[tokio::test]
    async fn different_words_do_not_add_up() {
        let unfilled = Ok(Attestation::Unfilled { order: terms().id(), destination_time: 101 });
        let error = collect(vec![
            (1, Says(Ok(filled(1)), who(1))),
            (2, Says(Ok(filled(2)), who(2))),
            (3, Says(unfilled, who(3))),
        ])
        .await
        .unwrap_err();
        assert_eq!((error.have, error.need, error.retry), (1, 2, false));
    }

    #[tokio::test]
    async fn what_an_escrow_would_refuse_is_left_out_and_named() {
        let another = Ok(Attestation::Unfilled { order: B256::ZERO, destination_time: 101 });
        let early = Ok(Attestation::Unfilled { order: terms().id(), destination_time: 100 });
        let error = collect(vec![
            (1, Says(Ok(filled(1)), who(2))),
            (2, Says(another, who(2))),
            (3, Says(early, who(3))),
            (4, Says(Err(NoAttestation::Unreachable("gone".to_owned())), who(4))),
        ])
        .await
        .unwrap_err();
        let names: Vec<_> = error.answers.iter().map(|(_, why)| why.name()).collect();
        assert_eq!(names, ["Nonsense", "Nonsense", "Nonsense", "Unreachable"]);
        assert!(!error.retry, "one that may still answer is not two");
    }

    #[tokio::test]
    async fn it_is_worth_asking_again_while_enough_may_still_sign() {
        let later = || Says(Err(NoAttestation::Undecided { chain: 1 }), who(0));
        assert!(collect(vec![(1, later()), (2, later()), (3, later())]).await.unwrap_err().retry);
        let error = collect(vec![(1, Says(Ok(filled(1)), who(1))), (2, later())]).await.unwrap_err();
        assert!(error.retry && error.have == 1, "{error}");
    }

    #[test]
    fn a_panel_can_reach_its_threshold_and_names_nobody_twice() {
        let member = |byte| (who(byte), Arc::new(Says(Ok(filled(1)), who(byte))) as Arc<dyn Attest>);
        let two = NonZeroUsize::new(2).unwrap();
        let few = Panel::new([member(1)], two, Arc::new(Reads)).unwrap_err();
        assert_eq!(few, PanelError::Threshold { threshold: 2, members: 1 });
        let twice = Panel::new([member(1), member(1)], two, Arc::new(Reads)).unwrap_err();
        assert_eq!(twice, PanelError::Twice(who(1)));
    }
}
