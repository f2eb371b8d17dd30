//! Swap orders on an EVM chain: contract events, deposits and the transactions of a key.

mod allowance;
mod batch_entries;
mod calldata;
mod chain_history;
mod confirm_facts;
mod delivery;
mod deposits;
mod facts;
mod finality;
mod follow;
mod forwarding_orders;
mod intent_book;
mod order_status;
mod payouts;
mod tx_sender;
mod unfinalized;
mod untracked;
mod wallets;

pub use chain_history::EvmChainHistory;
pub use delivery::max_spent;
pub use deposits::{EvmAddressWatch, EvmDepositBuilder, EvmProviderPayments};
#[cfg(any(test, fuzzing))]
pub(crate) use deposits::{Payment, check_signed_deposit, inner_signature, read_signature};
#[cfg(any(test, fuzzing))]
pub(crate) use facts::KnownContracts;
pub use finality::OrderFinality;
pub use follow::{OrderFollowConfig, OrderFollower};
pub use forwarding_orders::EvmForwardingSigner;
pub use intent_book::EvmIntentBook;
pub use payouts::EvmPayoutWatch;
pub use tx_sender::EvmTxSender;
pub use wallets::EvmWalletCheck;
