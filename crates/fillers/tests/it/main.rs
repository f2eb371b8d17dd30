#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails by panicking")]

mod book;
mod executor;
mod fixture;
mod limits;
mod offers;
mod oif;
mod providers;
mod remote;
