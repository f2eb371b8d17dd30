use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::{RawAmount, TokenId};

/// How firmly a part of the book is spoken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReservationKind {
    /// Somebody was handed a transaction and may never send it.
    Build,
    /// The deposit was seen.
    Order,
}

/// A part of a filler's book that is spoken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    pub filler: String,
    pub token: TokenId,
    pub amount: RawAmount,
    /// What it is for, such as the id of an order; a holder holds each token once at most.
    pub holder: String,
    pub kind: ReservationKind,
    /// When a build ends by itself, if ever. An order ends by release alone, whatever stands here.
    pub expires_at: Option<Timestamp>,
}

/// How much of one token a filler may have reserved, the reservation at hand included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservationLimit {
    /// Everything together.
    pub total: RawAmount,
    /// What builds hold.
    pub builds: RawAmount,
}

impl ReservationLimit {
    /// Whether `amount` fits beside what others hold: `reserved` in all, of which `builds` are held by builds.
    pub fn admits(
        &self,
        kind: ReservationKind,
        amount: RawAmount,
        reserved: RawAmount,
        builds: RawAmount,
    ) -> bool {
        let within =
            |held: RawAmount, limit: RawAmount| held.checked_add(amount).is_some_and(|sum| sum <= limit);
        within(reserved, self.total) && (kind == ReservationKind::Order || within(builds, self.builds))
    }
}

/// What became of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    Written,
    /// The holder has this amount already, as firmly or more so; nothing was changed.
    Existing,
    /// Nothing was changed; other holders have this much.
    OverLimit {
        reserved: RawAmount,
    },
}

/// Keeps what a filler has promised, so that it never promises the same coin twice, whichever replica is asked.
/// What a call has returned survives a power cut. Times are kept to the millisecond.
#[async_trait]
pub trait Reservations: Send + Sync {
    /// Reserves if that stays within the limit, in one transaction. An order takes over what its holder held as a
    /// build, in the new amount. A build counts until its `expires_at`, that moment excluded.
    /// A holder that has another amount otherwise is refused as a conflict.
    async fn reserve(
        &self,
        reservation: &Reservation,
        limit: ReservationLimit,
        now: Timestamp,
    ) -> Result<Reserved, StoreError>;
    /// Gives back everything that the holder has of this filler; nothing to give back is no error.
    async fn release(&self, filler: &str, holder: &str) -> Result<(), StoreError>;
    /// How much of the token is reserved.
    async fn reserved(&self, filler: &str, token: TokenId, now: Timestamp) -> Result<RawAmount, StoreError>;
    /// How much is reserved of each token that anybody holds, in the order of the tokens.
    async fn all_reserved(
        &self,
        filler: &str,
        now: Timestamp,
    ) -> Result<Vec<(TokenId, RawAmount)>, StoreError>;
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;

    use super::*;

    fn amount(units: u64) -> RawAmount {
        RawAmount::new(U256::from(units))
    }

    #[test]
    fn builds_stay_within_both_limits_and_orders_within_the_total() {
        let limit = ReservationLimit { total: amount(100), builds: amount(20) };
        for (kind, asked, reserved, builds, fits) in [
            (ReservationKind::Build, 20, 0, 0, true),
            (ReservationKind::Build, 21, 0, 0, false),
            (ReservationKind::Build, 5, 90, 15, true),
            (ReservationKind::Build, 6, 90, 15, false),
            (ReservationKind::Build, 6, 95, 0, false),
            (ReservationKind::Order, 100, 0, 0, true),
            (ReservationKind::Order, 101, 0, 0, false),
            (ReservationKind::Order, 60, 40, 40, true),
            (ReservationKind::Order, 61, 40, 0, false),
        ] {
            let admitted = limit.admits(kind, amount(asked), amount(reserved), amount(builds));
            assert_eq!(admitted, fits, "{kind:?} of {asked} beside {reserved}, builds {builds}");
        }
    }

    #[test]
    fn a_sum_past_256_bits_is_over_any_limit() {
        let all = RawAmount::new(U256::MAX);
        let limit = ReservationLimit { total: all, builds: all };
        assert!(limit.admits(ReservationKind::Order, all, RawAmount::ZERO, RawAmount::ZERO));
        assert!(!limit.admits(ReservationKind::Order, amount(1), all, RawAmount::ZERO));
    }
}
