use causeway_domain::ports::{ActionError, EscrowState, OnChainStatus};
use causeway_domain::{ChainId, Order};

use super::InventoryExecutor;

// A store that was restored from a backup knows neither the decisions nor the transactions made after it. So before anything
// irreversible is sent, the state of the order is read from the other chain.

impl InventoryExecutor {
    /// Whether the destination chain shows a fill, in any block. Fails while a pending fill that the outbox does not know may
    /// still be included.
    pub(super) async fn is_filled_on_chain(&self, order: &Order) -> Result<bool, ActionError> {
        // Without a key on that chain, this filler has sent nothing.
        let Some(sender) = self.senders.get(&order.to.chain()) else { return Ok(false) };
        let status = sender.on_chain_status(&order.terms).await?;
        if !status.is_filled {
            self.check_no_unknown_pending(order, status, order.to.chain())?;
        }
        Ok(status.is_filled)
    }

    /// Fails while too few attesters of the order's epoch answer: what is delivered now could not be claimed.
    pub(super) async fn check_attesters(&self, order: &Order) -> Result<(), ActionError> {
        let terms = &order.terms;
        if terms.origin_chain_id == terms.destination_chain_id || self.attestations.is_available(terms).await
        {
            return Ok(());
        }
        let words = "too few attesters of the order's epoch answer now, so nothing is filled";
        Err(ActionError::Temporary(words.to_owned()))
    }

    /// Fails unless the escrow holds the deposit and no pending transaction of ours can release it.
    pub(super) async fn check_escrow_open(&self, order: &Order) -> Result<(), ActionError> {
        let status = self.sender(order.from.chain())?.on_chain_status(&order.terms).await?;
        if status.escrow != EscrowState::Open {
            let words = "the escrow does not show an open deposit now, so nothing is filled";
            return Err(ActionError::Temporary(words.to_owned()));
        }
        self.check_no_unknown_pending(order, status, order.from.chain())
    }

    /// Fails while a transaction that the outbox does not know may be pending for the order. Orders created after this process
    /// started have none.
    fn check_no_unknown_pending(
        &self,
        order: &Order,
        status: OnChainStatus,
        chain: ChainId,
    ) -> Result<(), ActionError> {
        if status.is_settled || order.created_at > self.started_at {
            return Ok(());
        }
        Err(ActionError::Temporary(format!(
            "a transaction sent on chain {chain} before the service started may still be included"
        )))
    }
}
