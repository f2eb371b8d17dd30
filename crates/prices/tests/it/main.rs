#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails by panicking")]

//! The HTTP sources against a server that answers as they document, and as they should not.

mod coingecko;
mod median;
mod pyth;
mod server;
