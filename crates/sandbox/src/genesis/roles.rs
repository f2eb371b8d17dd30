use alloy_primitives::Address;

use super::error::GenesisError;
use super::wallet::{TestWallet, wallet_at};

/// The accounts that the service itself uses on the sandbox's EVM chains: of the test phrase too, behind the ten wallets.
#[derive(Clone, Debug)]
pub struct Roles {
    /// Puts the contracts on the chains.
    pub deployer: TestWallet,
    /// Pays the gas of what the service sends for others.
    pub relayer: TestWallet,
    /// Signs the orders of fiat purchases.
    pub maker: TestWallet,
    pub attesters: [TestWallet; 3],
    pub fillers: [FillerRole; 2],
}

/// A filler's hot account and the address that it is paid to.
#[derive(Clone, Copy, Debug)]
pub struct FillerRole {
    pub name: &'static str,
    pub hot: TestWallet,
    pub payee: TestWallet,
}

impl Roles {
    pub fn new() -> Result<Self, GenesisError> {
        Ok(Self {
            deployer: wallet_at(10)?,
            relayer: wallet_at(11)?,
            maker: wallet_at(12)?,
            attesters: [wallet_at(13)?, wallet_at(14)?, wallet_at(15)?],
            fillers: [
                FillerRole { name: "north", hot: wallet_at(16)?, payee: wallet_at(17)? },
                FillerRole { name: "south", hot: wallet_at(18)?, payee: wallet_at(19)? },
            ],
        })
    }

    /// Who needs coins for gas.
    pub(super) fn senders(&self) -> Vec<Address> {
        let mut senders = vec![self.deployer.address, self.relayer.address];
        senders.extend(self.makers());
        senders
    }

    /// Who needs tokens to fill orders with.
    pub(super) fn makers(&self) -> impl Iterator<Item = Address> + '_ {
        self.fillers.iter().map(|filler| filler.hot.address)
    }
}
