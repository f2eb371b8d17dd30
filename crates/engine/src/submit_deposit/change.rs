use causeway_domain::ports::StoreError;
use causeway_domain::{EventKind, Order, OrderEvent};
use jiff::{SignedDuration, Timestamp};

use super::{SubmitDeposit, SubmitError};
use crate::event_keys::advance_keys_past;

/// How often a conflicting write is retried.
const MAX_WRITE_ATTEMPTS: usize = 8;

/// When the worker takes over a signed payload: the request broadcasts it first.
const WORKER_DELAY: SignedDuration = SignedDuration::from_secs(5);

impl SubmitDeposit {
    /// Stores a change of the order together with an event. On a conflict the change is applied to the newer version. `None`
    /// from `change` means that there is nothing to store.
    pub(super) async fn change<F>(
        &self,
        mut order: Order,
        now: Timestamp,
        change: F,
    ) -> Result<Order, SubmitError>
    where
        F: Fn(&mut Order) -> Result<Option<String>, SubmitError> + Send,
    {
        for _ in 0..MAX_WRITE_ATTEMPTS {
            let Some(detail) = change(&mut order)? else { return Ok(order) };
            order.updated_at = now;
            advance_keys_past(self.parts.orders.as_ref(), &self.parts.row_keys, &order.id).await?;
            let key = self.parts.row_keys.next(now);
            let event = OrderEvent { key, order: order.id.clone(), kind: EventKind::Note, detail, at: now };
            if self.parts.orders.update_order(&order, &[event]).await? {
                order.version = order.version.saturating_add(1);
                return Ok(order);
            }
            let written = self.parts.orders.order(&order.id).await?;
            order = written.ok_or_else(|| StoreError::Corrupt(format!("order {} is gone", order.id)))?;
        }
        Err(SubmitError::Contended { order: order.id })
    }

    /// As [`Self::change`], for a change that sets the deposit's transaction, which is unique per chain. If another order has
    /// it (`taken`, or found on writing), the change may not set it.
    pub(super) async fn change_with_tx<F>(
        &self,
        order: Order,
        now: Timestamp,
        taken: bool,
        change: F,
    ) -> Result<Order, SubmitError>
    where
        F: Fn(&mut Order, bool) -> Result<Option<String>, SubmitError> + Send + Sync,
    {
        match self.change(order.clone(), now, |order| change(order, !taken)).await {
            Err(SubmitError::Store(StoreError::Conflict(_))) if !taken => {
                self.change(order, now, |order| change(order, false)).await
            }
            other => other,
        }
    }

    /// Whether the transaction is known as another order's deposit.
    pub(super) async fn is_taken(&self, order: &Order, tx: &str) -> Result<bool, SubmitError> {
        let holder = self.parts.orders.order_of_deposit(order.from.chain(), tx).await?;
        Ok(holder.is_some_and(|holder| holder.id != order.id))
    }
}

/// Announces the order and lets the worker broadcast the signed payload.
pub(super) fn set_signed_payload(order: &mut Order, signed_payload: Vec<u8>, now: Timestamp) {
    order.signed_payload = Some(signed_payload);
    order.announced = true;
    let soon = now.checked_add(WORKER_DELAY).unwrap_or(now);
    order.due_at = Some(order.due_at.map_or(soon, |due| due.min(soon)));
}
