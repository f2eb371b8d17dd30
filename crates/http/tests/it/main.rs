//! Tests of the router through HTTP requests, with the real catalog and fake stores.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking, in its helpers too"
)]

mod admission;
mod api_keys;
mod attestations;
mod connections;
mod deposit_builder;
mod deposits;
mod fiat;
mod filler;
mod idempotency;
mod intents;
mod openapi;
mod operator;
mod operator_services;
mod orders;
mod purchases;
mod qr;
mod quotes;
mod responses;
mod service;
mod solana;
mod webhooks;
