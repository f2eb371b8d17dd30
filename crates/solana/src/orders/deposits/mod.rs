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

pub(super) use broadcast::broadcast;
pub use builder::SolanaDepositBuilder;
pub(super) use observe_deposit::NOT_A_SIGNATURE;
#[cfg(any(test, fuzzing))]
pub(crate) use signed::check_signed_deposit;
pub(super) use signed::read as read_message;
pub(crate) use signed::split as split_transaction;
pub(super) use wallet_action::{network_fee, priority_price, with_margin};
pub use watch::SolanaAddressWatch;
