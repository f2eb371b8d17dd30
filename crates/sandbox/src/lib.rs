#![doc = include_str!("../README.md")]

pub mod evm;
mod faucet;
pub mod genesis;
mod http;
pub mod jsonrpc;
mod sandbox;
pub mod solana;

pub use http::routes;
pub use sandbox::{ChainSpec, Sandbox, SandboxError, SandboxOptions, TokenSpec};
