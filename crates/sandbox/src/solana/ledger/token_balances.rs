use serde::{Deserialize, Serialize};
use solana_account::{AccountSharedData, ReadableAccount};
use solana_account_decoder::parse_account_data::SplTokenAdditionalDataV2;
use solana_account_decoder::parse_token::token_amount_to_ui_amount_v3;
use solana_address::Address;
use solana_transaction_status::TransactionTokenBalance;
use spl_token_2022_interface::extension::StateWithExtensions;
use spl_token_2022_interface::state::{Account as TokenAccount, Mint};

use crate::solana::programs::is_token_program;

/// The balance of a token account among a transaction's accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TokenBalance {
    /// The account's place among the transaction's accounts.
    pub(crate) index: u8,
    pub(crate) mint: Address,
    pub(crate) owner: Address,
    pub(crate) program: Address,
    pub(crate) amount: u64,
    pub(crate) decimals: u8,
}

impl TokenBalance {
    pub(crate) fn to_rpc(&self) -> TransactionTokenBalance {
        let decimals = SplTokenAdditionalDataV2::with_decimals(self.decimals);
        TransactionTokenBalance {
            account_index: self.index,
            mint: self.mint.to_string(),
            ui_token_amount: token_amount_to_ui_amount_v3(self.amount, &decimals),
            owner: self.owner.to_string(),
            program_id: self.program.to_string(),
        }
    }
}

/// Reads an account as a token account of either token program.
pub(crate) fn token_account(account: &AccountSharedData) -> Option<TokenAccount> {
    let ours = is_token_program(account.owner());
    let read = || StateWithExtensions::<TokenAccount>::unpack(account.data()).ok();
    if ours { read().map(|state| state.base) } else { None }
}

/// Reads an account as a mint of either token program.
pub(crate) fn mint(account: &AccountSharedData) -> Option<Mint> {
    let ours = is_token_program(account.owner());
    let read = || StateWithExtensions::<Mint>::unpack(account.data()).ok();
    if ours { read().map(|state| state.base) } else { None }
}

/// The token balances among `keys`; `find` returns an account.
pub(crate) fn token_balances<'a>(
    keys: &[Address],
    find: impl Fn(&Address) -> Option<&'a AccountSharedData>,
) -> Vec<TokenBalance> {
    (0..=u8::MAX)
        .zip(keys)
        .filter_map(|(index, key)| {
            let account = find(key)?;
            let token = token_account(account)?;
            let decimals = mint(find(&token.mint)?)?.decimals;
            Some(TokenBalance {
                index,
                mint: token.mint,
                owner: token.owner,
                program: *account.owner(),
                amount: token.amount,
                decimals,
            })
        })
        .collect()
}
