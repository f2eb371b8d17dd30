//! What the exchange asks of the token programs. They check accounts, owners and amounts themselves.

use pinocchio::cpi::{Signer, invoke_signed};
use pinocchio::instruction::{InstructionAccount, InstructionView};
use pinocchio::{AccountView, ProgramResult};

use crate::error::ExchangeError;

const TRANSFER: u8 = 3;
const APPROVE: u8 = 4;
const TRANSFER_CHECKED: u8 = 12;
/// Where a mint has its decimals.
const DECIMALS_AT: usize = 44;

/// A transfer that names the mint and its decimals.
pub struct Transfer<'a> {
    pub program: &'a AccountView,
    pub mint: &'a AccountView,
    pub from: &'a AccountView,
    pub to: &'a AccountView,
    pub authority: &'a AccountView,
    pub amount: u64,
}

impl Transfer<'_> {
    #[inline(never)]
    pub fn send(&self, signers: &[Signer]) -> ProgramResult {
        let mut data = [0; 10];
        data[0] = TRANSFER_CHECKED;
        data[1..9].copy_from_slice(&self.amount.to_le_bytes());
        data[9] = decimals(self.mint)?;
        let accounts = [
            InstructionAccount::writable(self.from.address()),
            InstructionAccount::readonly(self.mint.address()),
            InstructionAccount::writable(self.to.address()),
            InstructionAccount::readonly_signer(self.authority.address()),
        ];
        let instruction =
            InstructionView { program_id: self.program.address(), accounts: &accounts, data: &data };
        invoke_signed(&instruction, &[self.from, self.mint, self.to, self.authority], signers)
    }
}

/// Lets `delegate` spend everything that `account` holds or ever will.
pub fn approve_all(
    program: &AccountView,
    account: &AccountView,
    delegate: &AccountView,
    owner: &AccountView,
) -> ProgramResult {
    let mut data = [u8::MAX; 9];
    data[0] = APPROVE;
    let accounts = [
        InstructionAccount::writable(account.address()),
        InstructionAccount::readonly(delegate.address()),
        InstructionAccount::readonly_signer(owner.address()),
    ];
    let instruction = InstructionView { program_id: program.address(), accounts: &accounts, data: &data };
    invoke_signed(&instruction, &[account, delegate, owner], &[])
}

/// A transfer that does not name its mint.
pub fn transfer_unchecked(
    program: &AccountView,
    [from, to, owner]: [&AccountView; 3],
    amount: u64,
) -> ProgramResult {
    let mut data = [0; 9];
    data[0] = TRANSFER;
    data[1..].copy_from_slice(&amount.to_le_bytes());
    let accounts = [
        InstructionAccount::writable(from.address()),
        InstructionAccount::writable(to.address()),
        InstructionAccount::readonly_signer(owner.address()),
    ];
    let instruction = InstructionView { program_id: program.address(), accounts: &accounts, data: &data };
    invoke_signed(&instruction, &[from, to, owner], &[])
}

fn decimals(mint: &AccountView) -> Result<u8, ExchangeError> {
    let data = mint.try_borrow().map_err(|_| ExchangeError::BadMint)?;
    data.get(DECIMALS_AT).copied().ok_or(ExchangeError::BadMint)
}
