use std::fmt;

use alloy_primitives::{Address as EvmAddress, B256, Signature};
use causeway_domain::ports::{JumpDesk, SigningError};
use causeway_domain::{Address, ChainId, SignatureBytes, SolanaDeployment};
use k256::ecdsa::SigningKey;

use crate::program::EscrowProgram;

/// The jumps of Solana, and the maker's word there: by the same secp256k1 key as on EVM chains.
#[derive(Clone)]
pub struct SolanaJumpDesk {
    chain: ChainId,
    program: EscrowProgram,
    maker: SigningKey,
    address: EvmAddress,
}

impl SolanaJumpDesk {
    /// Jumps at the program of this deployment, by the word of this private key.
    pub fn new(deployment: &SolanaDeployment, maker: &[u8; 32]) -> Result<Self, SigningError> {
        let words = "a private key is 32 bytes that make a number between 1 and the order of secp256k1";
        let maker = SigningKey::from_slice(maker).map_err(|_| SigningError::Key(words.to_owned()))?;
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

impl JumpDesk for SolanaJumpDesk {
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

/// The key stays unseen.
impl fmt::Debug for SolanaJumpDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SolanaJumpDesk({}, {})", self.program.id, self.address)
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::SOLANA_CHAIN_ID;
    use proptest::prelude::*;

    use super::*;
    use crate::program::SANDBOX_PROGRAM;

    fn desk(key: [u8; 32]) -> Result<SolanaJumpDesk, SigningError> {
        let deployment = SolanaDeployment {
            chain: SOLANA_CHAIN_ID,
            program: SANDBOX_PROGRAM.to_bytes().into(),
            min_grace: 60,
            from_slot: 0,
        };
        SolanaJumpDesk::new(&deployment, &key)
    }

    #[test]
    fn the_key_is_refused_in_words_and_never_shown() {
        assert!(matches!(desk([0; 32]), Err(SigningError::Key(words)) if words.contains("32 bytes")));
        let shown = format!("{:?}", desk([1; 32]).unwrap());
        assert_eq!(
            shown,
            "SolanaJumpDesk(CausewayEscrow11111111111111111111111111111, 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1)"
        );
    }

    proptest! {
        #[test]
        fn rule_21_its_word_is_the_makers_in_low_form(key in any::<[u8; 32]>(), jump in any::<[u8; 32]>()) {
            let Ok(desk) = desk(key) else { return Ok(()) };
            let (jump, program) = (B256::from(jump), EscrowProgram::new(SANDBOX_PROGRAM));
            for (signed, digest) in [
                (desk.sign_open(jump, B256::ZERO), program.open_jump_digest(jump, B256::ZERO)),
                (desk.sign_release(jump), program.release_jump_digest(jump)),
            ] {
                let signed = signed.unwrap();
                prop_assert!(matches!(signed[64], 27 | 28));
                let read = Signature::from_raw(signed.as_slice()).unwrap();
                prop_assert!(read.normalize_s().is_none());
                let signer = read.recover_address_from_prehash(&digest).unwrap();
                prop_assert_eq!(signer.into_word(), desk.maker());
            }
        }
    }
}
