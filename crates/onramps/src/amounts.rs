//! Amounts as providers write them, JSON numbers and strings alike, parsed digit by digit. No floating point is involved: the
//! written number is compared and rounded, and the name of each method states the rounding.

use std::fmt;
use std::str::FromStr;

use alloy_primitives::U256;
use causeway_domain::RawAmount;
use causeway_domain::fiat::{FiatAmount, FiatAmountError, FiatCurrency};
use causeway_domain::ports::RampError;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use thiserror::Error;

/// Maximum length of a number.
const MAX_LENGTH: usize = 96;

/// Maximum number of digits before or after the point.
const MAX_SCALE: i32 = 96;

/// A decimal number as it was written: digits and scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: String,
    /// Number of digits after the point; negative when zeros follow the digits.
    scale: i32,
}

/// Why a number is not an amount.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum DecimalError {
    #[error("`{0}` is not a number")]
    Malformed(String),
    #[error("an amount is negative")]
    Negative,
    #[error("an amount has more digits than its currency or token")]
    TooPrecise,
    #[error("an amount is too large")]
    TooLarge,
}

impl From<DecimalError> for RampError {
    /// A malformed number is the provider's fault.
    fn from(error: DecimalError) -> Self {
        Self::Nonsense(error.to_string())
    }
}

impl Decimal {
    pub const fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub const fn is_negative(&self) -> bool {
        self.negative
    }

    /// A payment, exactly as written. Zero and more digits than the currency has are rejected.
    pub fn exact_fiat(&self, currency: FiatCurrency) -> Result<FiatAmount, DecimalError> {
        let (text, rest) = self.truncate_to(i32::from(currency.digits()))?;
        if rest {
            return Err(DecimalError::TooPrecise);
        }
        fiat(currency, &text)?.ok_or_else(|| DecimalError::Malformed("0".to_owned()))
    }

    /// A payment, rounded to the currency's smallest unit if it is exact except for floating-point noise of at most a
    /// millionth of that unit. Anything else between two units is rejected.
    pub fn near_fiat(&self, currency: FiatCurrency) -> Result<FiatAmount, DecimalError> {
        let digits = i32::from(currency.digits());
        if let Ok(exact) = self.exact_fiat(currency) {
            return Ok(exact);
        }
        let (fine, _) = self.truncate_to(digits + 6)?;
        let whole = fine.get(..fine.len().saturating_sub(6)).filter(|whole| !whole.is_empty()).unwrap_or("0");
        let tail = fine.get(fine.len().saturating_sub(6)..).unwrap_or_default();
        let below = fiat(currency, whole)?;
        match tail {
            "000000" => below.ok_or(DecimalError::TooPrecise),
            "999999" => next(currency, below),
            _ => Err(DecimalError::TooPrecise),
        }
    }

    /// A fee, rounded up to the currency's smallest unit, so that it is never understated; `None` for zero.
    pub fn fee(&self, currency: FiatCurrency) -> Result<Option<FiatAmount>, DecimalError> {
        let (text, rest) = self.truncate_to(i32::from(currency.digits()))?;
        let down = fiat(currency, &text)?;
        if !rest {
            return Ok(down);
        }
        next(currency, down).map(Some)
    }

    /// A minimum, rounded up.
    pub fn fiat_up(&self, currency: FiatCurrency) -> Result<FiatAmount, DecimalError> {
        self.fee(currency).map(|amount| amount.unwrap_or_else(|| FiatAmount::new(currency, 0)))
    }

    /// A maximum, rounded down.
    pub fn fiat_down(&self, currency: FiatCurrency) -> Result<FiatAmount, DecimalError> {
        let (text, _) = self.truncate_to(i32::from(currency.digits()))?;
        Ok(fiat(currency, &text)?.unwrap_or_else(|| FiatAmount::new(currency, 0)))
    }

    /// A delivered amount, rounded down to the token's smallest unit, so that it is never overstated.
    pub fn raw_down(&self, decimals: u8) -> Result<RawAmount, DecimalError> {
        let (text, _) = self.truncate_to(i32::from(decimals))?;
        text.parse().map_err(|_| DecimalError::TooLarge)
    }

    /// A delivered amount, exactly as written.
    pub fn raw_exact(&self, decimals: u8) -> Result<RawAmount, DecimalError> {
        let (text, rest) = self.truncate_to(i32::from(decimals))?;
        if rest {
            return Err(DecimalError::TooPrecise);
        }
        text.parse().map_err(|_| DecimalError::TooLarge)
    }

    /// The exact sum.
    pub fn checked_add(&self, other: &Self) -> Result<Self, DecimalError> {
        if self.negative || other.negative {
            return Err(DecimalError::Negative);
        }
        let scale = self.scale.max(other.scale);
        let units = |number: &Self| {
            let (text, _) = number.truncate_to(scale)?;
            U256::from_str_radix(&text, 10).map_err(|_| DecimalError::TooLarge)
        };
        let sum = units(self)?.checked_add(units(other)?).ok_or(DecimalError::TooLarge)?;
        format!("{sum}e{}", scale.saturating_neg()).parse()
    }

    /// The number in units of `digits` digits after the point, truncated; and whether anything was cut off.
    fn truncate_to(&self, digits: i32) -> Result<(String, bool), DecimalError> {
        if self.negative {
            return Err(DecimalError::Negative);
        }
        let zeros = digits.checked_sub(self.scale).ok_or(DecimalError::TooLarge)?;
        if self.is_zero() {
            return Ok(("0".to_owned(), false));
        }
        if let Ok(zeros) = usize::try_from(zeros) {
            return Ok((format!("{}{}", self.digits, "0".repeat(zeros)), false));
        }
        let excess = usize::try_from(zeros.unsigned_abs()).map_err(|_| DecimalError::TooLarge)?;
        let kept = self.digits.len().checked_sub(excess).and_then(|kept| self.digits.get(..kept));
        // There are no trailing zeros, so the part that is cut off is not zero.
        Ok((kept.filter(|kept| !kept.is_empty()).unwrap_or("0").to_owned(), true))
    }
}

/// The amount that is larger by the currency's smallest unit, where amounts go that far.
fn next(currency: FiatCurrency, amount: Option<FiatAmount>) -> Result<FiatAmount, DecimalError> {
    let minor = amount.map_or(0, |amount| amount.minor).saturating_add(1);
    fiat(currency, &minor.to_string())?.ok_or(DecimalError::TooLarge)
}

/// An amount in the smallest units; `None` for zero.
fn fiat(currency: FiatCurrency, units: &str) -> Result<Option<FiatAmount>, DecimalError> {
    let minor: u64 = units.parse().map_err(|_| DecimalError::TooLarge)?;
    let amount = FiatAmount::new(currency, minor);
    match FiatAmount::parse(currency, &amount.to_string()) {
        Ok(amount) => Ok(Some(amount)),
        Err(FiatAmountError::Zero) => Ok(None),
        Err(_) => Err(DecimalError::TooLarge),
    }
}

impl FromStr for Decimal {
    type Err = DecimalError;

    /// Reads digits with at most one point, a sign before and an exponent after them.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || DecimalError::Malformed(text.chars().take(24).collect());
        if text.len() > MAX_LENGTH {
            return Err(malformed());
        }
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => {
                let sign = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
                if sign.is_empty() || sign.len() > 4 || !sign.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(malformed());
                }
                (number, exponent.parse::<i32>().map_err(|_| malformed())?)
            }
            None => (text, 0),
        };
        let (negative, number) = number.strip_prefix('-').map_or((false, number), |number| (true, number));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let lacks_fraction = number.contains('.') && fraction.is_empty();
        if whole.is_empty() || lacks_fraction || !is_digits(whole) || !is_digits(fraction) {
            return Err(malformed());
        }
        let all = format!("{whole}{fraction}");
        let kept = all.trim_end_matches('0');
        let trailing_zeros = i32::try_from(all.len() - kept.len()).map_err(|_| malformed())?;
        let scale = i32::try_from(fraction.len()).map_err(|_| malformed())? - trailing_zeros - exponent;
        let digits = kept.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Ok(Self { negative: false, digits, scale: 0 });
        }
        if scale.abs() > MAX_SCALE {
            return Err(malformed());
        }
        Ok(Self { negative, digits, scale })
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        let after = usize::try_from(self.scale).unwrap_or(0);
        let zeros = usize::try_from(self.scale.checked_neg().unwrap_or(0)).unwrap_or(0);
        let digits = format!("{}{}", self.digits, "0".repeat(zeros));
        let digits = format!("{digits:0>width$}", width = after + 1);
        let (whole, fraction) = digits.split_at(digits.len() - after);
        if fraction.is_empty() { f.write_str(whole) } else { write!(f, "{whole}.{fraction}") }
    }
}

impl<'de> Deserialize<'de> for Decimal {
    /// From a JSON number or string. It reads the raw text, so it works with `serde_json` only.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get().trim();
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Decimal {
        serde_json::from_str(text).unwrap()
    }

    fn usd() -> FiatCurrency {
        "USD".parse().unwrap()
    }

    #[test]
    fn rounding_up_ends_at_the_largest_amount() {
        let usd: FiatCurrency = "USD".parse().unwrap();
        let largest = (1_u64 << 53) - 1;
        assert_eq!(read("90071992547409.91").exact_fiat(usd), Ok(FiatAmount::new(usd, largest)));
        assert_eq!(read("90071992547409.91999999").near_fiat(usd), Err(DecimalError::TooLarge));
        assert_eq!(read("90071992547409.911").fee(usd), Err(DecimalError::TooLarge));
        assert_eq!(read("90071992547409.90999999").near_fiat(usd), Ok(FiatAmount::new(usd, largest)));
    }

    #[test]
    fn numbers_and_strings_are_parsed_by_digits() {
        let cases =
            [("100", "100"), ("\"99.50\"", "99.5"), ("1e-7", "0.0000001"), ("1.5E3", "1500"), ("-0.0", "0")];
        for (json, text) in cases {
            assert_eq!(read(json).to_string(), text, "{json}");
        }
        for json in
            ["\"\"", "\"1.\"", "\".5\"", "\"1 \"", "\"NaN\"", "\"0x1\"", "1e999", "[]", "{}", "null", "true"]
        {
            assert!(serde_json::from_str::<Decimal>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn float_noise_never_changes_an_amount() {
        for json in ["100.00000000000001", "99.999999999999986", "0.30000000000000004"] {
            assert_eq!(read(json).exact_fiat(usd()), Err(DecimalError::TooPrecise), "{json}");
        }
        assert_eq!(read("100.00000000000001").near_fiat(usd()).unwrap().minor, 10_000);
        assert_eq!(read("99.999999999999986").near_fiat(usd()).unwrap().minor, 10_000);
        assert_eq!(read("0.004").near_fiat(usd()), Err(DecimalError::TooPrecise));
        assert_eq!(read("99.996").near_fiat(usd()), Err(DecimalError::TooPrecise));
        assert_eq!(read("96.171508000000003").raw_down(6).unwrap().to_string(), "96171508");
        assert_eq!(read("96.171508000000003").raw_exact(6), Err(DecimalError::TooPrecise));
        assert_eq!(read("3.9900000000000002").fee(usd()).unwrap().unwrap().minor, 400);
    }

    #[test]
    fn negative_numbers_are_rejected() {
        let fee = read("-0.01");
        assert_eq!(fee.fee(usd()), Err(DecimalError::Negative));
        assert_eq!(fee.exact_fiat(usd()), Err(DecimalError::Negative));
        assert_eq!(fee.raw_down(6), Err(DecimalError::Negative));
    }

    #[test]
    fn sums_are_exact() {
        let sum = read("295.45").checked_add(&read("3.99")).unwrap().checked_add(&read("0.56")).unwrap();
        assert_eq!(sum, read("300"));
        assert_eq!(read("0.1").checked_add(&read("0.2")).unwrap(), read("0.3"));
        assert_eq!(read("1").checked_add(&read("-1")), Err(DecimalError::Negative));
    }

    #[test]
    fn rounding_matches_the_method_name() {
        let yen: FiatCurrency = "JPY".parse().unwrap();
        assert_eq!(read("0.1").fee(yen).unwrap().unwrap().minor, 1);
        assert_eq!(read("0").fee(yen), Ok(None));
        assert_eq!(read("10.9").fiat_down(yen).unwrap().minor, 10);
        assert_eq!(read("10.1").fiat_up(yen).unwrap().minor, 11);
        assert_eq!(read("0.0000019").raw_down(6).unwrap().to_string(), "1");
        assert!(read("1e40").exact_fiat(usd()).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "\\PC{0,40}", digits in 0u8..40) {
            if let Ok(number) = text.parse::<Decimal>() {
                let _ = (number.raw_down(digits), number.exact_fiat(usd()), number.fee(usd()), number.near_fiat(usd()));
            }
        }

        #[test]
        fn printed_numbers_parse_back(text in "-?[0-9]{1,20}(\\.[0-9]{1,20})?(e-?[0-9])?") {
            if let Ok(number) = text.parse::<Decimal>() {
                prop_assert_eq!(number.to_string().parse::<Decimal>().unwrap(), number);
            }
        }

        #[test]
        fn raw_amounts_match_the_domains_parsing(minor in 0u64..u64::MAX, decimals in 0u8..19) {
            let text = RawAmount::new(U256::from(minor)).to_decimal(decimals);
            let read = text.parse::<Decimal>().unwrap();
            prop_assert_eq!(read.raw_exact(decimals).unwrap().to_string(), minor.to_string());
        }
    }
}
