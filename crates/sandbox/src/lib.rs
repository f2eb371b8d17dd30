#![doc = include_str!("../README.md")]

pub mod evm;
mod faucet;
mod fees;
pub mod genesis;
mod http;
pub mod jsonrpc;
mod lies;
mod sandbox;
pub mod solana;

pub use fees::FeeModel;
pub use http::routes;
pub use lies::{InventedCall, InventedLog, InventedTransaction, Lies};
pub use sandbox::{ChainSpec, Sandbox, SandboxError, SandboxOptions, TokenSpec};
