//! Deposits on one chain: what a wallet must send, and how the service recognises it.

mod actions;
mod approvals;
mod builder;
mod erc6492;
mod holdings;
mod inspect_tx;
mod payers;
mod payment;
mod permit;
mod provider;
mod refund;
mod rejection;
mod signed;
mod simulate;
mod token_permit;
mod typed_data;
mod watch;

pub use builder::EvmDepositBuilder;
pub use provider::EvmProviderPayments;
pub use watch::EvmAddressWatch;

pub(super) use erc6492::deployed_signature;
#[cfg(any(test, fuzzing))]
pub(crate) use erc6492::inner_signature;
#[cfg(any(test, fuzzing))]
pub(crate) use payment::Payment;
#[cfg(any(test, fuzzing))]
pub(crate) use permit::read_signature;
#[cfg(any(test, fuzzing))]
pub(crate) use signed::check_signed_deposit;
pub(super) use token_permit::open_with_permit;
