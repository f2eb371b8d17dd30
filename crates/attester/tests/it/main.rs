#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails by panicking")]

mod answering;
mod crash;
mod fake;
mod on_chains;
mod play;
mod viewing;
mod watching;
