use causeway_domain::ports::{ActionError, ChainAction, LossKind, Progress};
use causeway_domain::{Decision, Order, TokenId};
use jiff::Timestamp;

use super::InventoryExecutor;
use super::payment::Payment;
use super::sending::{Attempt, FILL, WAIVE, purpose};

impl InventoryExecutor {
    /// Sends the fill once. A reverted fill is not retried: the deposit is refunded instead.
    pub(super) async fn fill_order(&self, order: &Order, now: Timestamp) -> Result<Progress, ActionError> {
        if order.decision != Some(Decision::Fill) {
            return Err(ActionError::Permanent("the filler has not decided to fill this order".to_owned()));
        }
        let sender = self.sender(order.to.chain())?;
        let purpose = purpose(FILL, order);
        match sender.progress(&purpose).await? {
            None | Some(Progress::Waiting) => {}
            Some(progress) => {
                if matches!(progress, Progress::Reverted(_)) {
                    self.record_fees(order, sender, &purpose, LossKind::RevertedFill, now).await;
                }
                return Ok(progress);
            }
        }
        if self.is_past_cutoff(&order.terms, now) {
            // This never becomes a waiver: another replica may be sending right now. The on-chain deadline
            // proves that nothing was filled, and then the deposit is refunded.
            return Err(ActionError::Temporary(
                "it is too late to send the fill; its deadline is near".to_owned(),
            ));
        }
        self.check_attesters(order).await?;
        self.check_escrow_open(order).await?;
        let payment = Payment::for_order(order, self.filler.deps.vaults.as_ref());
        let payment = payment.ok_or_else(|| {
            ActionError::Temporary("the cost of the vault's shares is not known now".to_owned())
        })?;
        let action = ChainAction::Fill { terms: order.terms, through: payment.through };
        match self.send(sender, &purpose, &action, now).await {
            Err(ActionError::WouldFail(words)) if self.can_pay(&payment) => {
                Err(ActionError::Unpayable(words))
            }
            sent => sent,
        }
    }

    /// Whether the filler holds the payment, and more than that where fees are paid in the same coin.
    fn can_pay(&self, payment: &Payment) -> bool {
        let holding = self.filler.deps.book.holding(&payment.token);
        let is_coin = payment.token == TokenId::native(payment.token.chain());
        holding.is_some_and(|holding| {
            if is_coin { holding.held > payment.amount } else { holding.held >= payment.amount }
        })
    }

    /// Refunds the deposit, unless a fill was sent that has not finally reverted.
    pub(super) async fn waive_order(&self, order: &Order, now: Timestamp) -> Result<Progress, ActionError> {
        if order.decision != Some(Decision::Waive) {
            return Err(ActionError::Permanent("the filler has not decided to waive this order".to_owned()));
        }
        if order.evidence.fill.is_some() || self.has_pending_fill(order).await? {
            let words = "a fill was sent, so the deposit is not refunded";
            return Err(ActionError::Permanent(words.to_owned()));
        }
        let sender = self.sender(order.from.chain())?;
        if sender.account().to_word() != order.terms.filler {
            let words = format!(
                "only the filler named in the terms can refund, and {} is another account",
                sender.account()
            );
            return Err(ActionError::Permanent(words));
        }
        match Self::next_attempt(sender, WAIVE, order).await? {
            Attempt::Started(progress) => Ok(progress),
            Attempt::Next(purpose) => {
                if self.is_filled_on_chain(order).await? {
                    let words = "the destination chain shows a fill, so the deposit is not refunded";
                    return Err(ActionError::Temporary(words.to_owned()));
                }
                self.store.release(&self.filler.config.name, order.id.as_str()).await?;
                let sent =
                    self.send(sender, &purpose, &ChainAction::Refund { terms: order.terms }, now).await;
                self.record_fees(order, sender, &purpose, LossKind::Waiver, now).await;
                sent
            }
        }
    }

    async fn has_pending_fill(&self, order: &Order) -> Result<bool, ActionError> {
        // Without a key on that chain, this filler has sent nothing.
        let Some(sender) = self.senders.get(&order.to.chain()) else { return Ok(false) };
        let progress = sender.progress(&purpose(FILL, order)).await?;
        Ok(matches!(progress, Some(Progress::Sent(_) | Progress::Succeeded(_))))
    }
}
