#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails by panicking")]

mod address_watch;
mod agreement;
mod attester_view;
mod authorizations;
mod balances;
mod block_follower;
mod cached_feeds;
mod chainlink;
mod deposit_kit;
mod deposits;
mod endpoints;
mod fake;
mod forwarding_orders;
mod inspect_tx;
mod order_follower;
mod orders_chain;
mod payouts;
mod permits;
mod registered;
mod sender;
mod token_permits;
mod tx_sender;
mod verify;
mod wallet;
