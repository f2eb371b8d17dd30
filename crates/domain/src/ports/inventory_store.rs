use async_trait::async_trait;
use jiff::Timestamp;

use super::StoreError;
use crate::{ChainId, OrderId, RawAmount, TokenId, UsdAmount};

/// The kind of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReservationKind {
    /// A deposit was built and may never be sent.
    Build,
    /// The deposit was seen on chain.
    Order,
}

/// A reserved part of a filler's inventory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    pub filler: String,
    pub token: TokenId,
    pub amount: RawAmount,
    /// Such as the id of an order; a holder reserves each token at most once.
    pub holder: String,
    pub kind: ReservationKind,
    /// When a build reservation expires, if ever. An order reservation ends only by release.
    pub expires_at: Option<Timestamp>,
}

/// Reservation limits for one token of a filler, including the new reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservationLimit {
    /// All reservations.
    pub total: RawAmount,
    /// Build reservations.
    pub builds: RawAmount,
}

impl ReservationLimit {
    /// Whether `amount` fits in addition to `reserved`, of which `builds` are build reservations.
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

/// The result of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    Written,
    /// Nothing changed: the holder already has this amount with the same or a stronger kind, or is an order that has ended and
    /// needs none.
    Existing,
    /// Nothing changed; other holders have this much.
    OverLimit {
        reserved: RawAmount,
    },
}

/// A loss of a filler on one order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub filler: String,
    pub order: OrderId,
    pub kind: LossKind,
    pub amount: UsdAmount,
}

/// Where a loss comes from; each is recorded once for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// The promised output is worth more than the input.
    Price,
    /// The fees of a fill that reverted.
    RevertedFill,
    /// The fees of the filler's refund.
    Waiver,
}

impl LossKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Price => "price",
            Self::RevertedFill => "reverted_fill",
            Self::Waiver => "waiver",
        }
    }
}

/// What one transaction of a filler takes from a chain: delivered value, and the most that its fees can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outflow {
    pub filler: String,
    /// The purpose of the transaction in the outbox; each is recorded once.
    pub purpose: String,
    pub chain: ChainId,
    pub value: UsdAmount,
    pub fees: UsdAmount,
}

/// What the recorded transactions of a filler took from a chain together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutflowSum {
    pub filler: String,
    pub chain: ChainId,
    pub value: UsdAmount,
    pub fees: UsdAmount,
}

/// Stores reservations, so that no inventory is promised twice across replicas, and losses, to enforce a daily limit across
/// replicas and restarts. Writes are durable when a call returns. Times have millisecond precision.
#[async_trait]
pub trait InventoryStore: Send + Sync {
    /// Reserves within the limit, in one transaction. An order reservation replaces the build reservation of its holder,
    /// with the new amount. A build counts until `expires_at`, exclusive. Any other change of amount is a conflict.
    async fn reserve(
        &self,
        reservation: &Reservation,
        limit: ReservationLimit,
        now: Timestamp,
    ) -> Result<Reserved, StoreError>;
    /// Releases all reservations of the holder at this filler; none is no error.
    async fn release(&self, filler: &str, holder: &str) -> Result<(), StoreError>;
    /// How much of the token is reserved.
    async fn reserved(&self, filler: &str, token: TokenId, now: Timestamp) -> Result<RawAmount, StoreError>;
    /// The reserved amount per token, ordered by token.
    async fn all_reserved(
        &self,
        filler: &str,
        now: Timestamp,
    ) -> Result<Vec<(TokenId, RawAmount)>, StoreError>;
    /// Records the loss if the filler's losses since then stay within `limit`; otherwise returns `false` and writes nothing.
    /// An order that was recorded before is accepted again.
    async fn record_loss(
        &self,
        loss: &Loss,
        limit: UsdAmount,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError>;
    /// Records what was spent already, whatever the limit is, so that it counts into the sums of [`Self::record_loss`].
    async fn record_spent(&self, loss: &Loss, now: Timestamp) -> Result<(), StoreError>;
    /// Records what leaves a chain, and forgets what left before `since`.
    async fn record_outflow(
        &self,
        outflow: &Outflow,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError>;
    /// What left from `since` on and before `until`, of all fillers and chains from which anything did, in no order.
    async fn outflow_sums(&self, since: Timestamp, until: Timestamp) -> Result<Vec<OutflowSum>, StoreError>;
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
            assert_eq!(admitted, fits, "{kind:?} of {asked} next to {reserved}, builds {builds}");
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
