use causeway_domain::Order;
use causeway_domain::ports::{Deed, DeedError};
use jiff::Timestamp;

use super::WorkOrders;

impl WorkOrders {
    /// Opens with what lies at the deposit address; where that is a jump's, by the maker's word.
    pub(super) async fn sweep(&self, order: &Order, now: Timestamp) -> Result<(), DeedError> {
        let terms = order.terms;
        let Some(jump) = order.jump.clone() else {
            return self.relay(order, "sweep", &Deed::Sweep { terms }, now).await.map(drop);
        };
        // A jump opens with all that lies there: more, less or nothing is another order's.
        let arrivals = match order.deposit_address {
            Some(address) => self.parts.facts.arrivals(address).await?,
            None => Vec::new(),
        };
        let newest = arrivals.iter().rev().find(|arrival| arrival.token == order.from);
        if newest.is_none_or(|newest| newest.balance.get() != terms.amount_in) {
            return Err(DeedError::Later("what lies at the address is not this order's amount".to_owned()));
        }
        let chain = order.from.chain();
        let desk = self.parts.jump_desks.get(&chain);
        let desk = desk.ok_or_else(|| DeedError::Later(format!("no jumps start on chain {chain}")))?;
        let signature =
            desk.sign_open(jump.id(), order.intent).map_err(|error| DeedError::Later(error.to_string()))?;
        let deed = Deed::Jump { jump, terms, signature };
        self.relay(order, "jump", &deed, now).await.map(drop)
    }
}
