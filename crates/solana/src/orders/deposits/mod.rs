//! Deposits on Solana: what a wallet is asked to sign, and how what it did is recognised.

mod balance_change;
mod broadcast;
mod builder;
mod difference;
mod holdings;
mod observe_deposit;
mod payment;
mod signed;
mod wallet_action;
mod watch;

pub use builder::SolanaDepositBuilder;
#[cfg(any(test, fuzzing))]
pub(crate) use signed::{check_signed_deposit, split as split_transaction};
pub use watch::SolanaAddressWatch;
