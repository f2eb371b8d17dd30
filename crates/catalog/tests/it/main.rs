//! The catalog as others use it: over the real data, real files and a real socket.
#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail as loudly as the test")]

mod autocomplete;
mod bundled;
mod lists;
mod server;
