#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set itself up may panic")]

mod balances;
mod deposits;
mod failover;
mod fake;
mod landing;
mod orders;
mod play;
mod program;
mod reading;
mod signing;
