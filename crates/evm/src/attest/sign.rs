use alloy_primitives::{Address, B256, Signature};
use async_trait::async_trait;
use causeway_domain::ports::{AttestationSigner, AttestationVerifier, SigningError, contract_of};
use causeway_domain::{
    Attestation, ChainId, FilledOrder, IntentTerms, SignatureBytes, batch_digest, batch_payload,
};

use crate::send::{EvmAccountKey, SignerError};

#[async_trait]
impl AttestationSigner for EvmAccountKey {
    fn address(&self) -> Address {
        Self::address(self)
    }

    async fn sign(
        &self,
        terms: &IntentTerms,
        attestation: &Attestation,
    ) -> Result<SignatureBytes, SigningError> {
        let origin = origin(terms)?;
        let payload = attestation.payload(origin, terms.escrow).ok_or(SigningError::Family(origin))?;
        sign(self, origin, terms.escrow, payload).await
    }

    async fn sign_batch(
        &self,
        first: &IntentTerms,
        fills: &[FilledOrder],
    ) -> Result<SignatureBytes, SigningError> {
        let origin = origin(first)?;
        let payload = batch_payload(fills, origin, first.escrow).ok_or(SigningError::Family(origin))?;
        sign(self, origin, first.escrow, payload).await
    }
}

async fn sign(
    key: &EvmAccountKey,
    origin: ChainId,
    escrow: B256,
    payload: Vec<u8>,
) -> Result<SignatureBytes, SigningError> {
    let signed = key.sign_statement(origin, contract_of(origin, escrow), payload).await;
    Ok(SignatureBytes::from(signed.map_err(signing_error)?.as_bytes()))
}

/// Whether the key may sign later.
pub(crate) fn signing_error(error: SignerError) -> SigningError {
    match error {
        SignerError::Unsigned { place, error, .. } => SigningError::Signer { place, error },
        error => SigningError::Key(error.to_string()),
    }
}

/// Recovers the signer of an attestation. Attesters use the same keys for escrows on every chain.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvmVerifier;

impl AttestationVerifier for EvmVerifier {
    fn signer(
        &self,
        terms: &IntentTerms,
        attestation: &Attestation,
        signature: &SignatureBytes,
    ) -> Option<Address> {
        recover(&digest(terms, attestation).ok()?, signature)
    }

    fn batch_signer(
        &self,
        first: &IntentTerms,
        fills: &[FilledOrder],
        signature: &SignatureBytes,
    ) -> Option<Address> {
        recover(&list_digest(first, fills).ok()?, signature)
    }
}

fn recover(digest: &B256, signature: &SignatureBytes) -> Option<Address> {
    let v = signature.last().filter(|v| matches!(v, 27 | 28));
    let read = v.and_then(|_| Signature::from_raw(signature.as_slice()).ok())?;
    if read.normalize_s().is_some() {
        return None;
    }
    read.recover_address_from_prehash(digest).ok()
}

fn digest(terms: &IntentTerms, attestation: &Attestation) -> Result<B256, SigningError> {
    let origin = origin(terms)?;
    attestation.digest(origin, terms.escrow).ok_or(SigningError::Family(origin))
}

fn list_digest(first: &IntentTerms, fills: &[FilledOrder]) -> Result<B256, SigningError> {
    let origin = origin(first)?;
    batch_digest(fills, origin, first.escrow).ok_or(SigningError::Family(origin))
}

fn origin(terms: &IntentTerms) -> Result<ChainId, SigningError> {
    let unknown = || SigningError::Key(format!("{} is not a chain", terms.origin_chain_id));
    ChainId::new(terms.origin_chain_id).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{U256, uint};
    use causeway_domain::SOLANA_CHAIN_ID;
    use futures::executor::block_on;
    use proptest::prelude::*;

    use super::*;
    use crate::send::Signer;

    fn key(bytes: [u8; 32]) -> EvmAccountKey {
        Signer::from_bytes(&bytes).unwrap().into()
    }

    /// Half the order of secp256k1: a larger s is high.
    const HALF: U256 = uint!(0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0_U256);
    const ORDER: U256 = uint!(0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141_U256);

    fn terms(escrow: B256) -> IntentTerms {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        IntentTerms { escrow, ..IntentTerms::from_bytes(&words.concat()).unwrap() }
    }

    fn escrow() -> B256 {
        Address::repeat_byte(7).into_word()
    }

    proptest! {
        #[test]
        fn signatures_have_a_low_s_and_a_solidity_v(key in any::<[u8; 32]>(), time in any::<u64>()) {
            prop_assume!(Signer::from_bytes(&key).is_ok());
            let signer = EvmAccountKey::from(Signer::from_bytes(&key).unwrap());
            let attestation = Attestation::Unfilled { order: terms(escrow()).id(), destination_time: time };
            let signature = block_on(AttestationSigner::sign(&signer, &terms(escrow()), &attestation)).unwrap();
            prop_assert!(U256::from_be_slice(&signature[32..64]) <= HALF);
            prop_assert!(matches!(signature[64], 27 | 28));
            prop_assert_eq!(EvmVerifier.signer(&terms(escrow()), &attestation, &signature), Some(signer.address()));
            prop_assert_eq!(block_on(AttestationSigner::sign(&signer, &terms(escrow()), &attestation)).unwrap(), signature);
        }
    }

    #[test]
    fn rule_31_a_signature_over_a_list_is_no_signature_over_one_order_nor_another_list() {
        let signer = key([1; 32]);
        let fill = |byte| FilledOrder { order: B256::repeat_byte(byte), filled_at: 5, fill_ref: B256::ZERO };
        let (first, list) = (terms(escrow()), [fill(1), fill(2)]);
        let signature = block_on(AttestationSigner::sign_batch(&signer, &first, &list)).unwrap();
        assert_eq!(EvmVerifier.batch_signer(&first, &list, &signature), Some(signer.address()));
        assert_ne!(EvmVerifier.batch_signer(&first, &list[..1], &signature), Some(signer.address()));
        assert_ne!(EvmVerifier.batch_signer(&first, &[fill(2), fill(1)], &signature), Some(signer.address()));
        let one = Attestation::Filled { order: B256::repeat_byte(1), filled_at: 5, fill_ref: B256::ZERO };
        assert_ne!(EvmVerifier.signer(&first, &one, &signature), Some(signer.address()));
    }

    #[test]
    fn a_high_s_signature_has_no_signer() {
        let signer = key([1; 32]);
        let attestation = Attestation::Unfilled { order: B256::ZERO, destination_time: 5 };
        let low = block_on(AttestationSigner::sign(&signer, &terms(escrow()), &attestation)).unwrap();
        let mut high = low;
        let s = ORDER - U256::from_be_slice(&low[32..64]);
        high[32..64].copy_from_slice(&s.to_be_bytes::<32>());
        high[64] = 55 - low[64];
        assert_eq!(EvmVerifier.signer(&terms(escrow()), &attestation, &high), None);
        let mut zero_based = low;
        zero_based[64] -= 27;
        assert_eq!(EvmVerifier.signer(&terms(escrow()), &attestation, &zero_based), None);
    }

    #[test]
    fn an_escrow_that_is_not_an_address_of_its_chain_is_rejected() {
        let signer = key([1; 32]);
        let attestation = Attestation::Unfilled { order: B256::ZERO, destination_time: 5 };
        let wide = terms(B256::repeat_byte(9));
        assert!(matches!(
            block_on(AttestationSigner::sign(&signer, &wide, &attestation)),
            Err(SigningError::Family(_))
        ));
    }

    #[test]
    fn rule_10_escrows_on_solana_are_signed_for_with_the_same_keys() {
        let signer = key([1; 32]);
        let attestation = Attestation::Unfilled { order: B256::ZERO, destination_time: 5 };
        let solana = IntentTerms { origin_chain_id: SOLANA_CHAIN_ID.get(), ..terms(B256::repeat_byte(9)) };
        let signature = block_on(AttestationSigner::sign(&signer, &solana, &attestation)).unwrap();
        assert_eq!(EvmVerifier.signer(&solana, &attestation, &signature), Some(signer.address()));
    }

    #[test]
    fn a_signature_for_another_escrow_recovers_another_signer() {
        let signer = key([1; 32]);
        let attestation = Attestation::Filled { order: B256::ZERO, filled_at: 5, fill_ref: B256::ZERO };
        let signature = block_on(AttestationSigner::sign(&signer, &terms(escrow()), &attestation)).unwrap();
        let other = terms(Address::repeat_byte(8).into_word());
        assert_ne!(EvmVerifier.signer(&other, &attestation, &signature), Some(signer.address()));
    }
}
