//! The escrow program of `contracts/solana`: addresses, accounts, instructions, digests and errors.

mod account;
mod address;
mod attesters;
mod claim_batch;
mod digest;
mod error;
mod event;
mod forwarding;
mod instruction;
mod pack;
mod settlement;

use solana_address::Address;

pub use account::{
    AttesterConfig, EpochAccount, FillMarker, InvalidAccountData, OrderAccount, OrderStatus, RefundCause,
};
pub(crate) use address::LOADER;
pub use address::{ASSOCIATED_TOKEN_PROGRAM, associated_token_account};
pub use claim_batch::{BatchError, BatchFill, MAX_BATCH_ORDERS};
pub use error::EscrowError;
pub use event::EscrowEvent;
pub use instruction::{Holding, TokenSource};

/// The chain id of Solana in the terms of orders.
pub const SOLANA_CHAIN_ID: u64 = 20_011_000_000;

/// The program's address in the sandbox. Nobody has its key, and a genesis program needs none.
pub const SANDBOX_PROGRAM: Address = Address::from_str_const("CausewayEscrow11111111111111111111111111111");

/// The upper bound of any instruction with eight signatures and the costliest address derivation.
pub const MAX_INSTRUCTION_COMPUTE_UNITS: u32 = 400_000;

/// The escrow program at its address on one cluster. In the terms of orders that address is escrow and settler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EscrowProgram {
    pub id: Address,
}

impl EscrowProgram {
    pub const fn new(id: Address) -> Self {
        Self { id }
    }
}
