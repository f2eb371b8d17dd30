#![doc = include_str!("../README.md")]

mod agreement;
pub mod attest;
mod balances;
mod blocks;
mod client;
mod config;
mod contract_reader;
pub mod contracts;
mod data_fee;
pub mod deploy;
mod error;
mod fees;
mod finalized;
mod follow;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod gas_ceiling;
mod gas_feed;
mod linea;
mod log_union;
mod multicall;
pub mod orders;
mod own_balances;
mod revert;
mod rpc;
mod send;
mod simulate;
mod ticker;
mod token_domain;
mod token_permit;
mod token_signatures;
mod vault_rates;

pub use causeway_jsonrpc_client::{EndpointConfig, EndpointStatus, Http, PoolConfig, RpcUrl, RpcUrlError};

pub use blocks::{Block, BlockTag, Log, Receipt};
pub use client::EvmClient;
pub use config::{ConfigError, EvmConfig, FeePolicy};
pub use error::CallError;
pub use fees::{FeeHistory, Fees};
pub use follow::{
    AncestorSearch, BlockEvent, BlockRelation, BlockSource, Finality, FollowConfig, Follower, Start, Tracker,
};
pub use gas_ceiling::GasLimits;
pub use gas_feed::CachedGas;
pub use orders::max_spent;
pub use own_balances::OwnBalances;
pub use revert::revert_reason;
pub use rpc::Call;
pub use send::{
    EvmAccountKey, NextStep, SendError, SendPolicy, Sender, SignedTx, Signer, SignerError, TxObservation,
    TxRequest, decide,
};
pub use simulate::Simulation;
pub use token_domain::TokenDomain;
pub use token_signatures::TokenSignatures;
pub use vault_rates::{CachedVaultRates, Vault};
