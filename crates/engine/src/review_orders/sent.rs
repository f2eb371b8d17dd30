use causeway_domain::ports::{Arrival, Outgoing, StoreError, attempt_purposes};
use causeway_domain::{ChainId, Order};

use super::ReviewOrders;

/// Purposes of transactions on the origin chain; a retry appends its number.
const ON_ORIGIN: [&str; 8] = ["open", "sweep", "jump", "waive", "unfilled", "refund", "claim", "close-order"];

/// Purposes of transactions on the destination chain.
const ON_DESTINATION: [&str; 2] = ["fill", "close-fill"];

impl ReviewOrders {
    /// Our transactions for an order, found by their purposes, which are unique in the outbox.
    pub(super) async fn sent(
        &self,
        order: &Order,
        arrivals: &[Arrival],
    ) -> Result<Vec<Outgoing>, StoreError> {
        let mut sent = Vec::new();
        for action in ON_ORIGIN {
            self.attempts(order.from.chain(), format!("{action}:{:#x}", order.intent_id), &mut sent).await?;
        }
        for action in ON_DESTINATION {
            self.attempts(order.to.chain(), format!("{action}:{:#x}", order.intent_id), &mut sent).await?;
        }
        let mut blocks: Vec<u64> = arrivals.iter().map(|arrival| arrival.block).collect();
        blocks.dedup();
        for block in blocks {
            let purpose = format!("giveback:{:#x}:{block}", order.intent_id);
            self.attempts(order.from.chain(), purpose, &mut sent).await?;
        }
        sent.sort_by_key(|outgoing| outgoing.attempts.first().map(|attempt| attempt.made_at));
        Ok(sent)
    }

    async fn attempts(
        &self,
        chain: ChainId,
        first: String,
        sent: &mut Vec<Outgoing>,
    ) -> Result<(), StoreError> {
        let outbox = &self.parts.outbox;
        for purpose in attempt_purposes(&first) {
            let Some(outgoing) = outbox.for_purpose(chain, &purpose).await? else { return Ok(()) };
            sent.push(outgoing);
        }
        Ok(())
    }
}
