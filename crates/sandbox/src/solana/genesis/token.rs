use solana_account::Account;
use solana_address::Address;
use solana_program_pack::Pack;
use spl_associated_token_account_interface::address::get_associated_token_address_with_program_id;
use spl_token_2022_interface::state::{Account as TokenAccount, AccountState, Mint};

use super::{Genesis, rent_minimum};
use crate::solana::config::SolanaError;
use crate::solana::node::faucet_address;
use crate::solana::programs::{NATIVE_MINT, TOKEN, TOKEN_2022, is_token_program};

/// What Token-2022 appends to an associated account: the account type and the immutable-owner extension.
const IMMUTABLE_OWNER: [u8; 5] = [2, 7, 0, 0, 0];

/// The token program of a mint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenProgram {
    #[default]
    Token,
    Token2022,
}

impl TokenProgram {
    /// The program's address.
    pub const fn id(self) -> Address {
        match self {
            Self::Token => TOKEN,
            Self::Token2022 => TOKEN_2022,
        }
    }
}

/// The parameters of a new mint.
#[derive(Clone, Copy, Debug)]
pub struct MintSpec {
    pub decimals: u8,
    /// Raw units in addition to the balances of the genesis.
    pub supply: u64,
    /// The mint authority; the faucet can mint only tokens of its own.
    pub authority: Option<Address>,
    pub freeze_authority: Option<Address>,
    pub program: TokenProgram,
}

impl Default for MintSpec {
    fn default() -> Self {
        Self {
            decimals: 6,
            supply: 0,
            authority: faucet_address().ok(),
            freeze_authority: None,
            program: TokenProgram::Token,
        }
    }
}

impl Genesis {
    /// Adds a mint at its address.
    pub fn add_mint(&mut self, address: Address, spec: &MintSpec) -> &mut Self {
        let mint = Mint {
            mint_authority: spec.authority.into(),
            supply: spec.supply,
            decimals: spec.decimals,
            is_initialized: true,
            freeze_authority: spec.freeze_authority.into(),
        };
        let account = rent_exempt_account(packed(&mint), spec.program.id(), 0);
        self.add_account(address, account)
    }

    /// Adds raw units of a token of this genesis to the associated account of `owner`.
    pub fn add_tokens(
        &mut self,
        owner: Address,
        token: Address,
        amount: u64,
    ) -> Result<Address, SolanaError> {
        let refused = |reason: String| SolanaError::Refused(reason);
        let mint_account = self.accounts.get_mut(&token);
        let mint_account = mint_account
            .filter(|account| is_token_program(&account.owner))
            .ok_or_else(|| refused(format!("{token} is not a token of the genesis: add its mint first")))?;
        let program = mint_account.owner;
        let mut mint = mint_account
            .data
            .get(..Mint::LEN)
            .and_then(|data| Mint::unpack(data).ok())
            .ok_or_else(|| refused(format!("{token} is not a mint")))?;
        let is_native = token == NATIVE_MINT;
        if !is_native {
            let supply = mint.supply.checked_add(amount);
            mint.supply = supply.ok_or_else(|| refused(format!("{token} has no room for {amount} more")))?;
            if let Some(data) = mint_account.data.get_mut(..Mint::LEN) {
                mint.pack_into_slice(data);
            }
        }

        let address = get_associated_token_address_with_program_id(&owner, &token, &program);
        let before = self.accounts.get(&address).and_then(|account| account.data.get(..TokenAccount::LEN));
        let before = before.and_then(|data| TokenAccount::unpack(data).ok()).map_or(0, |state| state.amount);
        let amount = before.saturating_add(amount);
        let reserve = rent_minimum(TokenAccount::LEN);
        let state = TokenAccount {
            mint: token,
            owner,
            amount,
            state: AccountState::Initialized,
            is_native: is_native.then_some(reserve).into(),
            ..TokenAccount::default()
        };
        let mut data = packed(&state);
        if program == TOKEN_2022 {
            data.extend_from_slice(&IMMUTABLE_OWNER);
        }
        self.add_account(address, rent_exempt_account(data, program, if is_native { amount } else { 0 }));
        Ok(address)
    }
}

fn packed<T: Pack>(state: &T) -> Vec<u8> {
    let mut data = vec![0; T::LEN];
    state.pack_into_slice(&mut data);
    data
}

/// A rent-exempt account with `extra` lamports.
fn rent_exempt_account(data: Vec<u8>, owner: Address, extra: u64) -> Account {
    let lamports = rent_minimum(data.len()).saturating_add(extra);
    Account { lamports, data, owner, executable: false, rent_epoch: u64::MAX }
}
