#![doc = include_str!("../README.md")]

mod account;
mod account_key;
pub mod attest;
mod balances;
mod commitment;
mod config;
mod error;
mod extensions;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod gas_feed;
mod history;
mod key;
pub mod orders;
mod own_balances;
pub mod program;
mod rpc;
mod slots;
mod token_account;
mod transaction;

pub use causeway_jsonrpc_client::{EndpointStatus, PoolConfig, RpcUrl, RpcUrlError, SetupError};

pub use account::Account;
pub use account_key::{AccountKeyError, SolanaAccountKey};
pub use commitment::{AtSlot, Commitment};
pub use config::{MAINNET_GENESIS, RpcConfig};
pub use error::RpcError;
pub use gas_feed::CachedFees;
pub use history::{HistoryCursor, Mention};
pub use key::SolanaKey;
pub use own_balances::OwnBalances;
pub use rpc::SolanaRpc;
pub use slots::Heads;
pub use token_account::{
    NotATokenAccount, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, TokenAccount, TokenAccountState,
};
pub use transaction::{
    BuildError, Decision, Landing, MAX_TRANSACTION_BYTES, Observation, RecentBlockhash, SendError,
    SignatureStatus, SignedError, SignedTransaction, Simulation, UnsignedTransaction, compute_unit_limit,
    compute_unit_price, decide,
};
