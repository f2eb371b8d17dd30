use alloy_primitives::U256;
use causeway_domain::RawAmount;

use crate::market::PricedToken;

/// The least share of the input that counts as its return, in percent: bridges keep their fees.
const LEAST_PERCENT: u64 = 50;

/// Whether an amount of the input's own token counts as its return.
pub(super) fn is_return(returned: RawAmount, input: RawAmount) -> bool {
    is_enough(returned.get(), input.get())
}

/// Whether an amount of another token is worth enough to count as the return of the input. What has no price may be worth nothing.
pub(super) fn is_return_in_kind(
    returned: (RawAmount, Option<PricedToken>),
    input: (RawAmount, Option<PricedToken>),
) -> bool {
    let value = |(amount, token): (RawAmount, Option<PricedToken>)| token?.value(amount);
    value(returned).zip(value(input)).is_some_and(|(returned, input)| is_enough(returned, input))
}

fn is_enough(returned: U256, whole: U256) -> bool {
    let least = whole.checked_mul(U256::from(LEAST_PERCENT)).map(|part| part.div_ceil(U256::from(100)));
    !returned.is_zero() && least.is_some_and(|least| returned >= least)
}

#[cfg(test)]
mod tests {
    use causeway_domain::{Address, ChainId, TokenId};

    use super::*;

    fn raw(amount: u64) -> RawAmount {
        RawAmount::new(U256::from(amount))
    }

    fn priced(decimals: u8, price: &str) -> Option<PricedToken> {
        let token = TokenId::from_address(ChainId::new(1)?, Address::Evm([decimals; 20].into()))?;
        Some(PricedToken { token, decimals, price: price.parse().ok()? })
    }

    #[test]
    fn rule_22_half_of_the_input_is_its_return_and_less_is_not() {
        for (returned, input, counts) in [
            (100, 100, true),
            (50, 100, true),
            (49, 100, false),
            (51, 101, true),
            (50, 101, false),
            (0, 0, false),
        ] {
            assert_eq!(is_return(raw(returned), raw(input)), counts, "{returned} of {input}");
        }
        assert!(!is_return(raw(1), RawAmount::new(U256::MAX)));
    }

    #[test]
    fn rule_22_another_token_is_a_return_by_its_worth_and_without_a_price_it_is_none() {
        // 25 dollars of a token with 6 decimals went in.
        let input = (raw(25_000_000), priced(6, "1"));
        let milli = |thousandths: u64| raw(thousandths * 1_000_000_000_000_000);
        assert!(is_return_in_kind((milli(10), priced(18, "2000")), input), "0.01 at 2,000");
        assert!(!is_return_in_kind((milli(6), priced(18, "2000")), input), "0.006 at 2,000");
        assert!(!is_return_in_kind((milli(10_000), None), input), "a token that nobody prices");
        assert!(!is_return_in_kind((milli(10), priced(18, "2000")), (raw(25_000_000), None)));
    }
}
