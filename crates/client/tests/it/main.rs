//! The SDK against a server that misbehaves on purpose, by a table that every SDK can run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking, in its helpers too"
)]

mod call;
mod cases;
mod drop;
mod execute;
mod lies;
mod server;
mod solana;
mod table;
mod wallet;
