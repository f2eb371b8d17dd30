//! Gas that other people's code takes: refused in advance, and counted where it was spent (rule 25).

use causeway_domain::Order;
use causeway_domain::ports::{ChainAction, Loss, LossKind, TxSender};
use jiff::Timestamp;

use super::InventoryExecutor;
use super::payment::Payment;

impl InventoryExecutor {
    /// Why the recipient cannot be paid, as the destination chain simulates the fill now. Where that is not known there is no
    /// reason: a fill is simulated again before it is sent.
    pub(super) async fn unpayable_reason(&self, order: &Order) -> Option<String> {
        let sender = self.senders.get(&order.to.chain())?;
        let payment = Payment::for_order(order, self.filler.deps.vaults.as_ref())?;
        let fill = ChainAction::Fill { terms: order.terms, through: payment.through };
        sender.unpayable_reason(&fill).await.unwrap_or_else(|error| {
            tracing::debug!(order = order.id.as_str(), %error, "the fill could not be simulated");
            None
        })
    }

    /// Counts the fees of a transaction that earns nothing into the daily loss, at the most that they can have been.
    pub(super) async fn record_fees(
        &self,
        order: &Order,
        sender: &dyn TxSender,
        purpose: &str,
        kind: LossKind,
        now: Timestamp,
    ) {
        let fees = match sender.max_fees(purpose).await {
            Ok(Some(fees)) if !fees.is_zero() => fees,
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(order = order.id.as_str(), %error, "fees spent are not known, so they do not count as a loss");
                return;
            }
        };
        let Some(amount) = self.filler.coin_value_up(sender.chain(), fees) else {
            tracing::warn!(order = order.id.as_str(), %fees, "fees spent have no price, so they do not count as a loss");
            return;
        };
        let loss = Loss { filler: self.filler.config.name.clone(), order: order.id.clone(), kind, amount };
        if let Err(error) = self.store.record_spent(&loss, now).await {
            tracing::error!(order = order.id.as_str(), %error, "fees spent could not be recorded as a loss");
        }
    }
}
