use async_trait::async_trait;
use causeway_domain::ports::{ChainError, WalletCheck};
use causeway_domain::{Address as AnyAddress, ChainId, SOLANA_CHAIN_ID};
use solana_address::Address;

/// Distinguishes wallets from program accounts by the address: only points on the curve have a key.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolanaWalletCheck;

#[async_trait]
impl WalletCheck for SolanaWalletCheck {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn is_wallet(&self, address: AnyAddress) -> Result<bool, ChainError> {
        Ok(match address {
            AnyAddress::Solana(bytes) => Address::from(bytes).is_on_curve(),
            _ => false,
        })
    }
}
