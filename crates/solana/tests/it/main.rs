#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up may panic")]

mod balances;
mod failover;
mod fake;
mod landing;
mod program;
mod reading;
mod signing;
