//! What an attester needs of Solana: a view through endpoints that must agree.

mod agree;
mod view;

pub use view::{SolanaView, SolanaViewConfig};
