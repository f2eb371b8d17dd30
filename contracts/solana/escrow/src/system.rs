//! Calls of the system program.

use pinocchio::cpi::{Signer, invoke_signed};
use pinocchio::instruction::{InstructionAccount, InstructionView};
use pinocchio::{AccountView, Address};

use crate::address::{Authority, ProgramAddress};
use crate::chain::rent;
use crate::error::EscrowError;

const SYSTEM: Address = Address::new_from_array([0; 32]);

/// Moves lamports out of a wallet or a deposit address.
#[inline(never)]
pub fn transfer(from: &Authority, to: &AccountView, lamports: u64) -> Result<(), EscrowError> {
    let mut data = [0; 12];
    data[0] = 2;
    data[4..].copy_from_slice(&lamports.to_le_bytes());
    let accounts = [
        InstructionAccount::writable_signer(from.account.address()),
        InstructionAccount::writable(to.address()),
    ];
    let instruction = InstructionView { program_id: &SYSTEM, accounts: &accounts, data: &data };
    from.sign(|signers| invoke_signed(&instruction, &[from.account, to], signers))?;
    Ok(())
}

/// Makes an account at an own address. Lamports that somebody sent there before do no harm: the payer adds what is missing.
#[inline(never)]
pub fn create(
    payer: &AccountView,
    account: &AccountView,
    own: &ProgramAddress,
    length: usize,
    owner: &Address,
) -> Result<(), EscrowError> {
    if !account.owned_by(&SYSTEM) || !account.is_data_empty() {
        return Err(EscrowError::AlreadyExists);
    }
    let missing = rent(length)?.saturating_sub(account.lamports());
    if missing != 0 {
        transfer(&Authority { account: payer, own: None }, account, missing)?;
    }
    let mut allocate = [0; 12];
    allocate[0] = 8;
    allocate[4..].copy_from_slice(&(length as u64).to_le_bytes());
    let mut assign = [0; 36];
    assign[0] = 1;
    assign[4..].copy_from_slice(owner.as_array());
    own.sign(|signers| {
        change(account, &allocate, signers)?;
        change(account, &assign, signers)
    })
}

#[inline(always)]
fn change(account: &AccountView, data: &[u8], signers: &[Signer]) -> Result<(), EscrowError> {
    let accounts = [InstructionAccount::writable_signer(account.address())];
    let instruction = InstructionView { program_id: &SYSTEM, accounts: &accounts, data };
    invoke_signed(&instruction, &[account], signers)?;
    Ok(())
}
