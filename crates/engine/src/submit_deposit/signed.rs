use causeway_domain::ports::{BroadcastError, ChainError, DepositCheckError, DepositTxStatus};
use causeway_domain::{Family, Order};
use jiff::Timestamp;

use super::change::set_signed_payload;
use super::hash::canonical;
use super::{SubmitDeposit, SubmitError, Submitted, check_error, check_time};

impl SubmitDeposit {
    /// Stores a signed deposit, then broadcasts it. Its hash is known in advance, so an unreachable chain does not change the
    /// response: the worker broadcasts the stored payload again.
    pub(super) async fn accept_signed(
        &self,
        order: Order,
        raw: &[u8],
        now: Timestamp,
    ) -> Result<Submitted, SubmitError> {
        let sender = self.sender(&order)?;
        let tx = sender.check_signed(&order, raw).await.map_err(|error| refusal(&order, error))?;
        let tx = canonical(order.from.chain(), &tx)?;
        if let Some(shown) = &order.evidence.deposit {
            let is_same = shown.tx == tx;
            let conflict = SubmitError::Conflict { order: order.id.clone() };
            return is_same.then_some(Submitted { order: order.id, tx }).ok_or(conflict);
        }
        if let Err(late) = check_time(&order, now) {
            // Somebody else may have sent it in time.
            return match sender.check_tx(&order, &tx).await? {
                DepositTxStatus::Matches => self.accept_hash(order, &tx, now).await,
                _ => Err(late),
            };
        }
        let before = order.clone();
        let taken = self.is_taken(&order, &tx).await?;
        let order = self
            .change_with_tx(order, now, taken, |order, may_set_tx| {
                let submitted_tx = may_set_tx.then(|| tx.clone()).or_else(|| order.submitted_tx.clone());
                if order.signed_payload.as_deref() == Some(raw) && order.submitted_tx == submitted_tx {
                    return Ok(None);
                }
                set_signed_payload(order, raw.to_vec(), now);
                order.submitted_tx = submitted_tx;
                Ok(Some(format!("The signed deposit {tx} was accepted.")))
            })
            .await?;
        let reason = match sender.broadcast(raw).await {
            Ok(()) => return Ok(Submitted { order: order.id, tx }),
            Err(BroadcastError::Refused(reason) | BroadcastError::Chain(ChainError::Refused(_, reason))) => {
                reason
            }
            Err(expired @ BroadcastError::Expired { .. }) => expired.to_string(),
            Err(error) => {
                tracing::warn!(order = order.id.as_str(), %error, "deposit broadcast postponed");
                return Ok(Submitted { order: order.id, tx });
            }
        };
        // A transaction that is already in a block is refused too.
        if matches!(sender.check_tx(&order, &tx).await, Ok(DepositTxStatus::Matches)) {
            return Ok(Submitted { order: order.id, tx });
        }
        self.discard_signed(order, &before, raw, &tx, now).await?;
        Err(SubmitError::Refused(reason))
    }

    /// Restores the state before the refused transaction.
    async fn discard_signed(
        &self,
        order: Order,
        before: &Order,
        raw: &[u8],
        tx: &str,
        now: Timestamp,
    ) -> Result<Order, SubmitError> {
        self.change(order, now, |order| {
            if order.signed_payload.as_deref() != Some(raw) || order.evidence.deposit.is_some() {
                return Ok(None);
            }
            order.signed_payload = before.signed_payload.clone().filter(|payload| payload != raw);
            if order.submitted_tx.as_deref() == Some(tx) {
                order.submitted_tx = before.submitted_tx.clone().filter(|known| known != tx);
            }
            // A crashed process may have announced it for this same transaction.
            order.announced =
                before.announced && (order.signed_payload.is_some() || order.submitted_tx.is_some());
            order.due_at = before.due_at;
            Ok(Some(format!("The chain refused the signed deposit {tx}.")))
        })
        .await
    }
}

fn refusal(order: &Order, error: DepositCheckError) -> SubmitError {
    match error {
        DepositCheckError::Mismatch(reason) if order.from.chain().family() == Family::Solana => {
            SubmitError::Altered(reason.0)
        }
        error => check_error(error),
    }
}
