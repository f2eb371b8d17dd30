use causeway_domain::ports::{DeedError, EscrowState, Truth};
use causeway_domain::{ChainId, Order};

use super::InventoryHand;

// A store that was put back from a copy knows neither the decisions nor the transactions that came after it. So before anything
// is sent that cannot be taken back, the chain on the other side is asked what has become of the order.

impl InventoryHand {
    /// Whether the destination shows a delivery, in whichever block. One that is on its way and unknown to the outbox may still
    /// come: while that can be, nobody can say.
    pub(super) async fn is_delivered(&self, order: &Order) -> Result<bool, DeedError> {
        // Where this filler has no key, it has sent nothing.
        let Some(carrier) = self.carriers.get(&order.to.chain()) else { return Ok(false) };
        let truth = carrier.truth(&order.terms).await?;
        if !truth.is_filled {
            self.is_whole(order, truth, order.to.chain())?;
        }
        Ok(truth.is_filled)
    }

    /// Fails unless the escrow holds the deposit and nothing of ours can be on its way that takes it out.
    pub(super) async fn is_still_held(&self, order: &Order) -> Result<(), DeedError> {
        let truth = self.carrier(order.from.chain())?.truth(&order.terms).await?;
        if truth.escrow != EscrowState::Open {
            let words = "the escrow does not show the deposit as open now, so nothing is delivered";
            return Err(DeedError::Later(words.to_owned()));
        }
        self.is_whole(order, truth, order.from.chain())
    }

    /// Fails while something may be on its way for the order that the outbox does not know. All that was sent for an order which
    /// is younger than this process was sent with its knowledge.
    fn is_whole(&self, order: &Order, truth: Truth, chain: ChainId) -> Result<(), DeedError> {
        if truth.is_settled || order.created_at > self.since {
            return Ok(());
        }
        Err(DeedError::Later(format!(
            "what was sent on chain {chain} before the service started may still come into a block"
        )))
    }
}
