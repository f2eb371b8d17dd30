use std::fmt;

use alloy_primitives::{Address as EvmAddress, B256, Signature};
use causeway_domain::ports::{ForwardingSigner, SigningError};
use causeway_domain::{Address, ChainId, SignatureBytes, SolanaDeployment};
use k256::ecdsa::SigningKey;

use crate::program::EscrowProgram;

/// Signs forwarding orders on Solana, with the maker's secp256k1 key of EVM chains.
#[derive(Clone)]
pub struct SolanaForwardingSigner {
    chain: ChainId,
    program: EscrowProgram,
    maker: SigningKey,
    address: EvmAddress,
}

impl SolanaForwardingSigner {
    /// Signs for the program of this deployment with this private key.
    pub fn new(deployment: &SolanaDeployment, maker: &[u8; 32]) -> Result<Self, SigningError> {
        let reason = "a private key is 32 bytes that form a number between 1 and the order of secp256k1";
        let maker = SigningKey::from_slice(maker).map_err(|_| SigningError::Key(reason.to_owned()))?;
        Ok(Self {
            chain: deployment.chain,
            program: EscrowProgram::new(deployment.program.0.into()),
            address: EvmAddress::from_private_key(&maker),
            maker,
        })
    }

    fn sign(&self, digest: B256) -> Result<SignatureBytes, SigningError> {
        let signed = self.maker.sign_prehash_recoverable(digest.as_slice());
        let signed = signed.map_err(|error| SigningError::Key(error.to_string()))?;
        Ok(SignatureBytes::from(Signature::from(signed).as_bytes()))
    }
}

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

    fn sign_open(&self, jump: B256, intent: B256) -> Result<SignatureBytes, SigningError> {
        self.sign(self.program.open_jump_digest(jump, intent))
    }

    fn sign_release(&self, jump: B256) -> Result<SignatureBytes, SigningError> {
        self.sign(self.program.release_jump_digest(jump))
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
    use proptest::prelude::*;

    use super::*;
    use crate::program::SANDBOX_PROGRAM;

    fn signer(key: [u8; 32]) -> Result<SolanaForwardingSigner, SigningError> {
        let deployment = SolanaDeployment {
            chain: SOLANA_CHAIN_ID,
            program: SANDBOX_PROGRAM.to_bytes().into(),
            min_grace: 60,
            from_slot: 0,
        };
        SolanaForwardingSigner::new(&deployment, &key)
    }

    #[test]
    fn invalid_key_is_refused_and_keys_are_never_shown() {
        assert!(matches!(signer([0; 32]), Err(SigningError::Key(reason)) if reason.contains("32 bytes")));
        let shown = format!("{:?}", signer([1; 32]).unwrap());
        assert_eq!(
            shown,
            "SolanaForwardingSigner(CausewayEscrow11111111111111111111111111111, 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1)"
        );
    }

    proptest! {
        #[test]
        fn rule_21_signature_is_the_makers_with_low_s(key in any::<[u8; 32]>(), jump in any::<[u8; 32]>()) {
            let Ok(signer) = signer(key) else { return Ok(()) };
            let (jump, program) = (B256::from(jump), EscrowProgram::new(SANDBOX_PROGRAM));
            for (signed, digest) in [
                (signer.sign_open(jump, B256::ZERO), program.open_jump_digest(jump, B256::ZERO)),
                (signer.sign_release(jump), program.release_jump_digest(jump)),
            ] {
                let signed = signed.unwrap();
                prop_assert!(matches!(signed[64], 27 | 28));
                let read = Signature::from_raw(signed.as_slice()).unwrap();
                prop_assert!(read.normalize_s().is_none());
                let recovered = read.recover_address_from_prehash(&digest).unwrap();
                prop_assert_eq!(recovered.into_word(), signer.maker());
            }
        }
    }
}
