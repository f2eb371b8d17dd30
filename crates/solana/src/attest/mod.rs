//! The attester's view of Solana: a quorum of endpoints must agree.

mod agree;
mod registry;
mod view;

pub use registry::SolanaAttesterRegistry;
pub use view::{SolanaView, SolanaViewConfig};
