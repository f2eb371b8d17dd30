use std::collections::HashSet;

use alloy_primitives::{B256, keccak256};
use causeway_domain::ports::{
    ActionError, BatchedClaim, ChainAction, ClaimBatch, ClaimBatchPut, CollectBatchError, EscrowState,
    Progress, TxSender,
};
use causeway_domain::{CollectedBatch, FilledOrder, IntentTerms, Order};
use jiff::{SignedDuration, Timestamp};

use super::claim_pool::Waiting;
use super::{Batches, InventoryExecutor};

/// How long a recorded batch waits for attesters that do not answer, before its orders are claimed alone.
const COLLECT_TIMEOUT: SignedDuration = SignedDuration::from_mins(2);

/// How often a batch is made smaller before its orders are claimed alone.
const MAX_CUTS: usize = 8;

/// The purpose of a batch in the outbox.
fn purpose(batch: &ClaimBatch) -> String {
    format!("claims:{:#x}", batch.id)
}

/// The same list of orders has the same id.
fn batch_id(orders: &[IntentTerms]) -> B256 {
    keccak256(orders.iter().map(IntentTerms::id).collect::<Vec<_>>().concat())
}

/// Half of the time between the fill and the permissionless refund.
fn claim_by(terms: &IntentTerms, filled_at: u64) -> Timestamp {
    let half = filled_at.saturating_add(terms.refund_at.saturating_sub(filled_at) / 2);
    i64::try_from(half).ok().and_then(|at| Timestamp::from_second(at).ok()).unwrap_or(Timestamp::MAX)
}

impl InventoryExecutor {
    /// Claims an order together with others, or lets it wait for them. `None` if it has to be claimed alone.
    pub(super) async fn claim_with_others(
        &self,
        batches: &Batches,
        order: &Order,
        now: Timestamp,
    ) -> Result<Option<Progress>, ActionError> {
        if let Some(batch) = batches.store.batch_of(order.intent_id).await? {
            return if batch.is_dissolved {
                Ok(None)
            } else {
                self.pursue(batches, &batch, order, now).await
            };
        }
        let limits = &self.filler.config.claims;
        if limits.max_orders < 2 {
            return Ok(None);
        }
        if !batches.pool.contains(&order.terms) {
            // Only what can be claimed waits; anything else is reported at once.
            self.claim_action(order).await?;
        }
        let fill = order.evidence.fill.as_ref();
        let filled_at = fill.map_or_else(|| u64::try_from(now.as_second()).unwrap_or(0), |fill| fill.time);
        let waiting = Waiting {
            terms: order.terms,
            value: self.filler.usd_value_up(order.from, order.terms.amount_in),
            since: now,
            seen_at: now,
            claim_by: claim_by(&order.terms, filled_at),
        };
        match batches.pool.add(&waiting, limits, now) {
            None => Ok(Some(Progress::Waiting)),
            Some(due) => self.claim_due(batches, due, order, now).await,
        }
    }

    /// Claims orders that wait no longer, as many as one transaction takes. `None` if the order has to be claimed alone.
    async fn claim_due(
        &self,
        batches: &Batches,
        mut due: Vec<Waiting>,
        order: &Order,
        now: Timestamp,
    ) -> Result<Option<Progress>, ActionError> {
        let sender = self.claim_sender(order.from.chain())?;
        let recorded = self.record_batch(batches, sender, &mut due, now).await;
        let Ok(Some((batch, collected))) = recorded else {
            // The others are claimed, alone if need be, when they are asked for again.
            let others = due.into_iter().filter(|other| other.terms.id() != order.intent_id);
            batches.pool.put_back(others.map(|other| Waiting { claim_by: now, ..other }));
            return recorded.map(|_| None);
        };
        let progress = self.send_batch(batches, sender, &batch, &collected, now).await?;
        if batch.orders.iter().any(|terms| terms.id() == order.intent_id) {
            return Ok(progress);
        }
        // It was one too many for this transaction, or belongs to another batch.
        Ok(Some(Progress::Waiting))
    }

    /// Finds the orders that a threshold of attesters signs for and that fit one transaction, and records them as a batch.
    /// `None` if fewer than two are left. What does not fit goes back to the pool.
    async fn record_batch(
        &self,
        batches: &Batches,
        sender: &dyn TxSender,
        due: &mut Vec<Waiting>,
        now: Timestamp,
    ) -> Result<Option<(ClaimBatch, CollectedBatch)>, ActionError> {
        keep_first(batches, due, self.filler.config.claims.max_orders);
        for _ in 0..MAX_CUTS {
            if due.len() < 2 {
                return Ok(None);
            }
            let orders: Vec<IntentTerms> = due.iter().map(|waiting| waiting.terms).collect();
            let collected = match self.collect_fills(&orders).await {
                Ok(collected) => collected,
                Err(error) if error.leave_out.is_empty() => {
                    tracing::debug!(%error, "no batch of claims");
                    return Ok(None);
                }
                Err(error) => {
                    leave_out(due, &error.leave_out);
                    continue;
                }
            };
            let fit = sender.claims_that_fit(&orders, collected.signatures.len());
            if fit < orders.len() {
                keep_first(batches, due, fit);
                continue;
            }
            let batch = ClaimBatch {
                id: batch_id(&orders),
                filler: self.filler.config.name.clone(),
                chain: sender.chain(),
                orders,
                created_at: now,
                is_dissolved: false,
            };
            match batches.store.put_batch(&batch).await? {
                ClaimBatchPut::Written => return Ok(Some((batch, collected))),
                ClaimBatchPut::Taken(taken) => leave_out(due, &taken),
            }
        }
        Ok(None)
    }

    /// The signed fills; within one chain the escrow reads them itself and takes no signatures.
    async fn collect_fills(&self, orders: &[IntentTerms]) -> Result<CollectedBatch, CollectBatchError> {
        if !orders.first().is_some_and(IntentTerms::is_same_chain) {
            return self.attestations.collect_batch(orders).await;
        }
        let fill =
            |terms: &IntentTerms| FilledOrder { order: terms.id(), filled_at: 0, fill_ref: B256::ZERO };
        Ok(CollectedBatch { fills: orders.iter().map(fill).collect(), signatures: Vec::new() })
    }

    /// Sends a recorded batch. `None` if it would fail: then its orders are claimed alone, each with the reason why it cannot be.
    async fn send_batch(
        &self,
        batches: &Batches,
        sender: &dyn TxSender,
        batch: &ClaimBatch,
        collected: &CollectedBatch,
        now: Timestamp,
    ) -> Result<Option<Progress>, ActionError> {
        let claims = batch.orders.iter().zip(&collected.fills).map(|(terms, fill)| BatchedClaim {
            terms: *terms,
            filled_at: fill.filled_at,
            fill_ref: fill.fill_ref,
        });
        let action =
            ChainAction::ClaimBatch { claims: claims.collect(), signatures: collected.signatures.clone() };
        match self.send(sender, &purpose(batch), &action, now).await {
            Ok(progress) => Ok(Some(progress)),
            Err(error @ (ActionError::WouldFail(_) | ActionError::Permanent(_))) => {
                tracing::warn!(batch = %batch.id, orders = batch.orders.len(), %error, "batch of claims not sent");
                batches.store.dissolve_batch(batch.id).await?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The progress of a recorded batch, which is sent if it was not. `None` if the order has to be claimed alone.
    async fn pursue(
        &self,
        batches: &Batches,
        batch: &ClaimBatch,
        order: &Order,
        now: Timestamp,
    ) -> Result<Option<Progress>, ActionError> {
        let sender = self.claim_sender(batch.chain)?;
        match sender.progress(&purpose(batch)).await? {
            Some(Progress::Succeeded(tx)) => self.check_skipped(sender, tx, order).await,
            Some(Progress::Reverted(tx)) => {
                tracing::warn!(batch = %batch.id, tx, "batch of claims reverted, its orders are claimed alone");
                batches.store.dissolve_batch(batch.id).await?;
                Ok(None)
            }
            Some(Progress::Sent(tx)) => Ok(Some(Progress::Sent(tx))),
            // Recorded by a process that stopped before it was sent.
            None | Some(Progress::Waiting) => match self.collect_fills(&batch.orders).await {
                Ok(collected) => self.send_batch(batches, sender, batch, &collected, now).await,
                Err(error) if now.duration_since(batch.created_at) < COLLECT_TIMEOUT => {
                    Err(ActionError::Temporary(error.to_string()))
                }
                Err(error) => {
                    tracing::warn!(batch = %batch.id, %error, "batch of claims is not signed any more");
                    batches.store.dissolve_batch(batch.id).await?;
                    Ok(None)
                }
            },
        }
    }

    /// What a batch that succeeded did with an order: the escrow skips those that it cannot pay.
    async fn check_skipped(
        &self,
        sender: &dyn TxSender,
        tx: String,
        order: &Order,
    ) -> Result<Option<Progress>, ActionError> {
        match sender.on_chain_status(&order.terms).await?.escrow {
            EscrowState::Claimed | EscrowState::Unknown => Ok(Some(Progress::Succeeded(tx))),
            EscrowState::Open => {
                tracing::warn!(order = %order.id, tx, "skipped by a batch of claims, claimed alone");
                Ok(None)
            }
            EscrowState::Refunded => {
                tracing::error!(order = %order.id, tx, "skipped by a batch of claims: the deposit was refunded");
                let words = format!("{tx} skipped the order: its deposit was refunded before the claim");
                Err(ActionError::Permanent(words))
            }
        }
    }
}

fn leave_out(due: &mut Vec<Waiting>, without: &[B256]) {
    let without: HashSet<&B256> = without.iter().collect();
    due.retain(|waiting| !without.contains(&waiting.terms.id()));
}

/// Keeps so many orders; the others wait for the next transaction.
fn keep_first(batches: &Batches, due: &mut Vec<Waiting>, count: usize) {
    if count < due.len() {
        batches.pool.put_back(due.split_off(count));
    }
}
