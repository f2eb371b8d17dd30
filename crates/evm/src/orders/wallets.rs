use async_trait::async_trait;
use causeway_domain::ports::{ChainError, WalletCheck};
use causeway_domain::{Address, ChainId};

use crate::client::EvmClient;

/// Distinguishes key-controlled accounts from contracts on an EVM chain.
#[derive(Clone, Debug)]
pub struct EvmWalletCheck {
    client: EvmClient,
}

impl EvmWalletCheck {
    pub const fn new(client: EvmClient) -> Self {
        Self { client }
    }
}

#[async_trait]
impl WalletCheck for EvmWalletCheck {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    /// Whether the account has no code; an EIP-7702 delegation counts as code.
    async fn is_wallet(&self, address: Address) -> Result<bool, ChainError> {
        match address {
            Address::Evm(address) => Ok(self.client.code(address).await?.is_empty()),
            _ => Ok(false),
        }
    }
}
