use causeway_domain::ports::ActionError;
use causeway_domain::{Order, RawAmount, TokenId};

use super::WorkOrders;
use crate::return_threshold::ReturnThreshold;

impl WorkOrders {
    /// Whether the balance of the deposit address is worth more than three times the gas of its return.
    pub(super) async fn is_worth_returning(
        &self,
        order: &Order,
        tokens: &[TokenId],
    ) -> Result<bool, ActionError> {
        let Some(address) = order.deposit_address else { return Ok(false) };
        let arrivals = self.parts.facts.arrivals(address).await?;
        let newest = |token: &TokenId| arrivals.iter().rev().find(|arrival| arrival.token == *token);
        let held: Vec<(TokenId, RawAmount)> = tokens
            .iter()
            .map(|token| (*token, newest(token).map_or(RawAmount::ZERO, |arrival| arrival.balance)))
            .collect();
        Ok(self.threshold().is_worth_returning(order.from.chain(), &held))
    }

    /// Fails if we would pay more for the account that takes a refund on Solana than the deposit is worth.
    pub(super) async fn check_refund_cost(&self, order: &Order) -> Result<(), ActionError> {
        let (token, amount) = (order.from, RawAmount::new(order.terms.amount_in));
        let pays = |held| self.threshold().is_worth_refunding(token, amount, held);
        if pays(RawAmount::ZERO) {
            return Ok(());
        }
        let watch = self.watches.get(&token.chain());
        let block = self.parts.cursors.get(token.chain()).map_or(0, |cursor| cursor.number);
        let held = match watch {
            Some(watch) => watch.balances_since(&[(order.refund_to, token)], block).await?.0.pop(),
            None => None,
        };
        if pays(held.unwrap_or_default()) {
            return Ok(());
        }
        let words = "the refund address has no account for the token, and one costs more than the deposit is worth: with an account \
                     that holds some of the token it is refunded, and after refundAt anybody may refund it";
        Err(ActionError::Temporary(words.to_owned()))
    }

    fn threshold(&self) -> ReturnThreshold<'_> {
        let parts = &self.parts;
        ReturnThreshold { catalog: &parts.catalog, prices: parts.prices.as_ref(), gas: parts.gas.as_ref() }
    }
}
