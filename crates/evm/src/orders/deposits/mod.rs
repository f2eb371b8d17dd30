//! Deposits on one chain: what a wallet must send, and how the service recognises it.

mod actions;
mod approvals;
mod builder;
mod holdings;
mod inspect_tx;
mod payment;
mod permit;
mod provider;
mod refund;
mod rejection;
mod signed;
mod simulate;
mod typed_data;
mod watch;

pub use builder::EvmDepositBuilder;
pub use provider::EvmProviderPayments;
pub use watch::EvmAddressWatch;
