use alloy_primitives::B256;
use causeway_domain::ports::ChainError;
use causeway_domain::{Attestation, FilledOrder, SignatureBytes};

use super::*;

/// Signs whatever it is asked by writing its address into the signature; stays silent where it is not ready.
struct FakeAttester {
    address: Address,
    ready: bool,
}

#[async_trait]
impl Attest for FakeAttester {
    async fn attest(&self, terms: &IntentTerms) -> Result<SignedAttestation, AttestationRefusal> {
        if !self.ready {
            return Err(AttestationRefusal::Unreachable("gone".to_owned()));
        }
        let mut signature = SignatureBytes::ZERO;
        signature[..20].copy_from_slice(self.address.as_slice());
        let attestation =
            Attestation::Filled { order: terms.id(), filled_at: 50, fill_ref: B256::repeat_byte(1) };
        Ok(SignedAttestation { attestation, epoch: terms.epoch, attester: self.address, signature })
    }

    async fn is_ready(&self, _: &IntentTerms) -> bool {
        self.ready
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

/// Two epochs: first 1, 2 and 3, then 3, 4 and 5. The members named in `resigned` have left both.
struct FakeRegistry {
    resigned: Vec<u8>,
}

#[async_trait]
impl AttesterRegistry for FakeRegistry {
    fn chain(&self) -> ChainId {
        ChainId::new(1).unwrap()
    }

    async fn epoch_attesters(&self, epoch: u64) -> Result<EpochAttesters, ChainError> {
        let members: &[u8] = match epoch {
            1 => &[1, 2, 3],
            2 => &[3, 4, 5],
            _ => return Err(ChainError::Unavailable(self.chain())),
        };
        let members = members.iter().filter(|member| !self.resigned.contains(member));
        Ok(EpochAttesters {
            threshold: 2,
            members: members.map(|byte| Address::repeat_byte(*byte)).collect(),
        })
    }
}

/// Panels that can ask the members named in `listed`, of which those in `silent` do not answer.
fn panels(listed: &[u8], silent: &[u8], resigned: &[u8]) -> EpochPanels {
    let attesters = listed.iter().map(|byte| {
        let address = Address::repeat_byte(*byte);
        let attester: Arc<dyn Attest> = Arc::new(FakeAttester { address, ready: !silent.contains(byte) });
        (address, attester)
    });
    let registry: Arc<dyn AttesterRegistry> = Arc::new(FakeRegistry { resigned: resigned.to_vec() });
    EpochPanels::new(attesters, [registry], Arc::new(FakeVerifier))
}

fn terms(epoch: u64) -> IntentTerms {
    let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
    words[0] = B256::with_last_byte(2);
    let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
    IntentTerms { fill_deadline: 100, origin_chain_id: 1, epoch, ..terms }
}

async fn signers(panels: &EpochPanels, epoch: u64) -> Result<Vec<u8>, CollectError> {
    let collected = panels.collect(&terms(epoch)).await?;
    Ok(collected.signatures.iter().map(|signature| signature[0]).collect())
}

#[tokio::test]
async fn rule_28_an_order_is_attested_by_the_panel_of_its_own_epoch() {
    let panels = panels(&[1, 2, 3, 4, 5], &[3], &[]);
    assert_eq!(signers(&panels, 1).await.unwrap(), [1, 2]);
    assert_eq!(signers(&panels, 2).await.unwrap(), [4, 5]);
}

#[tokio::test]
async fn rule_28_the_signature_of_a_resigned_member_does_not_count() {
    let panels = panels(&[1, 2, 3], &[], &[1]);
    assert_eq!(signers(&panels, 1).await.unwrap(), [2, 3]);
}

#[tokio::test]
async fn rule_28_a_panel_is_available_only_while_a_threshold_answers() {
    assert!(panels(&[1, 2, 3], &[3], &[]).is_available(&terms(1)).await);
    assert!(!panels(&[1, 2, 3], &[2, 3], &[]).is_available(&terms(1)).await);
    assert!(!panels(&[1, 2, 3], &[2], &[3]).is_available(&terms(1)).await, "one silent and one resigned");
    assert!(
        !panels(&[1, 2, 3], &[], &[]).is_available(&terms(2)).await,
        "of the next epoch only one is known"
    );
}

#[tokio::test]
async fn members_without_a_url_and_unreadable_registries_are_reported() {
    let panels = panels(&[1, 2, 3], &[], &[]);
    let error = signers(&panels, 2).await.unwrap_err();
    assert!(error.retry && error.to_string().contains("contracts.other_attesters"), "{error}");
    let error = signers(&panels, 3).await.unwrap_err();
    assert!(error.retry, "{error}");
    assert!(!panels.is_available(&terms(3)).await);
}

#[tokio::test]
async fn the_last_answer_of_a_registry_that_is_silent_now_is_used() {
    struct Once(Mutex<bool>);
    #[async_trait]
    impl AttesterRegistry for Once {
        fn chain(&self) -> ChainId {
            ChainId::new(1).unwrap()
        }

        async fn epoch_attesters(&self, _: u64) -> Result<EpochAttesters, ChainError> {
            let is_first = !std::mem::replace(&mut *self.0.lock(), true);
            let members = vec![Address::repeat_byte(1)];
            is_first
                .then_some(EpochAttesters { threshold: 1, members })
                .ok_or(ChainError::Unavailable(self.chain()))
        }
    }
    let address = Address::repeat_byte(1);
    let attester: Arc<dyn Attest> = Arc::new(FakeAttester { address, ready: true });
    let registry: Arc<dyn AttesterRegistry> = Arc::new(Once(Mutex::new(false)));
    let panels = EpochPanels::new([(address, attester)], [registry], Arc::new(FakeVerifier));
    assert_eq!(signers(&panels, 1).await.unwrap(), [1]);
    let stale = Instant::now().checked_sub(TTL * 2).unwrap();
    panels.known.lock().values_mut().for_each(|(at, _)| *at = stale);
    assert_eq!(signers(&panels, 1).await.unwrap(), [1]);
}
