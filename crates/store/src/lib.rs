#![doc = include_str!("../README.md")]

#[macro_use]
mod engine;

mod add_attempt;
mod add_route;
mod backup;
mod claim_due;
mod create_order;
mod end_outgoing;
mod fault;
mod forget_chains;
mod job;
mod location;
mod migrate;
mod options;
mod orders;
mod outbox;
mod postgres;
mod prune;
mod put_outgoing;
mod put_quote;
mod quotes;
mod record;
mod reservations;
mod reserve;
mod sqlite;
mod store;
mod update_order;
mod writer;

pub use backup::{BackupError, backup};
pub use location::{AddressError, Location, PostgresUrl};
pub use options::Options;
pub use store::{OpenError, Store};
