//! What an attester needs of an EVM chain: a view through endpoints that must agree, and its key.

mod agree;
mod finality;
mod find_fill;
mod sight;
mod sign;
mod view;

pub use finality::AttestFinality;
pub(crate) use sight::opened;
pub use sign::EvmVerifier;
pub(crate) use view::evm_address;
pub use view::{EvmView, ViewConfig};
