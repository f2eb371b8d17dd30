use alloy_primitives::B256;
use causeway_domain::ports::{ActionError, ChainAction, Progress};
use causeway_domain::{Attestation, Order};
use jiff::Timestamp;

use super::InventoryExecutor;
use super::sending::{Attempt, CLAIM};

impl InventoryExecutor {
    /// Claims the deposit from the escrow, with attestations where the fill was on another chain. The escrow or the
    /// attesters say whether there was a fill, so it needs no event of our own followers.
    pub(super) async fn claim_order(&self, order: &Order, now: Timestamp) -> Result<Progress, ActionError> {
        let sender = self.claim_sender(order.from.chain())?;
        let attempt = Self::next_attempt(sender, CLAIM, order).await?;
        let purpose = match attempt {
            Attempt::Started(progress) => return Ok(progress),
            Attempt::Next(purpose) => purpose,
        };
        if let Some(batches) = &self.batches
            && let Some(progress) = self.claim_with_others(batches, order, now).await?
        {
            return Ok(progress);
        }
        let action = self.claim_action(order).await?;
        let progress = self.send(sender, &purpose, &action, now).await?;
        if let (Some(batches), Progress::Sent(_)) = (&self.batches, &progress) {
            let (filler, chain) = (&self.filler.config.name, order.from.chain());
            if let Err(error) = batches.store.put_single_claim(filler, chain, order.intent_id, now).await {
                tracing::debug!(%error, "the size of a claim was not recorded");
            }
        }
        Ok(progress)
    }

    /// The claim of an order alone; an error while it cannot be claimed.
    pub(super) async fn claim_action(&self, order: &Order) -> Result<ChainAction, ActionError> {
        let terms = order.terms;
        if terms.is_same_chain() {
            if order.evidence.fill.is_none() && !self.is_filled_on_chain(order).await? {
                return Err(ActionError::Permanent("the order is not filled".to_owned()));
            }
            // On one chain the escrow reads the fill itself and takes no signatures.
            let filled_at = order.evidence.fill.as_ref().map_or(0, |fill| fill.time);
            let (fill_ref, signatures) = (B256::ZERO, Vec::new());
            return Ok(ChainAction::Claim { terms, filled_at, fill_ref, signatures });
        }
        let collected = self.attestations.collect(&terms).await?;
        match collected.attestation {
            Attestation::Filled { filled_at, fill_ref, .. } => {
                Ok(ChainAction::Claim { terms, filled_at, fill_ref, signatures: collected.signatures })
            }
            Attestation::Unfilled { .. } => {
                let words = "the attesters signed that the order is unfilled, but the chain shows a fill";
                Err(ActionError::Permanent(words.to_owned()))
            }
        }
    }
}
