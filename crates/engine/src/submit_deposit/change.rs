use causeway_domain::ports::StoreError;
use causeway_domain::{EventKind, Order, OrderEvent};
use jiff::{SignedDuration, Timestamp};

use super::{SubmitDeposit, SubmitError};
use crate::story_keys::come_after_story;

/// How often a change that others overtake is tried.
const ATTEMPTS: usize = 8;

/// When the worker looks after what was handed to us: we bring it ourselves first.
const LOOK_AFTER: SignedDuration = SignedDuration::from_secs(5);

impl SubmitDeposit {
    /// Writes a change of the order with a line of its story. When somebody else was faster, the change is judged anew on
    /// what that one has written. No words: nothing is left to write.
    pub(super) async fn change<F>(
        &self,
        mut order: Order,
        now: Timestamp,
        change: F,
    ) -> Result<Order, SubmitError>
    where
        F: Fn(&mut Order) -> Result<Option<String>, SubmitError> + Send,
    {
        for _ in 0..ATTEMPTS {
            let Some(detail) = change(&mut order)? else { return Ok(order) };
            order.updated_at = now;
            come_after_story(self.parts.orders.as_ref(), &self.parts.row_keys, &order.id).await?;
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

    /// As [`Self::change`], for one that names the deposit's transaction, which one order of a chain may do: where another
    /// does (`taken`, or found so when it is written) the change is told that it must not.
    pub(super) async fn change_naming<F>(
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

/// Shows the order from now on, and has somebody look after what the payer has handed over.
pub(super) fn hand_over(order: &mut Order, handed: Vec<u8>, now: Timestamp) {
    order.handed = Some(handed);
    order.announced = true;
    let soon = now.checked_add(LOOK_AFTER).unwrap_or(now);
    order.due_at = Some(order.due_at.map_or(soon, |due| due.min(soon)));
}
