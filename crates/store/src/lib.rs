#![doc = include_str!("../README.md")]

#[macro_use]
mod engine;

mod add_attempt;
mod add_route;
mod audit;
mod backup;
mod claim_due;
mod create_order;
mod drop_batches;
mod drop_unused;
mod end_outgoing;
mod event_log;
mod facts;
mod fault;
mod fiat;
mod filler_records;
mod find_orders;
mod forget_chains;
mod intent_book;
mod job;
mod list_orders;
mod location;
mod losses;
mod migrate;
mod options;
mod orders;
mod outbox;
mod own_rows;
mod own_window;
mod pauses;
mod postgres;
mod prune;
mod put_outgoing;
mod put_quote;
mod quote_batches;
mod quotes;
mod ramp_tokens;
mod record;
mod record_arrival;
mod record_facts;
mod recovery;
mod rents;
mod reservations;
mod reserve;
mod review;
mod sqlite;
mod store;
mod update_order;
mod webhooks;
mod writer;

pub use backup::{BackupError, backup};
pub use location::{AddressError, Location, PostgresUrl};
pub use options::Options;
pub use store::{OpenError, Store};
