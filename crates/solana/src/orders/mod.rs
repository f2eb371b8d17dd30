//! Orders on Solana: initializing the program, deposits, address watching, sending and following transactions.

mod closed;
mod confirm;
mod deploy;
mod deposits;
mod escrow_transactions;
mod facts;
mod follow;
mod forwarding_signer;
mod instruction_plan;
mod listing;
mod mint;
mod on_chain_status;
mod outbox_attempt;
mod payouts;
mod providers;
mod record;
mod rents;
mod tx_sender;
mod unsupported_tokens;
mod verify;
mod wallets;

pub(crate) use closed::OpenedOrders;
pub use deploy::{DeployError, FirstEpoch, ensure_program, find_program};
pub use deposits::{SolanaAddressWatch, SolanaDepositBuilder};
#[cfg(any(test, fuzzing))]
pub(crate) use deposits::{check_signed_deposit, split_transaction};
#[cfg(any(test, fuzzing))]
pub(crate) use escrow_transactions::read_answer;
pub(crate) use facts::{facts, read_fill_marker, read_order_account};
pub use follow::{SolanaFollowConfig, SolanaOrderFollower};
pub use forwarding_signer::SolanaForwardingSigner;
pub use mint::{CachedMints, MintError, SupportedMint, check_mint, requires_memo};
pub use payouts::SolanaPayoutWatch;
pub use providers::SolanaProviderPayments;
pub use record::SolanaChainHistory;
pub use rents::SolanaRentReader;
pub use tx_sender::{SolanaSendConfig, SolanaTxSender, max_fees};
pub use verify::{ExpectedProgram, VerifyProgramError, verify_program};
pub use wallets::SolanaWalletCheck;
