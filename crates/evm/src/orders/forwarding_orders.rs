use alloy_primitives::B256;
use alloy_sol_types::{Eip712Domain, SolStruct, eip712_domain, sol};
use causeway_domain::ports::{ForwardingSigner, SigningError};
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

/// Signs forwarding orders of one EVM chain with the maker's key.
#[derive(Clone, Debug)]
pub struct EvmForwardingSigner {
    deployment: Deployment,
    maker: Signer,
}

impl EvmForwardingSigner {
    /// Creates a signer for the deposit factory of this deployment.
    pub const fn new(deployment: Deployment, maker: Signer) -> Self {
        Self { deployment, maker }
    }

    /// Binds signatures to one factory on one chain.
    fn domain(&self) -> Eip712Domain {
        eip712_domain! {
            name: "Causeway Deposits",
            version: "2",
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

impl ForwardingSigner for EvmForwardingSigner {
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
