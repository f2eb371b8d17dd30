#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails by panicking")]

mod chain_view;
mod crash;
mod fake;
mod http_api;
mod panel_on_sandbox;
mod sandbox_chain;
mod watch;
