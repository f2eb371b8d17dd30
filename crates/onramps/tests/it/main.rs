#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails by panicking")]

mod answering;
mod conformance;
mod inbox;
mod kit;
mod paying;
mod restarting;
mod switching;
