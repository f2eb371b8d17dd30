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

/// What a token adds to that. On Solana the refund address may have no account for it: the relayer then pays the rent of
/// one, 2,039,280 lamports, which is as much as 408 signatures, and never gets it back.
fn account_units(token: &TokenId) -> u64 {
    match token.chain().family() {
        Family::Solana if !token.is_native() => 408,
        _ => 0,
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
    /// Whether the balances are worth more than three times the gas and rent. Tokens without a price count as worthless: they
    /// are returned where others pay for it, and where it costs nothing.
    pub(crate) fn is_worth_returning(&self, chain: ChainId, held: &[(TokenId, RawAmount)]) -> bool {
        let mut total = RawAmount::ZERO;
        for (token, balance) in held {
            let value = self.value(token, *balance).map_or(RawAmount::ZERO, UsdAmount::cents);
            total = total.checked_add(value).unwrap_or(total);
        }
        self.min_cents(chain, held).is_none_or(|cost| total > cost || cost.is_zero())
    }

    fn value(&self, token: &TokenId, amount: RawAmount) -> Option<UsdAmount> {
        let decimals = self.catalog.snapshot().token(token)?.token.decimals;
        self.prices.usd_price(token)?.value(amount, decimals)
    }

    /// The minimum value, in cents.
    fn min_cents(&self, chain: ChainId, held: &[(TokenId, RawAmount)]) -> Option<RawAmount> {
        let parts = u64::try_from(held.len()).ok()?.checked_add(1)?;
        let accounts = held.iter().map(|(token, _)| account_units(token)).sum::<u64>();
        let gas = gas_units(chain.family()).checked_mul(parts)?.checked_add(accounts)?;
        let gas = gas.checked_mul(MIN_VALUE_TO_GAS)?;
        let cost = self.gas.price(chain)?.get().checked_mul(U256::from(gas))?;
        let coin = TokenId::native(chain);
        self.value(&coin, RawAmount::new(cost)).map(UsdAmount::cents)
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::{Address, UsdPrice};

    use super::*;

    /// SOL and USDC have their prices; a signature costs 5,000 lamports.
    struct Market;

    const USDC: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

    impl PriceFeed for Market {
        fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
            let price = if token.is_native() { "200" } else { "1" };
            (token.is_native() || token.address().to_string() == USDC).then(|| price.parse().unwrap())
        }
    }

    impl GasFeed for Market {
        fn price(&self, _: ChainId) -> Option<RawAmount> {
            Some(RawAmount::new(U256::from(5_000)))
        }
    }

    #[test]
    fn rule_16_rent_counts_as_gas_and_tokens_without_a_price_as_nothing() {
        let catalog = Catalog::bundled().unwrap();
        let threshold = ReturnThreshold { catalog: &catalog, prices: &Market, gas: &Market };
        let chain = causeway_domain::SOLANA_CHAIN_ID;
        let usdc = TokenId::new(chain, USDC).unwrap();
        let unknown = TokenId::new(chain, &Address::Solana([9; 32]).to_string()).unwrap();
        let worth = |held: &[(TokenId, u64)]| {
            let held: Vec<_> =
                held.iter().map(|(token, units)| (*token, RawAmount::new(U256::from(*units)))).collect();
            threshold.is_worth_returning(chain, &held)
        };
        // An account costs 0.41 dollars, and three times that is 1.23.
        assert!(!worth(&[(usdc, 1_000_000)]));
        assert!(worth(&[(usdc, 1_300_000)]));
        assert!(worth(&[(TokenId::native(chain), 1_000_000)]), "SOL needs no account");
        assert!(!worth(&[(unknown, u64::MAX)]));
        assert!(!worth(&[(unknown, u64::MAX), (usdc, 1_300_000)]), "one does not pay for two");
        assert!(worth(&[(unknown, u64::MAX), (usdc, 2_600_000)]));
    }
}
