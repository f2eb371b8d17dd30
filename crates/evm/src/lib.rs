#![doc = include_str!("../README.md")]

pub mod attest;
mod balances;
mod blocks;
mod client;
mod config;
mod contract_reader;
pub mod contracts;
pub mod deploy;
mod error;
mod fees;
mod follow;
mod gas_feed;
mod multicall;
pub mod orders;
mod revert;
mod rpc;
mod send;
mod settled;
mod simulate;
mod turns;
mod vault_rates;

pub use blocks::{Block, BlockTag, Log, Receipt};
pub use client::EvmClient;
pub use config::{ConfigError, EndpointConfig, EvmConfig, FeePolicy};
pub use error::CallError;
pub use fees::{FeeHistory, Fees};
pub use follow::{BlockEvent, BlockSource, Finality, FollowConfig, Follower, Offer, Start, Trace, Tracker};
pub use gas_feed::CachedGas;
pub use revert::revert_words;
pub use rpc::{Call, EndpointStatus, Http, RpcUrl, RpcUrlError};
pub use send::{Next, Seen, SendError, SendPolicy, Sender, SignedTx, Signer, SignerError, TxRequest, decide};
pub use simulate::Simulation;
pub use vault_rates::{CachedVaultRates, Vault};
