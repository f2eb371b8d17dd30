use alloy_primitives::U256;
use causeway_catalog::Catalog;
use causeway_domain::ports::{GasFeed, PriceFeed};
use causeway_domain::{ChainId, Family, RawAmount, TokenId, UsdAmount};

/// The cost of a return, once for the call and once per token: gas on EVM chains, signatures on Solana.
const fn gas_units(family: Family) -> u64 {
    match family {
        Family::Evm => 150_000,
        Family::Solana => 1,
        // Nothing of ours is sent there.
        Family::Bitcoin | Family::Tron => 0,
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
    /// are returned where others pay for it, and where it costs nothing. Where the cost is unknown, nobody's account is paid
    /// for.
    pub(crate) fn is_worth_returning(&self, chain: ChainId, held: &[(TokenId, RawAmount)]) -> bool {
        let mut total = RawAmount::ZERO;
        for (token, balance) in held {
            let value = self.value(token, *balance).map_or(RawAmount::ZERO, UsdAmount::cents);
            total = total.checked_add(value).unwrap_or(total);
        }
        let needs_account = held.iter().any(|(token, _)| account_units(token) > 0);
        self.min_cents(chain, held).map_or(!needs_account, |cost| total > cost || cost.is_zero())
    }

    /// Whether the refund of a deposit is worth its cost. Where the refund address holds some of the token, it has an account,
    /// and the refund costs a signature; else a stranger could let us pay for an account, close it and keep the rent.
    pub(crate) fn is_worth_refunding(
        &self,
        token: TokenId,
        amount: RawAmount,
        held_there: RawAmount,
    ) -> bool {
        let needs_account = account_units(&token) > 0 && held_there.is_zero();
        !needs_account || self.is_worth_returning(token.chain(), &[(token, amount)])
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

    #[test]
    fn rule_16_a_thousand_orders_of_dust_earn_a_stranger_no_rent() {
        let catalog = Catalog::bundled().unwrap();
        let threshold = ReturnThreshold { catalog: &catalog, prices: &Market, gas: &Market };
        let chain = causeway_domain::SOLANA_CHAIN_ID;
        let usdc = TokenId::new(chain, USDC).unwrap();
        let unknown = TokenId::new(chain, &Address::Solana([9; 32]).to_string()).unwrap();
        let raw = |units: u64| RawAmount::new(U256::from(units));
        let (mut rent_cents, mut value_cents) = (0_u64, 0_u64);
        for order in 1..=1_000_u64 {
            // From a tenth of a cent to three dollars, every other one in a token that nobody prices.
            let units = order * 3_000;
            for token in [usdc, unknown] {
                if threshold.is_worth_refunding(token, raw(units), RawAmount::ZERO) {
                    rent_cents += 41;
                    value_cents += units / 10_000;
                    assert_eq!(token, usdc);
                }
            }
        }
        assert!(rent_cents > 0 && rent_cents * 3 < value_cents, "{rent_cents} of {value_cents}");
        assert!(threshold.is_worth_refunding(unknown, raw(1), raw(1)), "there is an account");
        assert!(threshold.is_worth_refunding(TokenId::native(chain), raw(1), RawAmount::ZERO));
        let evm = TokenId::new(causeway_domain::ChainId::new(1).unwrap(), &format!("0x{}", "12".repeat(20)))
            .unwrap();
        assert!(threshold.is_worth_refunding(evm, raw(1), RawAmount::ZERO), "rent is Solana's");
    }
}
