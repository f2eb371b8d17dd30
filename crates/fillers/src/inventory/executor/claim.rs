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
        match Self::next_attempt(sender, CLAIM, order).await? {
            Attempt::Started(progress) => Ok(progress),
            Attempt::Next(purpose) => {
                let action = self.claim_action(order).await?;
                self.send(sender, &purpose, &action, now).await
            }
        }
    }

    async fn claim_action(&self, order: &Order) -> Result<ChainAction, ActionError> {
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
