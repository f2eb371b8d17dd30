//! Gas that other people's code takes: refused in advance, and counted where it was spent (rule 25).

use causeway_domain::ports::{ChainAction, Loss, LossKind, Outflow, TxSender};
use causeway_domain::{Order, RawAmount, UsdAmount};
use jiff::{SignedDuration, Timestamp};

use super::InventoryExecutor;
use super::payment::Payment;

/// The window over which outflows are added up.
pub(in crate::inventory) const OUTFLOW_WINDOW: SignedDuration = SignedDuration::from_hours(1);

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

    /// Counts what a transaction takes from its chain into the hourly sums (rule 30): its fees, and what a fill delivers.
    pub(super) async fn record_outflow(
        &self,
        sender: &dyn TxSender,
        purpose: &str,
        action: &ChainAction,
        now: Timestamp,
    ) {
        let chain = sender.chain();
        let fees = sender.max_fees(purpose).await.ok().flatten().unwrap_or_default();
        let value = match action {
            ChainAction::Fill { terms, through } => {
                self.filler.delivered_value(chain, terms, through.as_ref())
            }
            _ => Some(UsdAmount::from_cents(RawAmount::ZERO)),
        };
        let none = UsdAmount::from_cents(RawAmount::ZERO);
        let fees = if fees.is_zero() { Some(none) } else { self.filler.coin_value_up(chain, fees) };
        let outflow = Outflow {
            filler: self.filler.config.name.clone(),
            purpose: purpose.to_owned(),
            chain,
            // What has no price just now counts as the largest order.
            value: value.unwrap_or(self.filler.config.max_order),
            fees: fees.unwrap_or(none),
        };
        self.filler.deps.breakers.add(&outflow);
        let since = now.checked_sub(OUTFLOW_WINDOW).unwrap_or(Timestamp::MIN);
        if let Err(error) = self.store.record_outflow(&outflow, since, now).await {
            tracing::warn!(purpose, %error, "what left the chain could not be recorded");
        }
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
