#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set itself up may panic")]

mod balances;
mod deposits;
mod failover;
mod fake_node;
mod landing;
mod orders;
mod program;
mod reading;
mod sandbox_chain;
mod signing;
