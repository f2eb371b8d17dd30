#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails by panicking")]

//! The HTTP sources against a server with documented and faulty responses.

mod coingecko;
mod median;
mod pyth;
mod server;
