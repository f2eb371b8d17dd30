//! Fillers: their records, reservations and losses.

mod filler_records;
mod losses;
mod outflows;
pub(crate) mod reservations;
pub(crate) mod reserve;
