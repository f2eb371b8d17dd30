use alloy_primitives::U256;

use super::wide::PPM;

/// One dollar, with the 18 decimals of prices.
const DOLLAR: U256 = U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]);

/// What one whole token costs, in units of 10^-18 dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenPrice {
    pub(super) feed: U256,
    /// What the filler pays for it.
    pub(super) bid: U256,
    /// What the filler sells it for.
    pub(super) ask: U256,
}

/// Why a token cannot be traded at the feed's price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Untradable {
    ZeroPrice,
    /// A stablecoin that has lost its peg.
    OffPeg,
}

impl TokenPrice {
    /// Stablecoins are bought for at most a dollar, sold for at least a dollar, and not traded once they
    /// deviate by more than `tolerance` millionths.
    pub(super) fn new(feed: U256, stable: bool, tolerance: u32) -> Result<Self, Untradable> {
        if feed.is_zero() {
            return Err(Untradable::ZeroPrice);
        }
        if !stable {
            return Ok(Self { feed, bid: feed, ask: feed });
        }
        let room = DOLLAR.saturating_mul(U256::from(tolerance)) / U256::from(PPM);
        if feed.abs_diff(DOLLAR) > room {
            return Err(Untradable::OffPeg);
        }
        Ok(Self { feed, bid: feed.min(DOLLAR), ask: feed.max(DOLLAR) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(text: &str) -> U256 {
        text.parse::<causeway_domain::UsdPrice>().unwrap().units().get()
    }

    #[test]
    fn rule_14_stablecoins_are_bought_at_a_dollar_at_most_and_sold_at_a_dollar_at_least() {
        for (feed, bid, ask) in [("0.995", "0.995", "1"), ("1", "1", "1"), ("1.004", "1", "1.004")] {
            let expected = TokenPrice { feed: price(feed), bid: price(bid), ask: price(ask) };
            assert_eq!(TokenPrice::new(price(feed), true, 10_000), Ok(expected));
        }
    }

    #[test]
    fn rule_14_stablecoins_more_than_a_percent_off_are_halted() {
        for (feed, traded) in
            [("0.99", true), ("0.989999999999999999", false), ("1.01", true), ("1.010000000000000001", false)]
        {
            assert_eq!(TokenPrice::new(price(feed), true, 10_000).is_ok(), traded, "{feed}");
        }
        assert_eq!(TokenPrice::new(U256::ZERO, true, 10_000), Err(Untradable::ZeroPrice));
    }

    #[test]
    fn other_tokens_trade_at_any_nonzero_price() {
        let feed = price("3500");
        assert_eq!(TokenPrice::new(feed, false, 0), Ok(TokenPrice { feed, bid: feed, ask: feed }));
        assert_eq!(TokenPrice::new(U256::ZERO, false, 0), Err(Untradable::ZeroPrice));
    }
}
