use alloy_primitives::Address;

use super::error::GenesisError;
use super::wallet::{SolanaWallet, TestWallet, solana_wallet_at, wallet_at};

/// The service's own accounts on the sandbox chains, from the test phrase after the ten wallets.
#[derive(Clone, Debug)]
pub struct Roles {
    /// Deploys the contracts.
    pub deployer: TestWallet,
    /// Pays the gas of what the service sends for others.
    pub relayer: TestWallet,
    /// Signs the orders of fiat purchases.
    pub maker: TestWallet,
    pub attesters: [TestWallet; 3],
    pub fillers: [FillerRole; 2],
    /// Deploys and upgrades the program on Solana.
    pub solana_deployer: SolanaWallet,
    /// Pays for what the service sends for others on Solana.
    pub solana_relayer: SolanaWallet,
    /// Pays out what the sandbox on-ramps sell.
    pub ramps: TestWallet,
    pub solana_ramps: SolanaWallet,
}

/// A filler's hot account and the address that it is paid to.
#[derive(Clone, Copy, Debug)]
pub struct FillerRole {
    pub name: &'static str,
    pub hot: TestWallet,
    pub payee: TestWallet,
    /// The same on Solana.
    pub solana_hot: SolanaWallet,
    pub solana_payee: SolanaWallet,
}

impl FillerRole {
    /// A filler whose accounts are at two consecutive indices.
    fn at(name: &'static str, index: u32) -> Result<Self, GenesisError> {
        Ok(Self {
            name,
            hot: wallet_at(index)?,
            payee: wallet_at(index + 1)?,
            solana_hot: solana_wallet_at(index)?,
            solana_payee: solana_wallet_at(index + 1)?,
        })
    }
}

impl Roles {
    pub fn new() -> Result<Self, GenesisError> {
        Ok(Self {
            deployer: wallet_at(10)?,
            relayer: wallet_at(11)?,
            maker: wallet_at(12)?,
            attesters: [wallet_at(13)?, wallet_at(14)?, wallet_at(15)?],
            fillers: [FillerRole::at("north", 16)?, FillerRole::at("south", 18)?],
            solana_deployer: solana_wallet_at(10)?,
            solana_relayer: solana_wallet_at(11)?,
            ramps: wallet_at(20)?,
            solana_ramps: solana_wallet_at(20)?,
        })
    }

    /// The accounts that need coins for gas.
    pub(super) fn senders(&self) -> Vec<Address> {
        let mut senders = vec![self.deployer.address, self.relayer.address];
        senders.extend(self.makers());
        senders
    }

    /// The accounts that need tokens to pay out.
    pub(super) fn makers(&self) -> impl Iterator<Item = Address> + '_ {
        self.fillers.iter().map(|filler| filler.hot.address).chain([self.ramps.address])
    }
}
