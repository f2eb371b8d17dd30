//! Operating the service: audit log, pauses, order review, backup and retention.

mod audit;
pub(crate) mod backup;
pub(crate) mod key_fingerprints;
mod pauses;
pub(crate) mod prune;
pub(crate) mod review;
