use std::collections::HashMap;
use std::time::Duration;

use causeway_domain::ports::ChainError;
use causeway_domain::{Address as AnyAddress, TokenId};
use parking_lot::RwLock;
use solana_address::Address;
use thiserror::Error;

use crate::extensions::extensions;
use crate::{Account, Commitment, SolanaRpc, TOKEN_2022_PROGRAM, TOKEN_PROGRAM};

const MINT_LENGTH: usize = 82;
/// Only multisig accounts have this length.
const MULTISIG_LENGTH: usize = 355;
const KIND_AT: usize = 165;
const KIND_MINT: u8 = 1;
const DECIMALS_AT: usize = 44;
const INITIALIZED_AT: usize = 45;

/// Metadata and groups, which do not affect transfers.
const ALLOWED_EXTENSIONS: std::ops::RangeInclusive<u16> = 18..=23;
const MEMO_TRANSFER: u16 = 8;

/// A mint whose transfers move exactly the given amount to the given account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SupportedMint {
    pub token_program: Address,
    pub decimals: u8,
}

/// Why a mint cannot be swapped, as the end of a sentence about the token.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MintError {
    #[error("it is not on the chain")]
    Missing,
    #[error("it is not a mint of one of the two token programs")]
    NotAMint,
    #[error("{}", extension_reason(*.0))]
    Extension(u16),
    #[error("its extensions cannot be read")]
    Malformed,
    #[error("it has {on_chain} decimals on the chain and {listed} in the catalog")]
    Decimals { on_chain: u8, listed: u8 },
    #[error("it has not been checked yet")]
    NotChecked,
}

/// The effect of a mint extension on holders of the token.
fn extension_reason(number: u16) -> String {
    let reason = match number {
        1 => "it takes a fee of every transfer",
        3 => "its mint can be closed",
        4 | 16 => "it hides amounts from everybody else",
        6 => "new accounts of it begin frozen",
        9 => "it cannot be transferred",
        10 | 25 => "it shows other amounts than it moves",
        12 => "its issuer can take it from anybody",
        14 => "every transfer of it calls another program",
        26 => "its issuer can pause all transfers",
        _ => return format!("it has the extension {number}, which may change transfers"),
    };
    reason.to_owned()
}

/// Checks that the account is a mint of either token program with no extensions but metadata and groups.
pub fn check_mint(account: &Account) -> Result<SupportedMint, MintError> {
    let Account { owner, data, .. } = account;
    if ![TOKEN_PROGRAM, TOKEN_2022_PROGRAM].contains(owner) {
        return Err(MintError::NotAMint);
    }
    let is_extended = data.len() != MULTISIG_LENGTH && data.get(KIND_AT) == Some(&KIND_MINT);
    let fits = data.len() == MINT_LENGTH || is_extended;
    let decimals = data.get(DECIMALS_AT).copied().filter(|_| fits && data.get(INITIALIZED_AT) == Some(&1));
    let decimals = decimals.ok_or(MintError::NotAMint)?;
    let found = extensions(data).ok_or(MintError::Malformed)?;
    match found.into_iter().find(|(number, _)| !ALLOWED_EXTENSIONS.contains(number)) {
        Some((number, _)) => Err(MintError::Extension(number)),
        None => Ok(SupportedMint { token_program: *owner, decimals }),
    }
}

/// Whether transfers into this token account require a memo, which a fill does not have. Unreadable data counts as yes.
pub fn requires_memo(token_account: &[u8]) -> bool {
    let requires = |(number, value): &(u16, &[u8])| *number == MEMO_TRANSFER && value.first() != Some(&0);
    extensions(token_account).is_none_or(|found| found.iter().any(requires))
}

/// Which of the listed tokens may be swapped, as last read from the chain.
#[derive(Debug)]
pub struct CachedMints {
    /// With their decimals in the catalog.
    listed: Vec<(TokenId, Address, u8)>,
    known: RwLock<HashMap<TokenId, Result<SupportedMint, MintError>>>,
}

impl CachedMints {
    /// Nothing is known before the first [`Self::refresh`]. SOL and tokens of other chains are left out.
    pub fn new(listed: impl IntoIterator<Item = (TokenId, u8)>) -> Self {
        let mint = |(token, decimals): (TokenId, u8)| match token.address() {
            AnyAddress::Solana(bytes) if !token.is_native() => Some((token, Address::from(bytes), decimals)),
            _ => None,
        };
        Self { listed: listed.into_iter().filter_map(mint).collect(), known: RwLock::default() }
    }

    /// Reads every listed mint.
    pub async fn refresh(&self, rpc: &SolanaRpc) -> Result<(), ChainError> {
        let mints: Vec<Address> = self.listed.iter().map(|(_, mint, _)| *mint).collect();
        let accounts = rpc.accounts(&mints, Commitment::Finalized, None).await?.value;
        let checked = self.listed.iter().zip(accounts).map(|((token, _, listed), account)| {
            let plain = account.as_ref().ok_or(MintError::Missing).and_then(check_mint);
            let plain = plain.and_then(|plain| match plain.decimals {
                on_chain if on_chain != *listed => Err(MintError::Decimals { on_chain, listed: *listed }),
                _ => Ok(plain),
            });
            (*token, plain)
        });
        *self.known.write() = checked.collect();
        Ok(())
    }

    /// Refreshes periodically until the future is dropped. The last result is kept while the chain is unavailable.
    pub async fn run(&self, rpc: &SolanaRpc, every: Duration) {
        loop {
            if let Err(error) = self.refresh(rpc).await {
                tracing::warn!(%error, "Solana mints unavailable");
            }
            tokio::time::sleep(every).await;
        }
    }

    /// The mint, if it may be swapped.
    pub fn supported(&self, token: &TokenId) -> Result<SupportedMint, MintError> {
        let known = self.known.read();
        known.get(token).cloned().unwrap_or(Err(MintError::NotChecked))
    }

    /// Why the token cannot be swapped; `None` if it can, and for SOL and tokens of other chains.
    pub fn error_for(&self, token: &TokenId) -> Option<MintError> {
        let is_mint = !token.is_native() && matches!(token.address(), AnyAddress::Solana(_));
        self.supported(token).err().filter(|_| is_mint)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mint(owner: Address, extensions: &[(u16, usize)]) -> Account {
        let mut data = vec![0; MINT_LENGTH];
        data[DECIMALS_AT] = 6;
        data[INITIALIZED_AT] = 1;
        if !extensions.is_empty() {
            data.resize(KIND_AT, 0);
            data.push(KIND_MINT);
        }
        for (number, length) in extensions {
            data.extend(number.to_le_bytes());
            data.extend(u16::try_from(*length).unwrap().to_le_bytes());
            data.extend(vec![0; *length]);
        }
        Account { owner, lamports: 1, data, executable: false }
    }

    #[test]
    fn rule_20_mints_of_both_programs_with_metadata_and_groups_alone_may_be_swapped() {
        let plain = |token_program| Ok(SupportedMint { token_program, decimals: 6 });
        assert_eq!(check_mint(&mint(TOKEN_PROGRAM, &[])), plain(TOKEN_PROGRAM));
        let harmless: Vec<(u16, usize)> = (18..=23).map(|number| (number, 64)).collect();
        assert_eq!(check_mint(&mint(TOKEN_2022_PROGRAM, &harmless)), plain(TOKEN_2022_PROGRAM));
    }

    #[test]
    fn rule_20_every_other_extension_is_refused_with_reason() {
        for number in (1..=17).chain(24..=40) {
            let refused = check_mint(&mint(TOKEN_2022_PROGRAM, &[(18, 64), (number, 8)]));
            assert_eq!(refused, Err(MintError::Extension(number)));
            assert!(refused.unwrap_err().to_string().contains("it"), "{number}");
        }
        assert_eq!(MintError::Extension(1).to_string(), "it takes a fee of every transfer");
        assert_eq!(MintError::Extension(6).to_string(), "new accounts of it begin frozen");
        assert_eq!(MintError::Extension(14).to_string(), "every transfer of it calls another program");
    }

    #[test]
    fn account_that_is_not_a_mint_is_refused() {
        assert_eq!(check_mint(&mint(Address::new_from_array([7; 32]), &[])), Err(MintError::NotAMint));
        let mut unborn = mint(TOKEN_PROGRAM, &[]);
        unborn.data[INITIALIZED_AT] = 0;
        assert_eq!(check_mint(&unborn), Err(MintError::NotAMint));
        let mut account = mint(TOKEN_2022_PROGRAM, &[(18, 64)]);
        account.data[KIND_AT] = 2;
        assert_eq!(check_mint(&account), Err(MintError::NotAMint));
        let mut short = mint(TOKEN_2022_PROGRAM, &[(18, 64)]);
        short.data.truncate(200);
        assert_eq!(check_mint(&short), Err(MintError::Malformed));
    }

    #[test]
    fn rule_20_token_accounts_that_require_a_memo_are_detected() {
        let account = |extension: &[u8]| {
            let mut data = vec![0; KIND_AT];
            data.push(2);
            data.extend(extension);
            data
        };
        assert!(requires_memo(&account(&[7, 0, 0, 0, 8, 0, 1, 0, 1])));
        assert!(!requires_memo(&account(&[7, 0, 0, 0, 8, 0, 1, 0, 0])));
        assert!(!requires_memo(&[0; 165]));
        assert!(requires_memo(&account(&[7, 0, 9, 0])), "what cannot be read");
    }

    proptest! {
        #[test]
        fn any_data_is_checked_without_panic(data in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = (check_mint(&Account { data: data.clone(), ..mint(TOKEN_2022_PROGRAM, &[]) }), requires_memo(&data));
        }
    }
}
