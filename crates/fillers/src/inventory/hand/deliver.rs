use causeway_domain::ports::{Deed, DeedError, Progress};
use causeway_domain::{Decision, Order, TokenId};
use jiff::Timestamp;

use super::InventoryHand;
use super::carrying::{FILL, Turn, WAIVE, purpose};
use super::payment::Payment;

impl InventoryHand {
    /// Sends the delivery once. One that was reverted stays so: the deposit then goes back.
    pub(super) async fn deliver(&self, order: &Order, now: Timestamp) -> Result<Progress, DeedError> {
        if order.decision != Some(Decision::Fill) {
            return Err(DeedError::Never("the filler has not decided to deliver this order".to_owned()));
        }
        let carrier = self.carrier(order.to.chain())?;
        let purpose = purpose(FILL, order);
        match carrier.progress(&purpose).await? {
            None | Some(Progress::Waiting) => {}
            Some(progress) => return Ok(progress),
        }
        if self.is_too_late(&order.terms, now) {
            // Never turns into a waiver: somebody else may be sending at this very moment. The chains' own deadline
            // proves that nothing was delivered, and the deposit goes back by that.
            return Err(DeedError::Later(
                "it is too late to send the delivery; its deadline is near".to_owned(),
            ));
        }
        self.is_still_held(order).await?;
        let payment = Payment::of(order, self.filler.equipment.vaults.as_ref());
        let payment = payment
            .ok_or_else(|| DeedError::Later("what the vault's shares cost is not known now".to_owned()))?;
        let deed = Deed::Fill { terms: order.terms, through: payment.through };
        match self.send(carrier, &purpose, &deed, now).await {
            Err(DeedError::WouldFail(words)) if self.holds(&payment) => Err(DeedError::Unpayable(words)),
            sent => sent,
        }
    }

    /// Whether the filler has what a payment takes, and something left where fees are paid in the same coin.
    fn holds(&self, payment: &Payment) -> bool {
        let holding = self.filler.equipment.book.holding(&payment.token);
        let is_coin = payment.token == TokenId::native(payment.token.chain());
        holding.is_some_and(|holding| {
            if is_coin { holding.held > payment.amount } else { holding.held >= payment.amount }
        })
    }

    /// Gives the deposit back, unless a delivery was sent that has not failed for good.
    pub(super) async fn give_back(&self, order: &Order, now: Timestamp) -> Result<Progress, DeedError> {
        if order.decision != Some(Decision::Waive) {
            return Err(DeedError::Never("the filler has not decided to give this deposit back".to_owned()));
        }
        if order.evidence.fill.is_some() || self.is_delivering(order).await? {
            let words = "the delivery was sent, so the deposit is not given back";
            return Err(DeedError::Never(words.to_owned()));
        }
        let carrier = self.carrier(order.from.chain())?;
        if carrier.account().to_word() != order.terms.filler {
            let words = format!(
                "only the filler that the terms name gives back, and {} is not it",
                carrier.account()
            );
            return Err(DeedError::Never(words));
        }
        match Self::turn(carrier, WAIVE, order).await? {
            Turn::Begun(progress) => Ok(progress),
            Turn::Next(purpose) => {
                if self.is_delivered(order).await? {
                    let words = "the destination shows a delivery, so the deposit is not given back";
                    return Err(DeedError::Later(words.to_owned()));
                }
                self.reservations.release(&self.filler.config.name, order.id.as_str()).await?;
                self.send(carrier, &purpose, &Deed::Refund { terms: order.terms }, now).await
            }
        }
    }

    async fn is_delivering(&self, order: &Order) -> Result<bool, DeedError> {
        // Where this filler has no key, it has sent nothing.
        let Some(carrier) = self.carriers.get(&order.to.chain()) else { return Ok(false) };
        let progress = carrier.progress(&purpose(FILL, order)).await?;
        Ok(matches!(progress, Some(Progress::OnItsWay(_) | Progress::Succeeded(_))))
    }
}
