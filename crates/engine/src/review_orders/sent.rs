use causeway_domain::ports::{Arrival, Outgoing, StoreError};
use causeway_domain::{ChainId, Order};

use super::ReviewOrders;

/// The names of deeds on the chain of the deposit; each may have been tried anew under a number.
const ON_ORIGIN: [&str; 8] = ["open", "sweep", "jump", "waive", "unfilled", "refund", "claim", "close-order"];

/// Those on the other chain.
const ON_DESTINATION: [&str; 2] = ["fill", "close-fill"];

/// A purpose is tried no more often than this.
const TRIES: u32 = 6;

impl ReviewOrders {
    /// Our transactions for an order, by the purposes that the outbox lets through once.
    pub(super) async fn sent(
        &self,
        order: &Order,
        arrivals: &[Arrival],
    ) -> Result<Vec<Outgoing>, StoreError> {
        let mut sent = Vec::new();
        for deed in ON_ORIGIN {
            self.tries(order.from.chain(), format!("{deed}:{:#x}", order.intent), &mut sent).await?;
        }
        for deed in ON_DESTINATION {
            self.tries(order.to.chain(), format!("{deed}:{:#x}", order.intent), &mut sent).await?;
        }
        let mut blocks: Vec<u64> = arrivals.iter().map(|arrival| arrival.block).collect();
        blocks.dedup();
        for block in blocks {
            let purpose = format!("giveback:{:#x}:{block}", order.intent);
            self.tries(order.from.chain(), purpose, &mut sent).await?;
        }
        sent.sort_by_key(|outgoing| outgoing.attempts.first().map(|attempt| attempt.made_at));
        Ok(sent)
    }

    async fn tries(&self, chain: ChainId, first: String, sent: &mut Vec<Outgoing>) -> Result<(), StoreError> {
        let outbox = &self.parts.outbox;
        for number in 1..=TRIES {
            let purpose = if number == 1 { first.clone() } else { format!("{first}:{number}") };
            let Some(outgoing) = outbox.for_purpose(chain, &purpose).await? else { return Ok(()) };
            sent.push(outgoing);
        }
        Ok(())
    }
}
