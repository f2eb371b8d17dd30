//! Operating the service: audit log, pauses, order review, backup and retention.

mod audit;
pub(crate) mod backup;
mod pauses;
pub(crate) mod prune;
pub(crate) mod review;
