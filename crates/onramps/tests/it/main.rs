#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails by panicking")]

mod answering;
mod banxa;
mod coinbase;
mod conformance;
mod fixture;
mod inbox;
mod moonpay;
mod paying;
mod providers;
mod restarting;
mod switching;
mod transak;
mod transport;
