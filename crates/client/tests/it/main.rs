//! Tests of the SDK against a misbehaving server, by a table that every SDK runs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking, in its helpers too"
)]

mod addresses;
mod call;
mod cases;
mod drop;
mod execute;
mod lies;
mod server;
mod simulation;
mod solana;
mod table;
mod wallet;
