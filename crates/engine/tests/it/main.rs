//! Orders from their deposit to their end: the real store, and made-up chains, fillers and attesters.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking, in its helpers too"
)]

mod fake_chain;
mod fakes;
mod followed;
mod following;
mod giving_back;
mod refunding;
mod sample;
mod scene;
mod tending;
mod watching;
mod working;
