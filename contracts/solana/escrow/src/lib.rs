//! Holds deposits on Solana until their fill is shown, or gives them back; delivers orders of other chains.
//!
//! The first byte of an instruction names it; `README.md` of this workspace has the accounts and the data of each. Nobody
//! owns the program's accounts and nothing in them changes but by these instructions.
#![no_std]
// The program lives on the chain only: elsewhere there is nothing to build.
#![cfg(target_arch = "bpf")]

mod address;
mod attesters;
mod chain;
mod claim;
mod claim_batch;
mod close;
mod deposit;
mod digest;
mod error;
mod fill;
mod jump;
mod open;
mod payout;
mod rate;
mod refund;
mod state;
mod system;
mod terms;
mod token;

use pinocchio::error::ProgramError;
use pinocchio::{AccountView, Address, ProgramResult, no_allocator, nostd_panic_handler, program_entrypoint};

use crate::error::EscrowError;

// As many accounts as a transaction can lock.
program_entrypoint!(process, 64);
no_allocator!();
nostd_panic_handler!();

fn process(program: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let (tag, data) = data.split_first().ok_or(EscrowError::UnknownInstruction)?;
    let call = Call { program, accounts, data };
    let done = match tag {
        0 => attesters::init(&call),
        1 => attesters::hand_over(&call),
        2 => attesters::resign(&call),
        3 => attesters::pause(&call),
        4 => open::open(&call),
        5 => deposit::sweep(&call),
        6 => deposit::give_back(&call),
        7 => fill::fill(&call),
        8 => claim::claim(&call),
        9 => refund::refund(&call),
        10 => refund::refund_unfilled(&call),
        11 => refund::refund_to(&call),
        12 => close::close_order(&call),
        13 => close::close_fill(&call),
        14 => jump::jump(&call),
        15 => jump::give_back_jump(&call),
        16 => claim_batch::claim_batch(&call),
        _ => Err(EscrowError::UnknownInstruction),
    };
    // The runtime itself ends the transaction when a program that is called from here refuses.
    done.map_err(ProgramError::from)
}

/// One instruction as it came in.
pub struct Call<'a> {
    pub program: &'a Address,
    pub accounts: &'a [AccountView],
    pub data: &'a [u8],
}

impl Call<'_> {
    pub fn account(&self, at: usize) -> Result<AccountView, EscrowError> {
        self.accounts.get(at).copied().ok_or(EscrowError::MissingAccount)
    }

    /// An account whose holder agreed to this transaction and pays for something in it.
    pub fn signer(&self, at: usize) -> Result<AccountView, EscrowError> {
        let account = self.account(at)?;
        if !account.is_signer() {
            return Err(EscrowError::NotSigner);
        }
        writable(account)
    }

    pub fn writable(&self, at: usize) -> Result<AccountView, EscrowError> {
        writable(self.account(at)?)
    }
}

fn writable(account: AccountView) -> Result<AccountView, EscrowError> {
    if account.is_writable() { Ok(account) } else { Err(EscrowError::NotWritable) }
}
