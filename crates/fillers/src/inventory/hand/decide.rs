use alloy_primitives::U256;
use causeway_domain::ports::{DeedError, Loss, Progress};
use causeway_domain::{Address, Decision, Order, Terms, TokenId};
use jiff::{SignedDuration, Timestamp};

use super::InventoryHand;
use super::carrying::{FILL, WAIVE, purpose};
use super::loss::{Outlook, outlook};
use super::reserve::Aside;

/// Over which losses are added up.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// What the outbox knows to have been sent for an order.
enum Begun {
    Waiver,
    Delivery,
    /// A delivery that the chain refused in a block that stands.
    Failure,
}

impl InventoryHand {
    pub(super) async fn decide_once(
        &self,
        order: &Order,
        now: Timestamp,
    ) -> Result<(Decision, Option<String>), DeedError> {
        // What was sent is the decision, whatever was lost since.
        let reason = match self.begun(order).await? {
            Some(Begun::Waiver) => {
                return Ok((Decision::Waive, Some("The filler has given the deposit back.".to_owned())));
            }
            Some(Begun::Delivery) => None,
            Some(Begun::Failure) => Some("The destination chain refused the delivery.".to_owned()),
            None => self.reason_against(order, now).await?,
        };
        Ok(match reason {
            // What was delivered is the decision too, although the store does not know of it.
            Some(_) if self.is_delivered(order).await? => (Decision::Fill, None),
            Some(reason) => (Decision::Waive, Some(reason)),
            None => (Decision::Fill, None),
        })
    }

    async fn begun(&self, order: &Order) -> Result<Option<Begun>, DeedError> {
        if let Some(carrier) = self.carriers.get(&order.from.chain()) {
            match carrier.progress(&purpose(WAIVE, order)).await? {
                None | Some(Progress::Waiting) => {}
                Some(_) => return Ok(Some(Begun::Waiver)),
            }
        }
        let Some(carrier) = self.carriers.get(&order.to.chain()) else { return Ok(None) };
        Ok(match carrier.progress(&purpose(FILL, order)).await? {
            None | Some(Progress::Waiting) => None,
            Some(Progress::Reverted(_)) => Some(Begun::Failure),
            Some(Progress::OnItsWay(_) | Progress::Succeeded(_)) => Some(Begun::Delivery),
        })
    }

    /// Why the order is not delivered, if it is not. Sets aside what it takes if it is.
    async fn reason_against(&self, order: &Order, now: Timestamp) -> Result<Option<String>, DeedError> {
        if let Some(reason) = self.stranger(order) {
            return Ok(Some(reason.to_owned()));
        }
        if self.is_too_late(&order.terms, now) {
            return Ok(Some("The deposit came too late to be delivered in time.".to_owned()));
        }
        // Without a key on both sides it could neither be delivered nor paid for.
        self.carrier(order.to.chain())?;
        self.carrier(order.from.chain())?;
        let loss = match outlook(&self.filler, order) {
            Outlook::Fair(loss) => loss,
            Outlook::Loss => {
                return Ok(Some("The price has moved too far since the quote.".to_owned()));
            }
            Outlook::Halted(words) => {
                return Ok(Some(format!("The filler does not trade this now: {words}.")));
            }
            Outlook::Unknown => return Err(later("what the order is worth is not known now")),
        };
        match self.reserve_for_order(order, now).await? {
            Aside::Enough if self.bears(order, loss, now).await? => Ok(None),
            Aside::Enough => Ok(Some("Prices have cost the filler as much today as it bears.".to_owned())),
            Aside::TooLittle => {
                Ok(Some("The filler does not have enough of the output token at hand.".to_owned()))
            }
            Aside::Unknown => Err(later("what the filler holds is not known now")),
        }
    }

    /// Whether the day can bear what is lost by this order; writes it down if so.
    async fn bears(&self, order: &Order, loss: U256, now: Timestamp) -> Result<bool, DeedError> {
        if loss.is_zero() {
            return Ok(true);
        }
        let amount = self.filler.value_up(order.from, loss);
        let amount = amount.ok_or_else(|| later("what the order is worth is not known now"))?;
        let (filler, order) = (self.filler.config.name.clone(), order.id.clone());
        let since = now.checked_sub(DAY).unwrap_or(Timestamp::MIN);
        let most = self.filler.config.max_daily_loss;
        Ok(self.losses.bear(&Loss { filler, order, amount }, most, since, now).await?)
    }

    /// Why the terms bind us to nothing, if they do not.
    fn stranger(&self, order: &Order) -> Option<&'static str> {
        let terms = &order.terms;
        let is = |token: &TokenId, chain: u64, word| {
            token.chain().get() == chain && token.address().to_word() == word
        };
        let parties = self.filler.equipment.accounts.of(order.from.chain().family());
        let names_us = parties.is_some_and(|parties| {
            [parties.filler, parties.payee].map(Address::to_word) == [terms.filler, terms.payee]
        });
        if !self.keys.have_sealed(terms) {
            Some("The filler has never quoted these terms.")
        } else if !names_us {
            Some("The terms name another filler.")
        } else if !is(&order.from, terms.origin_chain_id, terms.input_token)
            || !is(&order.to, terms.destination_chain_id, terms.output_token)
        {
            Some("The terms are about other tokens than the order.")
        } else {
            None
        }
    }

    /// Whether nothing may be sent for the first time any more: a delivery on its way must not meet its deadline.
    pub(super) fn is_too_late(&self, terms: &Terms, now: Timestamp) -> bool {
        let deadline = i64::try_from(terms.fill_deadline).ok().and_then(|at| Timestamp::from_second(at).ok());
        let margin = SignedDuration::try_from(self.filler.config.fill_cutoff).ok();
        let last = deadline.zip(margin).and_then(|(deadline, margin)| deadline.checked_sub(margin).ok());
        last.is_none_or(|last| now >= last)
    }
}

fn later(words: &str) -> DeedError {
    DeedError::Later(words.to_owned())
}
