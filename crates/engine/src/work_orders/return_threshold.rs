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
        let parts = &self.parts;
        let threshold = ReturnThreshold {
            catalog: &parts.catalog,
            prices: parts.prices.as_ref(),
            gas: parts.gas.as_ref(),
        };
        Ok(threshold.is_worth_returning(order.from.chain(), &held))
    }
}
