use alloy_primitives::B256;
use causeway_domain::ports::{Deed, DeedError, Progress};
use causeway_domain::{Attestation, Order};
use jiff::Timestamp;

use super::InventoryHand;
use super::carrying::{CLAIM, Turn};

impl InventoryHand {
    /// Asks the escrow for the deposit, with the attesters' word where the delivery was on another chain.
    pub(super) async fn get_paid(&self, order: &Order, now: Timestamp) -> Result<Progress, DeedError> {
        let carrier = self.carrier(order.from.chain())?;
        match Self::turn(carrier, CLAIM, order).await? {
            Turn::Begun(progress) => Ok(progress),
            Turn::Next(purpose) => {
                let deed = self.claim_for(order).await?;
                self.send(carrier, &purpose, &deed, now).await
            }
        }
    }

    async fn claim_for(&self, order: &Order) -> Result<Deed, DeedError> {
        let terms = order.terms;
        let Some(fill) = &order.evidence.fill else {
            return Err(DeedError::Never("nothing is paid before the delivery stands".to_owned()));
        };
        if terms.is_same_chain() {
            // The escrow looks itself, and takes no signatures.
            let (filled_at, fill_ref, signatures) = (fill.time, B256::ZERO, Vec::new());
            return Ok(Deed::Claim { terms, filled_at, fill_ref, signatures });
        }
        let collected = self.attestations.collect(&terms).await?;
        match collected.attestation {
            Attestation::Filled { filled_at, fill_ref, .. } => {
                Ok(Deed::Claim { terms, filled_at, fill_ref, signatures: collected.signatures })
            }
            Attestation::Unfilled { .. } => {
                let words = "the attesters have signed that the order was not delivered, against what the chain shows";
                Err(DeedError::Never(words.to_owned()))
            }
        }
    }
}
