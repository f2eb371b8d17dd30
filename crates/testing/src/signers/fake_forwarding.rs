use alloy_primitives::{Address as EvmAddress, B256};
use async_trait::async_trait;
use causeway_domain::ports::{ForwardingSigner, SigningError};
use causeway_domain::{Address, ChainId, SignatureBytes};

/// A signer of one chain whose forwarding addresses are the last bytes of their ids.
#[derive(Clone, Copy, Debug)]
pub struct FakeForwardingSigner(pub ChainId);

#[async_trait]
impl ForwardingSigner for FakeForwardingSigner {
    fn chain(&self) -> ChainId {
        self.0
    }

    fn maker(&self) -> B256 {
        EvmAddress::repeat_byte(0x77).into_word()
    }

    fn address_for(&self, id: B256) -> Address {
        Address::Evm(EvmAddress::from_word(id))
    }

    async fn sign_open(&self, _: B256, _: B256) -> Result<SignatureBytes, SigningError> {
        Ok(SignatureBytes::repeat_byte(1))
    }

    async fn sign_release(&self, _: B256) -> Result<SignatureBytes, SigningError> {
        Ok(SignatureBytes::repeat_byte(2))
    }
}
