//! Fillers: their records, reservations and losses.

pub(crate) mod claim_batches;
mod filler_records;
mod losses;
pub(crate) mod outflows;
pub(crate) mod reservations;
pub(crate) mod reserve;
