#![doc = include_str!("../README.md")]

#[macro_use]
mod from_row;
#[macro_use]
mod database;

mod chains;
mod fiat;
mod fillers;
mod operations;
mod orders;
mod outbox;
mod record;
mod store;
mod webhooks;

pub use database::location::{AddressError, Location, PostgresUrl};
pub use database::options::Options;
pub use operations::backup::{BackupError, backup};
pub use operations::inspect::{SchemaVersion, inspect};
pub use operations::key_fingerprints::KeyClaim;
pub use store::{OpenError, Store};
