use causeway_domain::Order;
use causeway_domain::ports::{ChainError, Deed, DeedError, Progress};
use jiff::{SignedDuration, Timestamp};

use super::change::hand_over;
use super::{SubmitDeposit, SubmitError, Submitted, check_time, moment, not_taken};

/// What became of a permit that was to be relayed.
enum Relayed {
    As(String),
    /// Not yet, for a reason that passes.
    Later,
    Refused(String),
}

impl SubmitDeposit {
    /// Keeps the payer's permit, then relays it at once so that the answer names the transaction.
    pub(super) async fn take_permit(
        &self,
        order: Order,
        permit: Vec<u8>,
        now: Timestamp,
    ) -> Result<Submitted, SubmitError> {
        let desk = self.desk(&order)?;
        let is_same = order.handed.as_deref() == Some(permit.as_slice());
        if let Some(tx) = relayed_as(&order).filter(|_| is_same) {
            return Ok(Submitted { order: order.id, tx });
        }
        check_time(&order, now)?;
        desk.check_permit(&order.terms, &permit).await.map_err(not_taken)?;
        // Two signatures over the same terms are one deposit.
        if let Some(tx) = relayed_as(&order) {
            return Ok(Submitted { order: order.id, tx });
        }
        // What was shown for this permit alone, by somebody who died before it was refused, is not shown for it.
        let was_announced = order.announced && !is_same;
        let order = self
            .change(order, now, |order| {
                if order.handed.as_deref() == Some(permit.as_slice()) || relayed_as(order).is_some() {
                    return Ok(None);
                }
                hand_over(order, permit.clone(), now);
                // What was told before is not what we send.
                order.told_tx = None;
                Ok(Some("The payer's permit was taken.".to_owned()))
            })
            .await?;
        match self.relay(&order, &permit, now).await? {
            Relayed::As(tx) => {
                let order = self.name_relayed(order, &tx, now).await?;
                Ok(Submitted { order: order.id, tx })
            }
            Relayed::Later => Err(SubmitError::Taken { order: order.id }),
            Relayed::Refused(words) => {
                self.give_permit_back(order, &permit, was_announced, now).await?;
                Err(SubmitError::Refused(words))
            }
        }
    }

    async fn relay(&self, order: &Order, permit: &[u8], now: Timestamp) -> Result<Relayed, SubmitError> {
        let chain = order.from.chain();
        let relayer = self.parts.relayers.get(&chain).ok_or(SubmitError::ChainNotServed(chain))?;
        let deed = Deed::OpenFor { terms: order.terms, permit: permit.to_vec() };
        let purpose = format!("open:{:#x}", order.intent);
        let carried = relayer.carry(&purpose, &deed, now).await;
        if let Err(DeedError::WouldFail(_)) = &carried
            && let Ok(Some(Progress::OnItsWay(tx) | Progress::Succeeded(tx))) =
                relayer.progress(&purpose).await
        {
            // Whoever works on orders was faster, and the same permit is not taken twice.
            return Ok(Relayed::As(tx));
        }
        Ok(match carried {
            Ok(Progress::OnItsWay(tx) | Progress::Succeeded(tx)) => Relayed::As(tx),
            // What came to nothing in a block is tried anew like what waits.
            Ok(Progress::Waiting | Progress::Reverted(_)) => Relayed::Later,
            Err(
                DeedError::WouldFail(words)
                | DeedError::Never(words)
                | DeedError::Chain(ChainError::Refused(_, words)),
            ) => Relayed::Refused(words),
            Err(error) => {
                tracing::warn!(order = order.id.as_str(), %error, "a permit is relayed later");
                Relayed::Later
            }
        })
    }

    async fn name_relayed(&self, order: Order, tx: &str, now: Timestamp) -> Result<Order, SubmitError> {
        self.change(order, now, |order| {
            if order.told_tx.as_deref() == Some(tx) {
                return Ok(None);
            }
            order.told_tx = Some(tx.to_owned());
            Ok(Some(format!("The permit was relayed in {tx}.")))
        })
        .await
    }

    /// The payer is told that it was refused, so it must not be used later behind its back.
    async fn give_permit_back(
        &self,
        order: Order,
        permit: &[u8],
        was_announced: bool,
        now: Timestamp,
    ) -> Result<Order, SubmitError> {
        self.change(order, now, |order| {
            if order.handed.as_deref() != Some(permit) || order.evidence.deposit.is_some() {
                return Ok(None);
            }
            order.handed = None;
            order.told_tx = None;
            order.announced = was_announced;
            let over = moment(order.terms.open_deadline)
                .and_then(|at| at.checked_add(SignedDuration::from_secs(1)).ok());
            order.due_at = over.or(order.due_at);
            Ok(Some("The chain refused the permit.".to_owned()))
        })
        .await
    }
}

/// The deposit's transaction, once the chain has shown it or the permit that we keep was relayed.
fn relayed_as(order: &Order) -> Option<String> {
    let shown = order.evidence.deposit.as_ref().map(|shown| &shown.tx);
    shown.or(order.told_tx.as_ref().filter(|_| order.handed.is_some())).cloned()
}
