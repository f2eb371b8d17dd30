//! The life of orders on Solana: putting the program into office, making and recognising deposits, watching addresses.

mod carry;
mod closed;
mod deeds;
mod deploy;
mod deposits;
mod facts;
mod follow;
mod jump_desk;
mod mint;
mod oddities;
mod payouts;
mod record;
mod rents;
mod stored;
mod told;
mod truth;
mod wallets;

pub use carry::{SolanaCarrier, SolanaSending};
pub use deploy::{DeployError, FirstEpoch, ensure_program, find_program};
pub use deposits::{SolanaAddressWatch, SolanaDesk};
pub(crate) use facts::{facts, kept_fill, kept_order};
pub use follow::{SolanaFollowConfig, SolanaOrderFollower};
pub use jump_desk::SolanaJumpDesk;
pub use mint::{CachedMints, MintRefusal, PlainMint, check_mint, wants_memo};
pub use payouts::SolanaPayoutWatch;
pub use record::SolanaRecord;
pub use rents::SolanaRents;
pub use wallets::SolanaWalletCheck;
