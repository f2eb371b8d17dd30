//! What our contracts take and tell, and the code that they are made of.

mod abi;
mod code;
mod convert;
#[cfg(test)]
mod digest;
mod words;

pub use abi::{
    AttesterRegistry, DepositFactory, Escrow, IntentBook, Jump, Order, Settler, Vault, VaultFactory, erc7683,
};
pub use causeway_domain::Attestation;
pub use code::Code;
pub use convert::{gasless_envelope, onchain_envelope};
pub(crate) use words::refusal;
