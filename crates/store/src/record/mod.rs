//! Rows as the engines hold them, and their way into the domain and back.

mod event;
mod order;
mod outgoing;
mod packed;
mod quote;
mod reservation;
mod route;

use std::fmt;
use std::str::FromStr;

use causeway_domain::ports::StoreError;
use causeway_domain::{Address, RowKey, TokenId};
use jiff::Timestamp;

pub(crate) use event::EventRecord;
pub(crate) use order::{ORDER_COLUMNS, OrderRecord};
pub(crate) use outgoing::{
    AttemptRecord, OutgoingKey, OutgoingRows, SENT, SentRecord, chain_number, end_state, gather, read_nonce,
};
pub(crate) use packed::unpack;
pub(crate) use quote::{QuoteRecord, QuoteRows};
pub(crate) use reservation::{HeldRecord, ReservationRecord, TokenHeldRecord, add};
pub(crate) use route::RouteRecord;

/// A value that no version of ours has written there.
fn corrupt(column: &'static str, value: impl fmt::Display) -> StoreError {
    StoreError::Corrupt(format!("{column} holds `{value}`"))
}

pub(crate) fn parse<T: FromStr>(column: &'static str, text: &str) -> Result<T, StoreError> {
    text.parse().map_err(|_| corrupt(column, text))
}

fn parse_with<T>(
    column: &'static str,
    text: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, StoreError> {
    read(text).ok_or_else(|| corrupt(column, text))
}

fn address(column: &'static str, text: &str) -> Result<Address, StoreError> {
    parse_with(column, text, Address::parse_any)
}

/// An address without its checksum, which is a hash to compute and a typing aid that a store has no use for.
struct Plain(Address);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Address::Evm(address) => write!(f, "{address:#x}"),
            Address::Solana(_) => self.0.fmt(f),
        }
    }
}

/// A token whose address is plain.
struct PlainToken(TokenId);

impl fmt::Display for PlainToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.0.chain().caip2(), Plain(self.0.address()))
    }
}

fn time(column: &'static str, millis: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(millis).map_err(|_| corrupt(column, millis))
}

fn key(column: &'static str, value: i64) -> Result<RowKey, StoreError> {
    RowKey::new(value).ok_or_else(|| corrupt(column, value))
}

fn small(column: &'static str, value: i64) -> Result<u32, StoreError> {
    u32::try_from(value).map_err(|_| corrupt(column, value))
}

/// PostgreSQL cannot hold NUL, and words from outside (a chain's reason for a failure) may carry one.
pub(crate) fn text(words: &str) -> String {
    words.replace('\0', "\u{fffd}")
}
