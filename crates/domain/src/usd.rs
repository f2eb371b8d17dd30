use std::fmt;
use std::str::FromStr;

use alloy_primitives::U256;

use crate::amount::write_cents;
use crate::{AmountError, RawAmount, WriteText};

const PRICE_DECIMALS: u8 = 18;
const CENT_DECIMALS: u8 = 2;

/// The price of one whole token in US dollars, with 18 decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsdPrice(RawAmount);

impl UsdPrice {
    /// A price in units of 10^-18 dollars.
    pub const fn from_units(units: RawAmount) -> Self {
        Self(units)
    }

    /// The price in units of 10^-18 dollars.
    pub const fn units(self) -> RawAmount {
        self.0
    }

    /// The value of `amount` at this price, rounded down to the cent.
    pub fn value(self, amount: RawAmount, decimals: u8) -> Option<UsdAmount> {
        amount.mul_div_floor(self.0.get(), units_per_cent(decimals)?).map(UsdAmount)
    }

    /// How much of the token `dollars` buys at this price, rounded down to its smallest unit.
    pub fn buys(self, dollars: UsdAmount, decimals: u8) -> Option<RawAmount> {
        dollars.0.mul_div_floor(units_per_cent(decimals)?, self.0.get())
    }
}

/// The powers of ten that fit into 128 bits.
const POWERS_OF_TEN: [u128; 39] = {
    let mut powers = [1; 39];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// Ten to this power; `None` beyond 256 bits.
pub fn power_of_ten(exponent: u8) -> Option<U256> {
    let small = POWERS_OF_TEN.get(usize::from(exponent)).copied().map(U256::from);
    small.or_else(|| U256::from(10).checked_pow(U256::from(exponent)))
}

/// How many units of 10^-18 dollars times raw units of a token are a cent of it.
fn units_per_cent(decimals: u8) -> Option<U256> {
    power_of_ten(decimals.checked_add(PRICE_DECIMALS - CENT_DECIMALS)?)
}

impl FromStr for UsdPrice {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        RawAmount::from_decimal(text, PRICE_DECIMALS).map(Self)
    }
}

impl fmt::Display for UsdPrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.decimal(PRICE_DECIMALS).fmt(f)
    }
}

/// Whole cents of US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsdAmount(RawAmount);

impl UsdAmount {
    pub const fn from_cents(cents: RawAmount) -> Self {
        Self(cents)
    }

    pub const fn cents(self) -> RawAmount {
        self.0
    }
}

impl FromStr for UsdAmount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        RawAmount::from_decimal(text, CENT_DECIMALS).map(Self)
    }
}

impl fmt::Display for UsdAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl WriteText for UsdAmount {
    /// Always two digits after the point: `50.00`.
    fn write_text(&self, out: &mut impl fmt::Write) -> fmt::Result {
        write_cents(self.0, out)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn value_is_rounded_down_to_the_cent() {
        let price: UsdPrice = "3123.456".parse().unwrap();
        let eth = RawAmount::from_decimal("0.5", 18).unwrap();
        assert_eq!(price.value(eth, 18).unwrap().to_string(), "1561.72");
        assert_eq!("7".parse::<UsdAmount>().unwrap().to_string(), "7.00");
        assert_eq!("7.5".parse::<UsdAmount>().unwrap().to_string(), "7.50");
        assert_eq!("0.05".parse::<UsdAmount>().unwrap().to_string(), "0.05");
        assert_eq!("0".parse::<UsdAmount>().unwrap().to_string(), "0.00");
    }

    #[test]
    fn powers_of_ten_end_at_256_bits() {
        for exponent in 0..=77 {
            assert_eq!(
                power_of_ten(exponent).unwrap().to_string(),
                format!("1{}", "0".repeat(exponent.into()))
            );
        }
        assert_eq!((power_of_ten(78), power_of_ten(u8::MAX)), (None, None));
        let price: UsdPrice = "1".parse().unwrap();
        assert_eq!(
            price.value(RawAmount::ZERO, 61),
            UsdPrice::from_units(RawAmount::ZERO).value(RawAmount::ZERO, 0)
        );
        assert_eq!((price.value(RawAmount::ZERO, 62), price.value(RawAmount::ZERO, u8::MAX)), (None, None));
    }

    #[test]
    fn a_zero_price_buys_nothing_and_does_not_panic() {
        let price: UsdPrice = "0".parse().unwrap();
        assert_eq!(price.buys("1".parse().unwrap(), 18), None);
    }

    proptest! {
        #[test]
        fn bought_tokens_are_never_worth_more_than_was_paid(cents in 1u64..1_000_000_000, micro in 1u64..10_000_000_000) {
            let price: UsdPrice = RawAmount::new(U256::from(micro)).to_decimal(6).parse().unwrap();
            let dollars: UsdAmount = RawAmount::new(U256::from(cents)).to_decimal(2).parse().unwrap();
            let bought = price.buys(dollars, 9).unwrap();
            prop_assert!(price.value(bought, 9).unwrap() <= dollars);
        }
    }
}
