//! Deposits of one chain: what a wallet is asked to do, and how what it did is recognised.

mod actions;
mod approvals;
mod desk;
mod holdings;
mod look;
mod payment;
mod permit;
mod rehearse;
mod signed;
mod typed_data;
mod watch;
mod words;

pub use desk::EvmDesk;
pub use watch::EvmAddressWatch;
