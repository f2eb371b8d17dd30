//! Orders from deposit to completion: the real store, with fake chains, fillers and attesters.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking, in its helpers too"
)]

mod chain_feed;
mod fake_chain;
mod fakes;
mod follow_chain;
mod intent_book;
mod order_processing;
mod order_review;
mod pending_transactions;
mod provider_orders;
mod recovery;
mod refunds;
mod rent_refunds;
mod reputation;
mod returned_balances;
mod sample;
mod scene;
mod watched_addresses;
mod webhook_delivery;
