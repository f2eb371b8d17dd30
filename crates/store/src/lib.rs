#![doc = include_str!("../README.md")]

#[macro_use]
mod engine;

mod add_route;
mod backup;
mod claim_due;
mod create_order;
mod fault;
mod job;
mod location;
mod migrate;
mod options;
mod orders;
mod postgres;
mod prune;
mod put_quote;
mod quotes;
mod record;
mod sqlite;
mod store;
mod update_order;
mod writer;

pub use backup::{BackupError, backup};
pub use location::{AddressError, Location, PostgresUrl};
pub use options::Options;
pub use store::{OpenError, Store};
