//! Orders from their deposit to their end: the real store, and made-up chains, fillers and attesters.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking, in its helpers too"
)]

mod booking;
mod fake_chain;
mod fakes;
mod followed;
mod following;
mod giving_back;
mod recovering;
mod refunding;
mod renting;
mod reputation;
mod reviewing;
mod sample;
mod scene;
mod telling;
mod tending;
mod watching;
mod working;
