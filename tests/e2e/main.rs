//! End to end: the real binary, started as a stranger would start it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking, in its helpers too"
)]

mod api;
mod api_keys;
mod attester;
mod cli;
mod client;
mod contracts;
mod crate_graph;
mod drills;
mod fiat;
mod kill;
mod liquidity;
mod operations;
mod orders;
mod prices;
mod production;
mod purchases;
mod quotes;
mod remote_fillers;
mod sandbox;
mod screening;
mod sending;
mod service;
mod set_up;
mod shutdown;
mod signers;
mod traces;
mod walk;
/// What a wallet signs, by the text of EIP-712 and nothing of ours.
#[path = "../../crates/evm/tests/it/wallet.rs"]
mod wallet;
mod webhooks;
