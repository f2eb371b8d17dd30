use causeway_domain::RawAmount;
use causeway_domain::fiat::{FiatOrder, Strategy};

use super::WorkFiat;
use crate::forwarding::{ForwardingError, SwapAsk};

impl WorkFiat {
    /// Creates the swap of what arrived, if a route holds the rate. Returns whether it did.
    pub(super) async fn swap(
        &self,
        order: &mut FiatOrder,
        amount: RawAmount,
        seen_in: u64,
    ) -> Result<bool, ForwardingError> {
        let Strategy::Forwarding(plan) = &mut order.strategy else { return Ok(false) };
        let forwarding = &self.parts.forwarding;
        let wanted = SwapAsk {
            owner: order.id.as_str(),
            plan,
            from: order.sold,
            to: order.target,
            recipient: order.recipient,
            refund_to: order.refund_to,
            amount,
            detail: "Created for the payout of a purchase.",
        };
        let Some((swap, event)) = forwarding.build_swap(wanted).await? else { return Ok(false) };
        // With the version that the decision was made on: of several processes one creates the swap.
        if !self.parts.store.create_swap(&order.id, order.version, &swap, &event).await? {
            tracing::debug!(order = %order.id, "another process was faster, no swap created");
            return Ok(false);
        }
        order.version = order.version.saturating_add(1);
        let tx = order.payout.as_ref().map(|payout| payout.tx.clone());
        forwarding.begin_swap(order.id.as_str(), plan, &swap, (seen_in, tx)).await?;
        plan.swap = Some(swap.id);
        Ok(true)
    }
}
