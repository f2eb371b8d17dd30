//! End to end: the real binary, started as a stranger would start it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking, in its helpers too"
)]

mod api;
mod attester;
mod cli;
mod contracts;
mod house_plan;
mod kill;
mod quotes;
mod sandbox;
mod sending;
mod service;
mod shutdown;
