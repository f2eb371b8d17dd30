use causeway_domain::Order;
use causeway_domain::ports::{ActionError, ChainAction};
use jiff::Timestamp;

use super::WorkOrders;

impl WorkOrders {
    /// Opens the escrow with the balance of the deposit address; a forwarding order needs the maker's signature.
    pub(super) async fn sweep(&self, order: &Order, now: Timestamp) -> Result<(), ActionError> {
        let terms = order.terms;
        let Some(forwarding) = order.forwarding.clone() else {
            if let Some(screening) = &self.sender_screening {
                screening.check(order, self.parts.facts.as_ref(), now).await?;
            }
            return self.relay(order, "sweep", &ChainAction::Sweep { terms }, now).await.map(drop);
        };
        // It opens with the amount that was quoted; what somebody added since then stops nothing (rule 21).
        let arrivals = match order.deposit_address {
            Some(address) => self.parts.facts.arrivals(address).await?,
            None => Vec::new(),
        };
        let newest = arrivals.iter().rev().find(|arrival| arrival.token == order.from);
        if newest.is_none_or(|newest| newest.balance.get() < terms.amount_in) {
            return Err(ActionError::Temporary(
                "the balance of the deposit address is less than this order's amount".to_owned(),
            ));
        }
        let chain = order.from.chain();
        let signer = self.parts.forwarding_signers.get(&chain);
        let signer = signer.ok_or_else(|| {
            ActionError::Temporary(format!("forwarding is not configured on chain {chain}"))
        })?;
        let signature = signer
            .sign_open(forwarding.id(), order.intent_id)
            .await
            .map_err(|error| ActionError::Temporary(error.to_string()))?;
        let chain_action = ChainAction::OpenForwarding { forwarding, terms, signature };
        self.relay(order, "jump", &chain_action, now).await.map(drop)
    }
}
