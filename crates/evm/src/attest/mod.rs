//! An attester's view of an EVM chain, through endpoints that must agree, and its key.

mod agree;
mod finality;
mod find_fill;
mod registry;
mod scan;
mod sign;
mod view;

pub use finality::AttestFinality;
pub use registry::EvmAttesterRegistry;
pub(crate) use scan::opened;
pub use sign::EvmVerifier;
pub(crate) use sign::signing_error;
pub(crate) use view::evm_address;
pub use view::{EvmView, ViewConfig};
