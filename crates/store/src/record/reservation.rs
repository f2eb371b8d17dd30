use causeway_domain::ports::{Reservation, ReservationKind, StoreError};
use causeway_domain::{RawAmount, TokenId};
use jiff::Timestamp;

use super::{parse, parse_with, text};

/// A row of `reservations`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReservationRecord {
    pub(crate) filler: String,
    pub(crate) holder: String,
    pub(crate) token: String,
    pub(crate) amount: String,
    pub(crate) kind: &'static str,
    pub(crate) expires_at: Option<i64>,
}

/// A holder's reservation of one token.
#[derive(Debug)]
pub(crate) struct HeldRecord {
    pub(crate) holder: String,
    amount: String,
    kind: String,
}

impl_from_row!(HeldRecord { holder, amount, kind });

/// A reservation of any token.
#[derive(Debug)]
pub(crate) struct TokenHeldRecord {
    token: String,
    amount: String,
}

impl_from_row!(TokenHeldRecord { token, amount });

const fn kind_text(kind: ReservationKind) -> &'static str {
    match kind {
        ReservationKind::Build => "build",
        ReservationKind::Order => "order",
    }
}

fn read_kind(text: &str) -> Option<ReservationKind> {
    [ReservationKind::Build, ReservationKind::Order].into_iter().find(|kind| kind_text(*kind) == text)
}

impl From<&Reservation> for ReservationRecord {
    fn from(reservation: &Reservation) -> Self {
        let expires_at = match reservation.kind {
            ReservationKind::Build => reservation.expires_at.map(Timestamp::as_millisecond),
            ReservationKind::Order => None,
        };
        Self {
            filler: text(&reservation.filler),
            holder: text(&reservation.holder),
            token: reservation.token.to_string(),
            amount: reservation.amount.to_string(),
            kind: kind_text(reservation.kind),
            expires_at,
        }
    }
}

impl HeldRecord {
    pub(crate) fn read(&self) -> Result<(ReservationKind, RawAmount), StoreError> {
        let kind = parse_with("reservations.kind", &self.kind, read_kind)?;
        Ok((kind, parse("reservations.amount", &self.amount)?))
    }
}

impl TokenHeldRecord {
    pub(crate) fn read(&self) -> Result<(TokenId, RawAmount), StoreError> {
        Ok((parse("reservations.token", &self.token)?, parse("reservations.amount", &self.amount)?))
    }
}

/// Adds reservations; no limit lets their sum exceed 256 bits.
pub(crate) fn add(sum: RawAmount, amount: RawAmount) -> Result<RawAmount, StoreError> {
    sum.checked_add(amount)
        .ok_or_else(|| StoreError::Corrupt("reservations add up to more than 256 bits".to_owned()))
}
