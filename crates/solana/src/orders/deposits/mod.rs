//! Deposits on Solana: what a wallet is asked to sign, and how what it did is recognised.

mod actions;
mod bring;
mod desk;
mod differ;
mod holdings;
mod look;
mod moved;
mod payment;
mod signed;
mod watch;

pub use desk::SolanaDesk;
pub use watch::SolanaAddressWatch;
