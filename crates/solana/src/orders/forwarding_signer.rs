use std::fmt;
use std::sync::Arc;

use alloy_primitives::{Address as EvmAddress, B256, Signature, keccak256};
use async_trait::async_trait;
use causeway_domain::ports::{
    ForwardingSigner, KeySigner, KeySignerError, SigningEffect, SigningError, SigningRequest,
};
use causeway_domain::{Address, ChainId, SignatureBytes, SolanaDeployment};

use crate::program::EscrowProgram;

/// Signs forwarding orders on Solana, with the maker's secp256k1 key of EVM chains.
#[derive(Clone)]
pub struct SolanaForwardingSigner {
    chain: ChainId,
    program: EscrowProgram,
    maker: Arc<dyn KeySigner>,
    address: EvmAddress,
}

impl SolanaForwardingSigner {
    /// Signs for the program of this deployment with this key of EVM chains.
    pub fn new(deployment: &SolanaDeployment, maker: Arc<dyn KeySigner>) -> Result<Self, KeySignerError> {
        let address = match maker.address() {
            Address::Evm(address) => address,
            other @ (Address::Solana(_) | Address::Bitcoin(_) | Address::Tron(_)) => {
                return Err(KeySignerError::Family(other));
            }
        };
        let program = EscrowProgram::new(deployment.program.0.into());
        Ok(Self { chain: deployment.chain, program, maker, address })
    }

    async fn sign(&self, payload: Vec<u8>) -> Result<SignatureBytes, SigningError> {
        let digest = keccak256(&payload);
        let contract = Address::Solana(self.program.id.to_bytes());
        let effect = SigningEffect::Statement { chain: self.chain, contract };
        let signed = self.maker.sign(&SigningRequest { payload, effect }).await;
        let checked = signed.and_then(|bytes| self.own(&digest, &bytes));
        checked.map_err(|error| SigningError::Signer { place: self.maker.place(), error })
    }

    /// The signature, if it is the maker's.
    fn own(&self, digest: &B256, bytes: &[u8]) -> Result<SignatureBytes, KeySignerError> {
        let invalid = |words: &str| KeySignerError::InvalidAnswer(words.to_owned());
        let read = Signature::from_raw(bytes).ok().filter(|read| read.normalize_s().is_none());
        let read = read.ok_or_else(|| invalid("it is not r, a low s, and v"))?;
        let found = read.recover_address_from_prehash(digest);
        let found = found.map_err(|_| invalid("no key can have made it"))?;
        if found != self.address {
            return Err(KeySignerError::OtherKey { found: Some(Address::Evm(found)) });
        }
        Ok(SignatureBytes::from(read.as_bytes()))
    }
}

#[async_trait]
impl ForwardingSigner for SolanaForwardingSigner {
    fn chain(&self) -> ChainId {
        self.chain
    }

    fn maker(&self) -> B256 {
        self.address.into_word()
    }

    fn address_for(&self, jump: B256) -> Address {
        Address::Solana(self.program.deposit(jump).to_bytes())
    }

    async fn sign_open(&self, jump: B256, intent: B256) -> Result<SignatureBytes, SigningError> {
        self.sign(self.program.open_jump_payload(jump, intent)).await
    }

    async fn sign_release(&self, jump: B256) -> Result<SignatureBytes, SigningError> {
        self.sign(self.program.release_jump_payload(jump)).await
    }
}

/// The key is not shown.
impl fmt::Debug for SolanaForwardingSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SolanaForwardingSigner({}, {})", self.program.id, self.address)
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::SOLANA_CHAIN_ID;
    use causeway_testing::FakeKey;
    use futures::executor::block_on;
    use proptest::prelude::*;

    use super::*;
    use crate::SolanaKey;
    use crate::program::SANDBOX_PROGRAM;

    fn signer(maker: Arc<dyn KeySigner>) -> Result<SolanaForwardingSigner, KeySignerError> {
        let deployment = SolanaDeployment {
            chain: SOLANA_CHAIN_ID,
            program: SANDBOX_PROGRAM.to_bytes().into(),
            min_grace: 60,
            from_slot: 0,
        };
        SolanaForwardingSigner::new(&deployment, maker)
    }

    #[test]
    fn key_of_another_family_is_refused_and_keys_are_never_shown() {
        let refused = signer(Arc::new(SolanaKey::from_seed([1; 32])));
        assert!(matches!(refused, Err(KeySignerError::Family(_))));
        let shown = format!("{:?}", signer(Arc::new(FakeKey::new([1; 32]))).unwrap());
        assert_eq!(
            shown,
            "SolanaForwardingSigner(CausewayEscrow11111111111111111111111111111, 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1)"
        );
    }

    #[test]
    fn signature_of_another_key_is_never_used() {
        let maker = FakeKey::new([1; 32]).answering_with([2; 32]);
        let error = block_on(signer(Arc::new(maker)).unwrap().sign_release(B256::ZERO)).unwrap_err();
        assert!(error.to_string().contains("another key"), "{error}");
    }

    proptest! {
        #[test]
        fn rule_21_signature_is_the_makers_with_low_s(key in 1_u8..0xff, jump in any::<[u8; 32]>()) {
            let signer = signer(Arc::new(FakeKey::new([key; 32]))).unwrap();
            let (jump, program) = (B256::from(jump), EscrowProgram::new(SANDBOX_PROGRAM));
            for (signed, digest) in [
                (signer.sign_open(jump, B256::ZERO), program.open_jump_digest(jump, B256::ZERO)),
                (signer.sign_release(jump), program.release_jump_digest(jump)),
            ] {
                let signed = block_on(signed).unwrap();
                prop_assert!(matches!(signed[64], 27 | 28));
                let read = Signature::from_raw(signed.as_slice()).unwrap();
                prop_assert!(read.normalize_s().is_none());
                let recovered = read.recover_address_from_prehash(&digest).unwrap();
                prop_assert_eq!(recovered.into_word(), signer.maker());
            }
        }
    }
}
