//! The genesis of a sandbox EVM chain: funded test wallets, test tokens at the addresses of the real ones, and
//! canonical contracts.

mod artifact;
mod canonical;
mod data_fees;
mod error;
mod roles;
mod storage;
mod token;
mod wallet;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use alloy_primitives::{Address, U256};
use causeway_domain::ChainId;

pub use canonical::{CREATE2_DEPLOYER, multicall3_address, permit2_address};
pub use error::GenesisError;
pub use roles::{FillerRole, Roles};
pub use token::{TAXED_TOKEN, WellKnownToken};
pub use wallet::{SolanaWallet, TestWallet, is_test_key};

use crate::evm::GenesisAccount;
use artifact::Codes;
use token::Holders;

/// What each test wallet holds of the native coin.
const WALLET_COINS: u64 = 10_000;

/// What each account of the service that sends transactions holds of the native coin.
const ROLE_COINS: u64 = 100_000;

/// What the faucet holds of the native coin.
const FAUCET_COINS: u64 = 1_000_000_000;

/// Creates the genesis accounts of EVM chains; loaded once, used for each chain.
#[derive(Clone, Debug)]
pub struct EvmGenesis {
    codes: Codes,
    wallets: Vec<TestWallet>,
    roles: Roles,
}

impl EvmGenesis {
    pub fn new() -> Result<Self, GenesisError> {
        Ok(Self { codes: Codes::load()?, wallets: wallet::test_wallets()?, roles: Roles::new()? })
    }

    /// The accounts that the service itself uses.
    pub fn roles(&self) -> &Roles {
        &self.roles
    }

    /// The ten funded wallets, the same on every chain.
    pub fn wallets(&self) -> &[TestWallet] {
        &self.wallets
    }

    /// The contract by which a chain says what it charges for data; none on chains that charge nothing for it.
    pub fn data_fee_account(chain: ChainId) -> Option<GenesisAccount> {
        data_fees::account(chain)
    }

    /// The genesis accounts of `chain`; `faucet` can mint the tokens and holds native coins.
    pub fn accounts(
        &self,
        chain: ChainId,
        tokens: &[WellKnownToken],
        faucet: Address,
    ) -> Result<Vec<GenesisAccount>, GenesisError> {
        let wallets: Vec<Address> = self.wallets.iter().map(|wallet| wallet.address).collect();
        let holders = Holders { wallets: &wallets, makers: &self.roles.makers().collect::<Vec<_>>() };
        let mut contracts = canonical::accounts(&self.codes, chain)?;
        contracts.push(token::taxed(&self.codes, holders, faucet)?);
        for token in tokens {
            contracts.push(token.account(&self.codes, chain, holders, faucet)?);
        }
        reject_shared_addresses(&contracts)?;
        let mut accounts: Vec<_> = wallets.iter().map(|wallet| funded(*wallet, WALLET_COINS)).collect();
        accounts.extend(self.roles.senders().into_iter().map(|role| funded(role, ROLE_COINS)));
        accounts.push(funded(faucet, FAUCET_COINS));
        accounts.append(&mut contracts);
        Ok(accounts)
    }
}

fn funded(address: Address, coins: u64) -> GenesisAccount {
    let wei_per_coin = U256::from(1_000_000_000_000_000_000_u64);
    GenesisAccount { address, balance: U256::from(coins) * wei_per_coin, ..GenesisAccount::default() }
}

fn reject_shared_addresses(contracts: &[GenesisAccount]) -> Result<(), GenesisError> {
    let mut taken = HashSet::new();
    match contracts.iter().find(|account| !taken.insert(account.address)) {
        Some(account) => Err(GenesisError::SharedAddress(account.address)),
        None => Ok(()),
    }
}
