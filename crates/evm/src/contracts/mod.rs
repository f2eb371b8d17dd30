//! ABI bindings and bytecode of our contracts.

mod abi;
mod code;
mod convert;
#[cfg(test)]
mod digest;
mod errors;

pub use abi::{
    AttesterRegistry, DepositFactory, Escrow, IntentBook, Jump, Order, Settler, TokenPermit, Vault,
    VaultFactory, erc7683,
};
pub use causeway_domain::Attestation;
pub use code::Code;
pub use convert::{gasless_envelope, onchain_envelope};
pub(crate) use errors::describe_error;
