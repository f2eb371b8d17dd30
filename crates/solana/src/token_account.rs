use solana_address::Address;
use thiserror::Error;

/// The original token program.
pub const TOKEN_PROGRAM: Address = Address::from_str_const("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
/// The token program with extensions.
pub const TOKEN_2022_PROGRAM: Address =
    Address::from_str_const("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb");

/// The length of a token account without extensions; with extensions, the account type byte follows.
pub(crate) const BASE_LENGTH: usize = 165;
const IS_ACCOUNT: u8 = 2;

/// Whether a token account's balance can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenAccountState {
    Uninitialized,
    Initialized,
    Frozen,
}

/// The mint, owner, amount and state of a token account of either token program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenAccount {
    pub mint: Address,
    pub owner: Address,
    pub amount: u64,
    pub state: TokenAccountState,
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the data is not a token account")]
pub struct NotATokenAccount;

impl TokenAccount {
    /// Parses account data and rejects fields that the token programs never write.
    pub fn parse(data: &[u8]) -> Result<Self, NotATokenAccount> {
        let length_fits = data.len() == BASE_LENGTH || data.get(BASE_LENGTH) == Some(&IS_ACCOUNT);
        // The tags of the optional delegate, native reserve and close authority.
        let tags_fit = [72, 109, 129]
            .into_iter()
            .all(|at| bytes::<4>(data, at).is_some_and(|tag| u32::from_le_bytes(tag) <= 1));
        if !length_fits || !tags_fit {
            return Err(NotATokenAccount);
        }
        let address = |at| bytes(data, at).map(Address::new_from_array).ok_or(NotATokenAccount);
        Ok(Self {
            mint: address(0)?,
            owner: address(32)?,
            amount: u64::from_le_bytes(bytes(data, 64).ok_or(NotATokenAccount)?),
            state: match data.get(108) {
                Some(0) => TokenAccountState::Uninitialized,
                Some(1) => TokenAccountState::Initialized,
                Some(2) => TokenAccountState::Frozen,
                _ => return Err(NotATokenAccount),
            },
        })
    }
}

fn bytes<const N: usize>(data: &[u8], at: usize) -> Option<[u8; N]> {
    data.get(at..at + N)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn account(state: u8) -> Vec<u8> {
        let mut data = vec![0; BASE_LENGTH];
        data[..32].fill(7);
        data[32..64].fill(9);
        data[64..72].copy_from_slice(&1_234_567u64.to_le_bytes());
        data[108] = state;
        data
    }

    #[test]
    fn mint_owner_amount_and_state_are_parsed() {
        let read = TokenAccount::parse(&account(1)).unwrap();
        assert_eq!(read.mint, Address::new_from_array([7; 32]));
        assert_eq!(read.owner, Address::new_from_array([9; 32]));
        assert_eq!(read.amount, 1_234_567);
        assert_eq!(read.state, TokenAccountState::Initialized);
        assert_eq!(TokenAccount::parse(&account(2)).unwrap().state, TokenAccountState::Frozen);
        assert_eq!(TokenAccount::parse(&account(3)), Err(NotATokenAccount));
    }

    #[test]
    fn extended_token_account_needs_its_account_type_byte() {
        let mut extended = account(1);
        extended.push(IS_ACCOUNT);
        assert!(TokenAccount::parse(&extended).is_ok());
        extended[BASE_LENGTH] = 1;
        assert_eq!(TokenAccount::parse(&extended), Err(NotATokenAccount), "a mint");
        assert_eq!(TokenAccount::parse(&account(1)[..164]), Err(NotATokenAccount));
    }

    proptest! {
        #[test]
        fn any_data_is_read_or_refused_without_panic(data in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = TokenAccount::parse(&data);
        }
    }
}
