#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails by panicking")]

mod attesting;
mod balances;
mod endpoints;
mod fake;
mod feeds;
mod following;
mod outbox;
mod sending;
