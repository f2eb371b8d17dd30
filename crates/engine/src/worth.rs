use alloy_primitives::U256;
use causeway_catalog::Catalog;
use causeway_domain::ports::{GasFeed, PriceFeed};
use causeway_domain::{ChainId, Family, RawAmount, TokenId, UsdAmount};

/// What returning costs, for the call itself and again for each token that is moved: gas on EVM chains, signatures on Solana.
const fn unit_of(family: Family) -> u64 {
    match family {
        Family::Evm => 150_000,
        Family::Solana => 1,
    }
}

/// We return what is worth more than so many times its gas; anybody may return the rest.
const TIMES: u64 = 3;

/// Weighs what lies at an address against the gas of sending it back.
#[derive(Clone, Copy)]
pub(crate) struct Worth<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) prices: &'a dyn PriceFeed,
    pub(crate) gas: &'a dyn GasFeed,
}

impl Worth<'_> {
    /// Whether it is worth more than three times the gas of its return. What cannot be priced is returned: somebody paid it in.
    pub(crate) fn is_worth_returning(&self, chain: ChainId, held: &[(TokenId, RawAmount)]) -> bool {
        let mut worth = RawAmount::ZERO;
        for (token, balance) in held {
            let Some(value) = self.value(token, *balance) else { return true };
            worth = worth.checked_add(value.cents()).unwrap_or(worth);
        }
        self.gas_cents(chain, held.len()).is_none_or(|cost| worth > cost)
    }

    fn value(&self, token: &TokenId, amount: RawAmount) -> Option<UsdAmount> {
        let decimals = self.catalog.snapshot().token(token)?.token.decimals;
        self.prices.usd_price(token)?.value(amount, decimals)
    }

    /// Three times the gas, in cents.
    fn gas_cents(&self, chain: ChainId, tokens: usize) -> Option<RawAmount> {
        let parts = u64::try_from(tokens).ok()?.checked_add(1)?;
        let gas = unit_of(chain.family()).checked_mul(parts)?.checked_mul(TIMES)?;
        let cost = self.gas.price(chain)?.get().checked_mul(U256::from(gas))?;
        let coin = TokenId::native(chain);
        self.value(&coin, RawAmount::new(cost)).map(UsdAmount::cents)
    }
}
