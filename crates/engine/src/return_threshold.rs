use alloy_primitives::U256;
use causeway_catalog::Catalog;
use causeway_domain::ports::{GasFeed, PriceFeed};
use causeway_domain::{ChainId, Family, RawAmount, TokenId, UsdAmount};

/// The cost of a return, once for the call and once per token: gas on EVM chains, signatures on Solana.
const fn gas_units(family: Family) -> u64 {
    match family {
        Family::Evm => 150_000,
        Family::Solana => 1,
    }
}

/// A balance is returned when it is worth more than this many times the gas; anybody may return smaller ones.
const MIN_VALUE_TO_GAS: u64 = 3;

/// Compares the value of a balance with the gas cost of returning it.
#[derive(Clone, Copy)]
pub(crate) struct ReturnThreshold<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) prices: &'a dyn PriceFeed,
    pub(crate) gas: &'a dyn GasFeed,
}

impl ReturnThreshold<'_> {
    /// Whether the balances are worth more than three times the gas. Tokens without a price are always returned.
    pub(crate) fn is_worth_returning(&self, chain: ChainId, held: &[(TokenId, RawAmount)]) -> bool {
        let mut total = RawAmount::ZERO;
        for (token, balance) in held {
            let Some(value) = self.value(token, *balance) else { return true };
            total = total.checked_add(value.cents()).unwrap_or(total);
        }
        self.min_cents(chain, held.len()).is_none_or(|cost| total > cost)
    }

    fn value(&self, token: &TokenId, amount: RawAmount) -> Option<UsdAmount> {
        let decimals = self.catalog.snapshot().token(token)?.token.decimals;
        self.prices.usd_price(token)?.value(amount, decimals)
    }

    /// The minimum value, in cents.
    fn min_cents(&self, chain: ChainId, tokens: usize) -> Option<RawAmount> {
        let parts = u64::try_from(tokens).ok()?.checked_add(1)?;
        let gas = gas_units(chain.family()).checked_mul(parts)?.checked_mul(MIN_VALUE_TO_GAS)?;
        let cost = self.gas.price(chain)?.get().checked_mul(U256::from(gas))?;
        let coin = TokenId::native(chain);
        self.value(&coin, RawAmount::new(cost)).map(UsdAmount::cents)
    }
}
