mod program;
mod sandbox;
mod token;

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use solana_account::Account;
use solana_address::Address;

pub(super) use program::program_accounts;
pub use sandbox::{ESCROW_CODE, ESCROW_PROGRAM, EXCHANGE_CODE, sandbox_genesis};
pub use token::{MintSpec, TokenProgram};

use super::config::SolanaError;
use super::node::faucet_address;
use super::programs::{NATIVE_MINT, SYSTEM};

/// The initial balance of the faucet: 500 million SOL.
const FAUCET_LAMPORTS: u64 = 500_000_000 * 1_000_000_000;

/// The initial accounts of a chain, in addition to the standard programs.
#[derive(Clone, Debug)]
pub struct Genesis {
    accounts: BTreeMap<Address, Account>,
}

impl Genesis {
    /// A genesis with the faucet and the mint of wrapped SOL.
    pub fn new() -> Result<Self, SolanaError> {
        let mut genesis = Self { accounts: BTreeMap::new() };
        genesis.fund(faucet_address()?, FAUCET_LAMPORTS);
        genesis.add_native_mint();
        Ok(genesis)
    }

    /// Adds an account at an address.
    pub fn add_account(&mut self, address: Address, account: Account) -> &mut Self {
        self.accounts.insert(address, account);
        self
    }

    /// Adds lamports to a wallet.
    pub fn fund(&mut self, wallet: Address, lamports: u64) -> &mut Self {
        let owner = SYSTEM;
        let account = self.accounts.entry(wallet).or_insert_with(|| Account { owner, ..Account::default() });
        account.rent_epoch = u64::MAX;
        account.lamports = account.lamports.saturating_add(lamports);
        self
    }

    fn add_native_mint(&mut self) {
        let spec = MintSpec { decimals: 9, supply: 0, authority: None, ..MintSpec::default() };
        self.add_mint(NATIVE_MINT, &spec);
    }

    pub(super) fn accounts(&self) -> Vec<(Address, Option<Account>)> {
        self.accounts.iter().map(|(address, account)| (*address, Some(account.clone()))).collect()
    }

    /// Identifies the genesis.
    pub(super) fn fingerprint(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        for (address, account) in &self.accounts {
            hash.update(address);
            hash.update(account.owner);
            hash.update(account.lamports.to_le_bytes());
            hash.update([u8::from(account.executable)]);
            hash.update((account.data.len() as u64).to_le_bytes());
            hash.update(&account.data);
        }
        hash.finalize().into()
    }
}

/// The rent-exempt minimum of an account of this length.
pub(super) fn rent_minimum(length: usize) -> u64 {
    (length as u64).saturating_add(128).saturating_mul(6_960)
}
