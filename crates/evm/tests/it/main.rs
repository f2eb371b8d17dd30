#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails by panicking")]

mod attesting;
mod balances;
mod carrying;
mod chainlink;
mod deposits;
mod desk_kit;
mod endpoints;
mod fake;
mod feeds;
mod following;
mod jumping;
mod looking;
mod order_news;
mod orders_chain;
mod outbox;
mod paying_out;
mod permits;
mod sending;
mod wallet;
mod watching;
