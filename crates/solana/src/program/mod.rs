//! The escrow program of `contracts/solana`: where its accounts lie, what they say, and how it is asked.

mod account;
mod act;
mod address;
mod attesters;
mod digest;
mod end;
mod instruction;
mod jump;
mod pack;
mod refusal;

use solana_address::Address;

pub use account::{EpochAccount, FillMarker, NotOurs, Office, OrderAccount, OrderStatus, RefundCause};
pub use act::Act;
pub use address::associated_token_account;
pub use instruction::{Holding, TokenSource};
pub use refusal::Refusal;

/// The number that stands for Solana in the terms of orders.
pub const SOLANA_CHAIN_ID: u64 = 20_011_000_000;

/// Where the sandbox puts the program. Nobody has the key of this address, and a program that is there from the beginning
/// needs none.
pub const SANDBOX_PROGRAM: Address = Address::from_str_const("CausewayEscrow11111111111111111111111111111");

/// The compute units that no instruction of the program exceeds with eight signatures and the unluckiest addresses.
pub const MOST_COMPUTE_UNITS: u32 = 400_000;

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
