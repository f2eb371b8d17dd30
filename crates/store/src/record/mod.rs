//! Rows as the engines hold them, and their conversion to and from domain types.

mod arrival;
mod event;
mod evidence;
mod fact;
mod fiat_event;
mod fiat_order;
mod fiat_quote;
mod joined;
mod order;
mod outgoing;
mod provider;
mod reservation;
mod transfer;

use std::fmt;
use std::str::FromStr;

use causeway_domain::ports::{FinalityTier, StoreError};
use causeway_domain::{Address, ChainId, RowKey, TokenId};
use jiff::Timestamp;
use serde::Serialize;

pub(crate) use arrival::ArrivalRecord;
pub(crate) use event::EventRecord;
pub(crate) use fact::{CursorRecord, FACT_COLUMNS, FactRecord, read_cursor};
pub(crate) use fiat_event::FiatEventRecord;
pub(crate) use fiat_order::{FIAT_COLUMNS, FiatOrderRecord};
pub(crate) use fiat_quote::{offer_text, read_offer};
pub(crate) use order::{ORDER_COLUMNS, OrderIndex, OrderRecord};
pub(crate) use outgoing::{
    AttemptRecord, OutgoingKey, OutgoingRows, SENT, SentRecord, end_state, gather, read_nonce,
};
pub(crate) use reservation::{HeldRecord, ReservationRecord, TokenHeldRecord, add};
pub(crate) use transfer::{OwedRecord, TransferRecord};

/// Serializes plain data, which cannot fail; an empty text would read as corrupt.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The error for a value that no version of the store has written.
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

/// An address without its checksum, which costs a hash and is useless in the store.
pub(crate) struct Plain(pub(crate) Address);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Address::Evm(address) => write!(f, "{address:#x}"),
            Address::Solana(_) | Address::Bitcoin(_) | Address::Tron(_) => self.0.fmt(f),
        }
    }
}

/// A token whose address has no checksum.
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

/// Chain ids are below 2^53.
pub(crate) fn chain_number(chain: ChainId) -> i64 {
    chain.get().cast_signed()
}

pub(crate) fn chain(column: &'static str, number: i64) -> Result<ChainId, StoreError> {
    u64::try_from(number).ok().and_then(ChainId::new).ok_or_else(|| corrupt(column, number))
}

/// The number of a block, a log or a second.
pub(crate) fn count(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Conflict("number out of range"))
}

pub(crate) fn read_count(column: &'static str, number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|_| corrupt(column, number))
}

/// Numbers in the order of the tiers, so that the engines can compare them.
pub(crate) const fn tier_number(finality_tier: FinalityTier) -> i64 {
    match finality_tier {
        FinalityTier::Standard => 0,
        FinalityTier::Large => 1,
    }
}

fn read_tier(column: &'static str, number: i64) -> Result<FinalityTier, StoreError> {
    let finality_tier = [FinalityTier::Standard, FinalityTier::Large]
        .into_iter()
        .find(|finality_tier| tier_number(*finality_tier) == number);
    finality_tier.ok_or_else(|| corrupt(column, number))
}

/// Replaces NUL, which PostgreSQL cannot hold and external text (a chain's failure reason) may contain.
pub(crate) fn text(value: &str) -> String {
    value.replace('\0', "\u{fffd}")
}
