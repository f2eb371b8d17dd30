//! The router as a client sees it, over a catalog that is real and a store that is not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking, in its helpers too"
)]

mod attestations;
mod deposits;
mod desk;
mod fiat;
mod filler;
mod intents;
mod ledger;
mod office;
mod openapi;
mod operator;
mod orders;
mod qr;
mod quotes;
mod responses;
mod sample;
mod service;
mod solana;
mod webhooks;
