use causeway_domain::Order;
use causeway_domain::ports::{
    ActionError, Reservation, ReservationKind, ReservationLimit, Reserved, StoreError,
};
use jiff::{SignedDuration, Timestamp};

use super::InventoryExecutor;
use super::payment::Payment;

/// How long a build keeps its reservation after the price expires: the time in which a deposit made at the last moment
/// becomes visible.
const BUILD_HOLD_GRACE: SignedDuration = SignedDuration::from_secs(60);

/// Result of reserving funds for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReserveOutcome {
    Reserved,
    /// Other orders have reserved too much of the balance.
    Insufficient,
    /// The balance or the cost of the vault's shares is not known now.
    Unknown,
}

impl InventoryExecutor {
    pub(super) async fn hold_for_build(&self, order: &Order, now: Timestamp) -> Result<(), ActionError> {
        let until = order.valid_before.checked_add(BUILD_HOLD_GRACE).unwrap_or(order.valid_before);
        // A build without a reservation is no worse than one whose reservation has expired.
        self.reserve_payment(order, ReservationKind::Build, Some(until), now).await.map(|_| ())
    }

    pub(super) async fn reserve_for_order(
        &self,
        order: &Order,
        now: Timestamp,
    ) -> Result<ReserveOutcome, ActionError> {
        self.reserve_payment(order, ReservationKind::Order, None, now).await
    }

    async fn reserve_payment(
        &self,
        order: &Order,
        kind: ReservationKind,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<ReserveOutcome, ActionError> {
        let Some((payment, limit)) = self.payment_and_limit(order) else {
            return Ok(ReserveOutcome::Unknown);
        };
        let reservation = Reservation {
            filler: self.filler.config.name.clone(),
            token: payment.token,
            amount: payment.amount,
            holder: order.id.as_str().to_owned(),
            kind,
            expires_at,
        };
        match self.store.reserve(&reservation, limit, now).await {
            // The vault's rate has moved since: the order holds another amount already, and its margin covers the difference.
            Ok(Reserved::Written | Reserved::Existing) | Err(StoreError::Conflict(_)) => {
                Ok(ReserveOutcome::Reserved)
            }
            Ok(Reserved::OverLimit { .. }) => Ok(ReserveOutcome::Insufficient),
            Err(error) => Err(error.into()),
        }
    }

    fn payment_and_limit(&self, order: &Order) -> Option<(Payment, ReservationLimit)> {
        let deps = &self.filler.deps;
        let payment = Payment::for_order(order, deps.vaults.as_ref())?;
        let holding = deps.book.holding(&payment.token)?;
        Some((payment, holding.reservation_limit(self.filler.config.book_share)))
    }
}
