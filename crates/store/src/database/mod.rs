//! The two engines: connections, dialect, migrations, and the writer that commits in groups.

#[macro_use]
pub(crate) mod engine;

pub(crate) mod batch_order;
pub(crate) mod claim_due;
pub(crate) mod error;
pub(crate) mod location;
pub(crate) mod migrate;
pub(crate) mod options;
pub(crate) mod postgres;
pub(crate) mod primary;
pub(crate) mod readers;
pub(crate) mod sqlite;
pub(crate) mod write_op;
pub(crate) mod writer;
