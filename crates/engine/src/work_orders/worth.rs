use alloy_primitives::U256;
use causeway_domain::ports::DeedError;
use causeway_domain::{Order, RawAmount, TokenId, UsdAmount};

use super::WorkOrders;

/// What returning costs: the call itself, and each token that is moved.
const GAS_BASE: u64 = 150_000;

/// We return what is worth more than so many times its gas; anybody may return the rest.
const TIMES: u64 = 3;

impl WorkOrders {
    /// Whether what lies at the deposit address is worth more than three times the gas of its return. What cannot be priced
    /// is returned: somebody paid it in.
    pub(super) async fn is_worth_returning(
        &self,
        order: &Order,
        tokens: &[TokenId],
    ) -> Result<bool, DeedError> {
        let Some(address) = order.deposit_address else { return Ok(false) };
        let arrivals = self.parts.facts.arrivals(address).await?;
        let mut worth = RawAmount::ZERO;
        for token in tokens {
            let newest = arrivals.iter().rev().find(|arrival| arrival.token == *token);
            let Some(newest) = newest else { continue };
            let Some(value) = self.value(token, newest.balance) else { return Ok(true) };
            worth = worth.checked_add(value.cents()).unwrap_or(worth);
        }
        Ok(self.gas_cents(order, tokens.len()).is_none_or(|cost| worth > cost))
    }

    fn value(&self, token: &TokenId, amount: RawAmount) -> Option<UsdAmount> {
        let decimals = self.parts.catalog.snapshot().token(token)?.token.decimals;
        self.parts.prices.usd_price(token)?.value(amount, decimals)
    }

    /// Three times the gas, in cents.
    fn gas_cents(&self, order: &Order, tokens: usize) -> Option<RawAmount> {
        let chain = order.from.chain();
        let gas = GAS_BASE.checked_mul(u64::try_from(tokens).ok()?.checked_add(1)?)?.checked_mul(TIMES)?;
        let cost = self.parts.gas.price(chain)?.get().checked_mul(U256::from(gas))?;
        let coin = TokenId::native(chain);
        self.value(&coin, RawAmount::new(cost)).map(UsdAmount::cents)
    }
}
