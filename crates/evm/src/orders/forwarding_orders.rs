use alloy_primitives::B256;
use alloy_sol_types::{Eip712Domain, SolStruct, eip712_domain, sol};
use async_trait::async_trait;
use causeway_domain::ports::{ForwardingSigner, SigningError};
use causeway_domain::{Address, ChainId, Deployment, SignatureBytes};

use crate::attest::signing_error;
use crate::send::EvmAccountKey;

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
    maker: EvmAccountKey,
}

impl EvmForwardingSigner {
    /// Creates a signer for the deposit factory of this deployment.
    pub fn new(deployment: Deployment, maker: impl Into<EvmAccountKey>) -> Self {
        Self { deployment, maker: maker.into() }
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

    async fn sign(&self, statement: &(impl SolStruct + Sync)) -> Result<SignatureBytes, SigningError> {
        let (domain, statement) = (self.domain().separator(), statement.eip712_hash_struct());
        let payload = [&[0x19, 0x01], domain.as_slice(), statement.as_slice()].concat();
        let contract = Address::Evm(self.deployment.deposit_factory);
        let signed = self.maker.sign_statement(self.deployment.chain, contract, payload).await;
        Ok(SignatureBytes::from(signed.map_err(signing_error)?.as_bytes()))
    }
}

#[async_trait]
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

    async fn sign_open(&self, jump: B256, intent: B256) -> Result<SignatureBytes, SigningError> {
        self.sign(&OpenJump { jumpId: jump, orderId: intent }).await
    }

    async fn sign_release(&self, jump: B256) -> Result<SignatureBytes, SigningError> {
        self.sign(&ReleaseJump { jumpId: jump }).await
    }
}
