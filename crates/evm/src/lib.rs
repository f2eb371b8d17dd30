#![doc = include_str!("../README.md")]

mod balances;
mod blocks;
mod client;
mod config;
mod error;
mod fees;
mod follow;
mod multicall;
mod revert;
mod rpc;
mod send;
mod simulate;

pub use blocks::{Block, BlockTag, Log, Receipt};
pub use client::EvmClient;
pub use config::{ConfigError, EndpointConfig, EvmConfig, FeePolicy};
pub use error::CallError;
pub use fees::{FeeHistory, Fees};
pub use follow::{BlockEvent, BlockSource, Finality, FollowConfig, Follower, Offer, Start, Trace, Tracker};
pub use revert::revert_words;
pub use rpc::{Call, EndpointStatus, Http, RpcUrl, RpcUrlError};
pub use send::{Next, Seen, SendError, SendPolicy, Sender, SignedTx, Signer, SignerError, TxRequest, decide};
pub use simulate::Simulation;
