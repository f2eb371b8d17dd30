use alloy_primitives::U256;
use causeway_domain::ports::{ActionError, Loss, LossKind, Progress};
use causeway_domain::{Address, Decision, IntentTerms, Order, TokenId};
use jiff::{SignedDuration, Timestamp};

use super::InventoryExecutor;
use super::loss::{LossCheck, check_loss};
use super::reserve::ReserveOutcome;
use super::sending::{FILL, WAIVE, purpose};

/// The window over which losses are added up.
const LOSS_WINDOW: SignedDuration = SignedDuration::from_hours(24);

/// What the outbox has already sent for an order.
enum SentAction {
    Waive,
    Fill,
    /// A fill that reverted in a final block.
    RevertedFill,
}

impl InventoryExecutor {
    pub(super) async fn decide_order(
        &self,
        order: &Order,
        now: Timestamp,
    ) -> Result<(Decision, Option<String>), ActionError> {
        // What was sent is the decision, even if the stored decision was lost.
        let reason = match self.sent_action(order).await? {
            Some(SentAction::Waive) => {
                return Ok((Decision::Waive, Some("The filler has refunded the deposit.".to_owned())));
            }
            Some(SentAction::Fill) => None,
            Some(SentAction::RevertedFill) => Some("The destination chain reverted the fill.".to_owned()),
            None => self.waive_reason(order, now).await?,
        };
        Ok(match reason {
            // An on-chain fill is the decision too, even if the store does not know of it.
            Some(_) if self.is_filled_on_chain(order).await? => (Decision::Fill, None),
            Some(reason) => (Decision::Waive, Some(reason)),
            None => (Decision::Fill, None),
        })
    }

    async fn sent_action(&self, order: &Order) -> Result<Option<SentAction>, ActionError> {
        if let Some(sender) = self.senders.get(&order.from.chain()) {
            match sender.progress(&purpose(WAIVE, order)).await? {
                None | Some(Progress::Waiting) => {}
                Some(_) => return Ok(Some(SentAction::Waive)),
            }
        }
        let Some(sender) = self.senders.get(&order.to.chain()) else { return Ok(None) };
        Ok(match sender.progress(&purpose(FILL, order)).await? {
            None | Some(Progress::Waiting) => None,
            Some(Progress::Reverted(_)) => Some(SentAction::RevertedFill),
            Some(Progress::Sent(_) | Progress::Succeeded(_)) => Some(SentAction::Fill),
        })
    }

    /// Why the order is waived; `None` if it is filled, and then its funds are reserved.
    async fn waive_reason(&self, order: &Order, now: Timestamp) -> Result<Option<String>, ActionError> {
        if let Some(reason) = self.terms_mismatch(order) {
            return Ok(Some(reason.to_owned()));
        }
        if self.filler.waives(order.to.chain()) {
            return Ok(Some("A switch of the sandbox lets this filler fail.".to_owned()));
        }
        if self.is_past_cutoff(&order.terms, now) {
            return Ok(Some("The deposit came too late to be filled in time.".to_owned()));
        }
        // Without a key on both chains the order can be neither filled nor claimed.
        self.sender(order.to.chain())?;
        self.sender(order.from.chain())?;
        self.check_attesters(order).await?;
        if let Some(reason) = self.unpayable_reason(order).await {
            return Ok(Some(format!("The recipient cannot be paid: {reason}.")));
        }
        let loss = match check_loss(&self.filler, order) {
            LossCheck::Acceptable(loss) => loss,
            LossCheck::TooLarge => {
                return Ok(Some("The price has moved too far since the quote.".to_owned()));
            }
            LossCheck::LateAndCostly => {
                let reason = "The deposit came after the price had expired, and the price has moved since.";
                return Ok(Some(reason.to_owned()));
            }
            LossCheck::Halted(words) => {
                return Ok(Some(format!("The filler does not trade this pair now: {words}.")));
            }
            LossCheck::Unknown => return Err(later("the order cannot be priced now")),
        };
        match self.reserve_for_order(order, now).await? {
            ReserveOutcome::Reserved if self.record_loss(order, loss, now).await? => Ok(None),
            ReserveOutcome::Reserved => Ok(Some("The filler has reached its daily loss limit.".to_owned())),
            ReserveOutcome::Insufficient => {
                Ok(Some("The filler does not have enough of the output token.".to_owned()))
            }
            ReserveOutcome::Unknown => Err(later("the filler's balance is not known now")),
        }
    }

    /// Records the loss of this order if it fits the daily limit; returns whether it does.
    async fn record_loss(&self, order: &Order, loss: U256, now: Timestamp) -> Result<bool, ActionError> {
        if loss.is_zero() {
            return Ok(true);
        }
        let amount = self.filler.usd_value_up(order.from, loss);
        let amount = amount.ok_or_else(|| later("the order cannot be priced now"))?;
        let (filler, order) = (self.filler.config.name.clone(), order.id.clone());
        let since = now.checked_sub(LOSS_WINDOW).unwrap_or(Timestamp::MIN);
        let max_daily_loss = self.filler.config.max_daily_loss;
        Ok(self
            .store
            .record_loss(&Loss { filler, order, kind: LossKind::Price, amount }, max_daily_loss, since, now)
            .await?)
    }

    /// Why the terms do not bind this filler; `None` if they do.
    fn terms_mismatch(&self, order: &Order) -> Option<&'static str> {
        let terms = &order.terms;
        let is = |token: &TokenId, chain: u64, word| {
            token.chain().get() == chain && token.address().to_word() == word
        };
        let parties = self.filler.deps.accounts.for_family(order.from.chain().family());
        let names_this_filler = parties.is_some_and(|parties| {
            [parties.filler, parties.payee].map(Address::to_word) == [terms.filler, terms.payee]
        });
        if !self.keys.have_sealed(terms) {
            Some("The filler has never quoted these terms.")
        } else if !names_this_filler {
            Some("The terms name another filler.")
        } else if !is(&order.from, terms.origin_chain_id, terms.input_token)
            || !is(&order.to, terms.destination_chain_id, terms.output_token)
        {
            Some("The terms are about other tokens than the order.")
        } else {
            None
        }
    }

    /// Whether it is too late to send a first fill: one that is pending must not run into its deadline.
    pub(super) fn is_past_cutoff(&self, terms: &IntentTerms, now: Timestamp) -> bool {
        let deadline = i64::try_from(terms.fill_deadline).ok().and_then(|at| Timestamp::from_second(at).ok());
        let margin = SignedDuration::try_from(self.filler.config.fill_cutoff).ok();
        let last = deadline.zip(margin).and_then(|(deadline, margin)| deadline.checked_sub(margin).ok());
        last.is_none_or(|last| now >= last)
    }
}

fn later(words: &str) -> ActionError {
    ActionError::Temporary(words.to_owned())
}
