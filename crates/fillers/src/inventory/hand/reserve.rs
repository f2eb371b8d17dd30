use causeway_domain::Order;
use causeway_domain::ports::{
    DeedError, Reservation, ReservationKind, ReservationLimit, Reserved, StoreError,
};
use jiff::{SignedDuration, Timestamp};

use super::InventoryHand;
use super::payment::Payment;

/// How long after a price has ended a build may still hold what it takes: the time that a deposit made at the last moment
/// needs to be seen.
const BUILD_LINGERS: SignedDuration = SignedDuration::from_secs(60);

/// What is set aside for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aside {
    Enough,
    /// Others hold too much of what there is.
    TooLittle,
    /// What is held, or what a vault's shares cost, is not known now.
    Unknown,
}

impl InventoryHand {
    pub(super) async fn hold_for_build(&self, order: &Order, now: Timestamp) -> Result<(), DeedError> {
        let until = order.valid_before.checked_add(BUILD_LINGERS).unwrap_or(order.valid_before);
        // A build that is not held is no worse than one whose hold has expired.
        self.set_aside(order, ReservationKind::Build, Some(until), now).await.map(|_| ())
    }

    pub(super) async fn reserve_for_order(&self, order: &Order, now: Timestamp) -> Result<Aside, DeedError> {
        self.set_aside(order, ReservationKind::Order, None, now).await
    }

    async fn set_aside(
        &self,
        order: &Order,
        kind: ReservationKind,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Aside, DeedError> {
        let Some((payment, limit)) = self.payment_within(order) else { return Ok(Aside::Unknown) };
        let reservation = Reservation {
            filler: self.filler.config.name.clone(),
            token: payment.token,
            amount: payment.amount,
            holder: order.id.as_str().to_owned(),
            kind,
            expires_at,
        };
        match self.reservations.reserve(&reservation, limit, now).await {
            // A vault's rate has moved since: the order holds another amount already, and its margin covers that.
            Ok(Reserved::Written | Reserved::Existing) | Err(StoreError::Conflict(_)) => Ok(Aside::Enough),
            Ok(Reserved::OverLimit { .. }) => Ok(Aside::TooLittle),
            Err(error) => Err(error.into()),
        }
    }

    fn payment_within(&self, order: &Order) -> Option<(Payment, ReservationLimit)> {
        let equipment = &self.filler.equipment;
        let payment = Payment::of(order, equipment.vaults.as_ref())?;
        let holding = equipment.book.holding(&payment.token)?;
        Some((payment, holding.reservation_limit(self.filler.config.book_share)))
    }
}
