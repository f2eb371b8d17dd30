//! The two token programs: what a mint and a token account must look like, and moving tokens.

use pinocchio::cpi::invoke_signed;
use pinocchio::instruction::{InstructionAccount, InstructionView};
use pinocchio::{AccountView, Address};

use crate::address::Authority;
use crate::error::EscrowError;
use crate::state::{number, word};
use crate::terms::Word;

const TOKEN: Address = Address::new_from_array([
    6, 221, 246, 225, 215, 101, 161, 147, 217, 203, 225, 70, 206, 235, 121, 172, 28, 180, 133, 237, 95, 91,
    55, 145, 58, 140, 245, 133, 126, 255, 0, 169,
]);
const TOKEN_2022: Address = Address::new_from_array([
    6, 221, 246, 225, 238, 117, 143, 222, 24, 66, 93, 188, 228, 108, 205, 218, 182, 26, 252, 77, 131, 185,
    13, 39, 254, 189, 249, 40, 216, 161, 139, 252,
]);

/// A token account without extensions.
pub const ACCOUNT_LENGTH: usize = 165;
const MINT_LENGTH: usize = 82;
/// A group of signers looks like nothing else, by its length alone.
const MULTISIG_LENGTH: usize = 355;
/// With extensions, the byte past the length of a plain account says what it is.
const KIND_AT: usize = 165;
const KIND_MINT: u8 = 1;
const KIND_ACCOUNT: u8 = 2;
const FIRST_EXTENSION: usize = 166;

/// Metadata and groups, which leave transfers alone.
const ALLOWED_EXTENSIONS: core::ops::RangeInclusive<u16> = 18..=23;
const MEMO_TRANSFER: u16 = 8;

/// A mint and the program it belongs to.
#[derive(Clone, Copy)]
pub struct Mint {
    pub account: AccountView,
    pub program: AccountView,
    decimals: u8,
}

impl Mint {
    /// Makes sure that `account` is a mint of `program`, and that `program` is one of the two.
    pub fn of(account: AccountView, program: AccountView) -> Result<Self, EscrowError> {
        if *program.address() != TOKEN && *program.address() != TOKEN_2022 {
            return Err(EscrowError::WrongTokenProgram);
        }
        if !account.owned_by(program.address()) {
            return Err(EscrowError::WrongTokenProgram);
        }
        let data = account.try_borrow().map_err(|_| EscrowError::WrongMint)?;
        let fits = data.len() == MINT_LENGTH || has_kind(&data, KIND_MINT);
        if !fits || data[45] != 1 {
            return Err(EscrowError::WrongMint);
        }
        let decimals = data[44];
        drop(data);
        Ok(Self { account, program, decimals })
    }

    /// The same, for the mint that the terms name.
    pub fn named(wanted: &Word, account: AccountView, program: AccountView) -> Result<Self, EscrowError> {
        if account.address().as_array() != wanted {
            return Err(EscrowError::WrongMint);
        }
        Self::of(account, program)
    }

    /// Refuses mints whose transfers cost, call, confide, expire or can be undone.
    pub fn check_plain(&self) -> Result<(), EscrowError> {
        let data = self.account.try_borrow().map_err(|_| EscrowError::WrongMint)?;
        if data.len() == MINT_LENGTH {
            return Ok(());
        }
        each_extension(&data, |kind, _| {
            if ALLOWED_EXTENSIONS.contains(&kind) { Ok(()) } else { Err(EscrowError::MintExtension) }
        })
    }

    /// What `account` holds, once it is sure that it is `owner`'s, of this mint, and not frozen.
    pub fn holding(&self, account: &AccountView, owner: &Word) -> Result<u64, EscrowError> {
        let (amount, holder) = self.read(account)?;
        if holder == *owner { Ok(amount) } else { Err(EscrowError::BadTokenAccount) }
    }

    /// What `account` holds and whose it is.
    pub fn read(&self, account: &AccountView) -> Result<(u64, Word), EscrowError> {
        if !account.owned_by(self.program.address()) {
            return Err(EscrowError::BadTokenAccount);
        }
        let data = account.try_borrow().map_err(|_| EscrowError::BadTokenAccount)?;
        let fits = data.len() == ACCOUNT_LENGTH || has_kind(&data, KIND_ACCOUNT);
        if !fits || word(&data, 0) != *self.account.address().as_array() {
            return Err(EscrowError::BadTokenAccount);
        }
        match data[108] {
            1 => {}
            2 => return Err(EscrowError::FrozenAccount),
            _ => return Err(EscrowError::BadTokenAccount),
        }
        Ok((number(&data, 64), word(&data, 32)))
    }

    #[inline(never)]
    pub fn transfer(
        &self,
        from: &AccountView,
        to: &AccountView,
        amount: u64,
        authority: &Authority,
    ) -> Result<(), EscrowError> {
        let mut data = [0; 10];
        data[0] = 12;
        data[1..9].copy_from_slice(&amount.to_le_bytes());
        data[9] = self.decimals;
        let accounts = [
            InstructionAccount::writable(from.address()),
            InstructionAccount::readonly(self.account.address()),
            InstructionAccount::writable(to.address()),
            InstructionAccount::readonly_signer(authority.account.address()),
        ];
        let instruction =
            InstructionView { program_id: self.program.address(), accounts: &accounts, data: &data };
        let views = [from, &self.account, to, authority.account];
        authority.sign(|signers| invoke_signed(&instruction, &views, signers))?;
        Ok(())
    }

    /// Makes a fresh account of the token program one that holds this mint for `owner`.
    pub fn initialize(&self, account: &AccountView, owner: &Address) -> Result<(), EscrowError> {
        let mut data = [0; 33];
        data[0] = 18;
        data[1..].copy_from_slice(owner.as_array());
        let accounts = [
            InstructionAccount::writable(account.address()),
            InstructionAccount::readonly(self.account.address()),
        ];
        let instruction =
            InstructionView { program_id: self.program.address(), accounts: &accounts, data: &data };
        invoke_signed(&instruction, &[account, &self.account], &[])?;
        Ok(())
    }

    /// Closes an empty token account; its lamports go to `to`.
    #[inline(never)]
    pub fn close(
        &self,
        account: &AccountView,
        to: &AccountView,
        authority: &Authority,
    ) -> Result<(), EscrowError> {
        let accounts = [
            InstructionAccount::writable(account.address()),
            InstructionAccount::writable(to.address()),
            InstructionAccount::readonly_signer(authority.account.address()),
        ];
        let instruction =
            InstructionView { program_id: self.program.address(), accounts: &accounts, data: &[9] };
        authority.sign(|signers| invoke_signed(&instruction, &[account, to, authority.account], signers))?;
        Ok(())
    }
}

/// Whether transfers into a token account must come with a memo.
pub fn wants_memo(account: &AccountView) -> Result<bool, EscrowError> {
    let data = account.try_borrow().map_err(|_| EscrowError::BadTokenAccount)?;
    if data.len() == ACCOUNT_LENGTH {
        return Ok(false);
    }
    let mut wants = false;
    each_extension(&data, |kind, value| {
        wants |= kind == MEMO_TRANSFER && value.first() != Some(&0);
        Ok(())
    })?;
    Ok(wants)
}

fn has_kind(data: &[u8], kind: u8) -> bool {
    data.len() > KIND_AT && data.len() != MULTISIG_LENGTH && data[KIND_AT] == kind
}

/// Walks the extensions: two bytes of kind, two of length, then the content. Kind zero is unused room at the end.
fn each_extension(
    data: &[u8],
    mut f: impl FnMut(u16, &[u8]) -> Result<(), EscrowError>,
) -> Result<(), EscrowError> {
    let mut rest = data.get(FIRST_EXTENSION..).unwrap_or_default();
    while let Some((&[kind_low, kind_high, length_low, length_high], after)) = rest.split_first_chunk::<4>() {
        let kind = u16::from_le_bytes([kind_low, kind_high]);
        if kind == 0 {
            return Ok(());
        }
        let length = usize::from(u16::from_le_bytes([length_low, length_high]));
        let (value, after) = after.split_at_checked(length).ok_or(EscrowError::MintExtension)?;
        f(kind, value)?;
        rest = after;
    }
    Ok(())
}
