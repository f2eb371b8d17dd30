//! The attester's view of Solana: a quorum of endpoints must agree.

mod agree;
mod view;

pub use view::{SolanaView, SolanaViewConfig};
