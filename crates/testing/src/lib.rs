//! Fakes and samples for the tests of several crates; a development dependency only.
#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failing fake or sample fails its test"
)]

mod fillers;
mod memory_store;
pub mod sample;
pub mod signers;

pub use fillers::IdleFiller;
pub use memory_store::MemoryStore;
pub use signers::{FakeForwardingSigner, FakeKey};
