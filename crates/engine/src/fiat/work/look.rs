use std::time::Duration;

use causeway_domain::FiatOrderId;
use causeway_domain::fiat::{FiatEvent, FiatOrder, FiatStep, FiatTodo, advance_fiat};
use causeway_domain::ports::StoreError;
use jiff::{SignedDuration, Timestamp};

use super::WorkFiat;
use crate::fiat::FiatError;

/// How often a purchase is looked at anew in one turn.
const LOOKS: usize = 8;

/// For how long after a look at a purchase its chains are followed closely: it is looked at again before.
const AWAKE: Duration = Duration::from_secs(40);

/// How long a purchase waits whose chain is not believed any more.
const FROZEN: SignedDuration = SignedDuration::from_secs(30);

impl WorkFiat {
    /// Takes a purchase as far as it goes now. What it becomes is written before anything is done about it.
    pub(super) async fn look(&self, mut order: FiatOrder) -> Result<(), StoreError> {
        if [order.sold.chain(), order.target.chain()]
            .into_iter()
            .any(|chain| self.parts.marks.is_halted(chain))
        {
            order.due_at = Timestamp::now().checked_add(FROZEN).ok();
            return self.parts.store.update_fiat_order(&order, &[]).await.map(drop);
        }
        if !order.status.is_terminal() {
            let interest = self.parts.marks.interest();
            for chain in [order.sold.chain(), order.target.chain()] {
                interest.wait_for(chain, AWAKE);
            }
        }
        for _ in 0..LOOKS {
            let world = self.world(&order, Timestamp::now()).await?;
            let before = order.clone();
            let step = advance_fiat(order, &world);
            order = step.order.clone();
            let changed = differs(&before, &order) || !step.changes.is_empty();
            if changed && !self.write(&mut order, &step).await? {
                let Some(newer) = self.parts.store.fiat_order(&order.id).await? else { return Ok(()) };
                order = newer;
                continue;
            }
            if self.perform(&mut order, &step.todo).await {
                // What was done is written with the step that follows from it.
                continue;
            }
            if changed || self.parts.store.update_fiat_order(&order, &[]).await? {
                return Ok(());
            }
            // Something was told meanwhile.
            let Some(newer) = self.parts.store.fiat_order(&order.id).await? else { return Ok(()) };
            order = newer;
        }
        Ok(())
    }

    /// The purchase after one look, in which nothing is sent: that is left to whoever works on it.
    pub(in crate::fiat) async fn refresh(&self, id: &FiatOrderId) -> Result<FiatOrder, FiatError> {
        let missing = || FiatError::OrderNotFound(id.clone());
        let order = self.parts.store.fiat_order(id).await?.ok_or_else(missing)?;
        if order.status.is_terminal() {
            return Ok(order);
        }
        let world = self.world(&order, Timestamp::now()).await?;
        let before = order.clone();
        let step = advance_fiat(order, &world);
        let mut order = step.order.clone();
        if differs(&before, &order) || !step.changes.is_empty() {
            // It is due as before, so that what is to be done is done at once.
            order.due_at = Some(world.now);
            if !self.write(&mut order, &step).await? {
                order = self.parts.store.fiat_order(id).await?.ok_or_else(missing)?;
            }
            self.parts.bell.ring();
        }
        Ok(order)
    }

    async fn write(&self, order: &mut FiatOrder, step: &FiatStep) -> Result<bool, StoreError> {
        let now = Timestamp::now();
        let events = step.changes.iter().map(|(status, words)| FiatEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            status: *status,
            detail: words.clone(),
            at: now,
        });
        let events: Vec<FiatEvent> = events.collect();
        let written = match self.parts.store.update_fiat_order(order, &events).await {
            // The delivery completed another purchase a moment ago; the next look does not see it any more.
            Err(StoreError::Conflict(words)) => {
                tracing::warn!(order = %order.id, words, "a delivery is another purchase's");
                false
            }
            written => written?,
        };
        if written {
            order.version = order.version.saturating_add(1);
            for (status, words) in &step.changes {
                let status = status.map_or("", |status| status.as_str());
                tracing::info!(order = %order.id, provider = order.provider, status, "{words}");
            }
        }
        Ok(written)
    }

    /// Does what is to be done, or finds it under way. Tells whether the purchase has changed by it.
    async fn perform(&self, order: &mut FiatOrder, todo: &[FiatTodo]) -> bool {
        let mut changed = false;
        for todo in todo {
            let done = match todo {
                FiatTodo::Swap { amount, seen_in } => self.swap(order, *amount, *seen_in).await,
                FiatTodo::GiveBack { tokens, .. } => self.give_back(order, tokens).await,
            };
            match done {
                Ok(done) => changed |= done,
                Err(error) => {
                    tracing::warn!(order = %order.id, ?todo, %error, "something is left to do for a purchase");
                }
            }
        }
        changed
    }
}

/// Whether there is more to write than when to look again.
fn differs(before: &FiatOrder, after: &FiatOrder) -> bool {
    FiatOrder { due_at: before.due_at, ..after.clone() } != *before
}
