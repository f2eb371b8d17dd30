//! Rows as the engines hold them, and their way into the domain and back.

mod arrival;
pub(crate) mod batch;
mod bytes;
mod compact;
mod event;
mod evidence;
mod fact;
mod fiat_event;
mod fiat_order;
mod fiat_quote;
mod order;
mod outgoing;
mod packed;
mod quote;
mod reservation;
mod route;
mod transfer;

use std::fmt;
use std::str::FromStr;

use causeway_domain::ports::{Care, StoreError};
use causeway_domain::{Address, ChainId, RowKey, TokenId};
use jiff::Timestamp;

pub(crate) use arrival::ArrivalRecord;
pub(crate) use batch::{BatchRecord, Entry, Place};
pub(crate) use event::EventRecord;
pub(crate) use fact::{FACT_COLUMNS, FactRecord, MarkRecord, read_mark};
pub(crate) use fiat_event::FiatEventRecord;
pub(crate) use fiat_order::{FIAT_COLUMNS, FiatOrderRecord};
pub(crate) use fiat_quote::{offer_text, read_offer};
pub(crate) use order::{ORDER_COLUMNS, OrderIndex, OrderRecord};
pub(crate) use outgoing::{
    AttemptRecord, OutgoingKey, OutgoingRows, SENT, SentRecord, end_state, gather, read_nonce,
};
pub(crate) use packed::unpack;
pub(crate) use quote::{QuoteRecord, QuoteRows};
pub(crate) use reservation::{HeldRecord, ReservationRecord, TokenHeldRecord, add};
pub(crate) use route::RouteRecord;
pub(crate) use transfer::{OwedRecord, TransferRecord};

/// A value that no version of ours has written there.
pub(crate) fn corrupt(column: &'static str, value: impl fmt::Display) -> StoreError {
    StoreError::Corrupt(format!("{column} holds `{value}`"))
}

pub(crate) fn parse<T: FromStr>(column: &'static str, text: &str) -> Result<T, StoreError> {
    text.parse().map_err(|_| corrupt(column, text))
}

pub(crate) fn parse_with<T>(
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
pub(crate) struct Plain(pub(crate) Address);

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

pub(crate) fn time(column: &'static str, millis: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(millis).map_err(|_| corrupt(column, millis))
}

pub(crate) fn key(column: &'static str, value: i64) -> Result<RowKey, StoreError> {
    RowKey::new(value).ok_or_else(|| corrupt(column, value))
}

fn small(column: &'static str, value: i64) -> Result<u32, StoreError> {
    u32::try_from(value).map_err(|_| corrupt(column, value))
}

/// Chain ids end below 2^53.
pub(crate) fn chain_number(chain: ChainId) -> i64 {
    chain.get().cast_signed()
}

fn chain(column: &'static str, number: i64) -> Result<ChainId, StoreError> {
    u64::try_from(number).ok().and_then(ChainId::new).ok_or_else(|| corrupt(column, number))
}

/// A chain's number of a block, a log or a second.
pub(crate) fn count(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Conflict("no chain counts this far"))
}

pub(crate) fn read_count(column: &'static str, number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|_| corrupt(column, number))
}

/// Numbers that are ordered as the cares are, so that the engines can compare them.
pub(crate) const fn care_number(care: Care) -> i64 {
    match care {
        Care::Usual => 0,
        Care::Large => 1,
    }
}

fn read_care(column: &'static str, number: i64) -> Result<Care, StoreError> {
    let care = [Care::Usual, Care::Large].into_iter().find(|care| care_number(*care) == number);
    care.ok_or_else(|| corrupt(column, number))
}

/// PostgreSQL cannot hold NUL, and words from outside (a chain's reason for a failure) may carry one.
pub(crate) fn text(words: &str) -> String {
    words.replace('\0', "\u{fffd}")
}
