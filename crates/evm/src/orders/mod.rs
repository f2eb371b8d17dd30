//! Swap orders on an EVM chain: what its contracts tell, and what a key does there.

mod allowance;
mod calldata;
mod carry;
mod deposits;
mod facts;
mod finality;
mod follow;
mod intent_book;
mod jump_desk;
mod memory;
mod payouts;
mod record;
mod truth;
mod unknown;
mod wallets;

pub use carry::EvmCarrier;
pub use deposits::{EvmAddressWatch, EvmDesk};
pub use finality::OrderFinality;
pub use follow::{OrderFollowConfig, OrderFollower};
pub use intent_book::EvmIntentBook;
pub use jump_desk::EvmJumpDesk;
pub use payouts::EvmPayoutWatch;
pub use record::EvmRecord;
pub use wallets::EvmWalletCheck;
