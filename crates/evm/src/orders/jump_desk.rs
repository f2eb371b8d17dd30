use alloy_primitives::B256;
use alloy_sol_types::{Eip712Domain, SolStruct, eip712_domain, sol};
use causeway_domain::ports::{JumpDesk, SigningError};
use causeway_domain::{Address, ChainId, Deployment, SignatureBytes};

use crate::send::Signer;

sol! {
    struct OpenJump {
        bytes32 jumpId;
        bytes32 orderId;
    }

    struct ReleaseJump {
        bytes32 jumpId;
    }
}

/// The jumps of one EVM chain, and the maker's word there.
#[derive(Clone, Debug)]
pub struct EvmJumpDesk {
    deployment: Deployment,
    maker: Signer,
}

impl EvmJumpDesk {
    /// Jumps at the deposit factory of this deployment, by this key's word.
    pub const fn new(deployment: Deployment, maker: Signer) -> Self {
        Self { deployment, maker }
    }

    /// Signatures for one factory are worth nothing at another, nor on another chain.
    fn domain(&self) -> Eip712Domain {
        eip712_domain! {
            name: "Causeway Deposits",
            version: "1",
            chain_id: self.deployment.chain.get(),
            verifying_contract: self.deployment.deposit_factory,
        }
    }

    fn sign(&self, statement: &impl SolStruct) -> Result<SignatureBytes, SigningError> {
        let digest = statement.eip712_signing_hash(&self.domain());
        let signed = self.maker.sign_digest(&digest).map_err(|error| SigningError::Key(error.to_string()))?;
        Ok(SignatureBytes::from(signed.as_bytes()))
    }
}

impl JumpDesk for EvmJumpDesk {
    fn chain(&self) -> ChainId {
        self.deployment.chain
    }

    fn maker(&self) -> B256 {
        self.maker.address().into_word()
    }

    fn address_for(&self, jump: B256) -> Address {
        let Deployment { deposit_factory, deposit_code_hash, .. } = self.deployment;
        Address::Evm(deposit_factory.create2(jump, deposit_code_hash))
    }

    fn sign_open(&self, jump: B256, intent: B256) -> Result<SignatureBytes, SigningError> {
        self.sign(&OpenJump { jumpId: jump, orderId: intent })
    }

    fn sign_release(&self, jump: B256) -> Result<SignatureBytes, SigningError> {
        self.sign(&ReleaseJump { jumpId: jump })
    }
}
