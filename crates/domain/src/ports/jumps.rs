use alloy_primitives::B256;
use async_trait::async_trait;

use super::{ChainError, SigningError};
use crate::{Address, ChainId, SignatureBytes};

/// Makes the addresses of jumps on one chain, and gives the maker's word there.
pub trait JumpDesk: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The maker's address as jumps name it: an EVM address in the low 20 bytes, on every family of chains.
    fn maker(&self) -> B256;
    /// Where the money of a jump is to be sent.
    fn address_for(&self, jump: B256) -> Address;
    /// The maker's word that what lies at the jump's address opens this intent.
    fn sign_open(&self, jump: B256, intent: B256) -> Result<SignatureBytes, SigningError>;
    /// The maker's word that what lies at the jump's address goes back.
    fn sign_release(&self, jump: B256) -> Result<SignatureBytes, SigningError>;
}

/// Tells on one chain who can be paid without a word.
#[async_trait]
pub trait WalletCheck: Send + Sync {
    fn chain(&self) -> ChainId;
    /// Whether a key alone moves what lies there: an account without code, a wallet that is no program's.
    async fn is_wallet(&self, address: Address) -> Result<bool, ChainError>;
}
