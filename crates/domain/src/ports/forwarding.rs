use alloy_primitives::B256;
use async_trait::async_trait;

use super::{ChainError, SigningError};
use crate::{Address, ChainId, SignatureBytes};

/// Derives forwarding addresses on one chain and signs for the maker.
#[async_trait]
pub trait ForwardingSigner: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The maker's address in forwarding orders: an EVM address in the low 20 bytes, on every chain family.
    fn maker(&self) -> B256;
    /// The address that receives the funds of a forwarding order.
    fn address_for(&self, forwarding: B256) -> Address;
    /// Signs that the balance of the forwarding address opens this intent.
    async fn sign_open(&self, forwarding: B256, intent_id: B256) -> Result<SignatureBytes, SigningError>;
    /// Signs that the balance of the forwarding address is returned.
    async fn sign_release(&self, forwarding: B256) -> Result<SignatureBytes, SigningError>;
}

/// Checks whether addresses are plain wallets.
#[async_trait]
pub trait WalletCheck: Send + Sync {
    fn chain(&self) -> ChainId;
    /// Whether a key alone controls the address: no contract code, no program as its owner.
    async fn is_wallet(&self, address: Address) -> Result<bool, ChainError>;
}
