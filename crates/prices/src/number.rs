use alloy_primitives::U256;
use causeway_domain::{RawAmount, UsdPrice};

/// Decimals of a price.
const DECIMALS: i64 = 18;

/// Maximum length of a number; longer text is rejected without parsing.
const MAX_TEXT_BYTES: usize = 400;

/// Parses a JSON number as a price, exact to 18 decimals, further ones are truncated. `None` for negative values, invalid
/// numbers and values beyond 256 bits.
pub(crate) fn parse_price(text: &str) -> Option<UsdPrice> {
    if text.len() > MAX_TEXT_BYTES {
        return None;
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if whole.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let decimals = i64::try_from(fraction.len()).ok()?;
    // Trailing zeros only move the point; without them long texts of small numbers fit.
    let significant = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len().checked_sub(significant.len())?).ok()?;
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return Some(UsdPrice::from_units(RawAmount::ZERO));
    }
    let exponent = i64::from(exponent).checked_sub(decimals)?.checked_add(zeros)?;
    // Truncated digits need not fit.
    let truncated = usize::try_from(exponent.checked_add(DECIMALS)?.min(0).unsigned_abs()).ok()?;
    let (significant, exponent) = match significant.len().checked_sub(truncated) {
        None | Some(0) => return Some(UsdPrice::from_units(RawAmount::ZERO)),
        Some(kept) => (significant.get(..kept)?, exponent.max(-DECIMALS)),
    };
    scaled(U256::from_str_radix(significant, 10).ok()?, exponent)
}

/// `mantissa * 10^exponent` dollars, truncated to 18 decimals. `None` beyond 256 bits.
pub(crate) fn scaled(mantissa: U256, exponent: i64) -> Option<UsdPrice> {
    let shift = exponent.checked_add(DECIMALS)?;
    let power = U256::from(10).checked_pow(U256::from(shift.unsigned_abs()));
    let units = match power {
        Some(power) if shift >= 0 => mantissa.checked_mul(power)?,
        Some(power) => mantissa.checked_div(power)?,
        None if shift >= 0 && !mantissa.is_zero() => return None,
        // The divisor is larger than any mantissa.
        None => U256::ZERO,
    };
    Some(UsdPrice::from_units(RawAmount::new(units)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<String> {
        parse_price(text).map(|price| price.to_string())
    }

    #[test]
    fn numbers_are_parsed_exactly() {
        for (text, price) in [
            ("67187.3358936566", "67187.3358936566"),
            ("1", "1"),
            ("0.9998", "0.9998"),
            ("6.43e-06", "0.00000643"),
            ("1.5E+3", "1500"),
            ("1e0", "1"),
            ("0", "0"),
            ("0e999999", "0"),
            ("0.0000000000000000019", "0.000000000000000001"),
            ("0.00000000000000000099", "0"),
            ("1e-400", "0"),
            (
                "1.000000000000000000999999999999999999999999999999999999999999999999999999999999999999999",
                "1",
            ),
        ] {
            assert_eq!(read(text).as_deref(), Some(price), "{text}");
        }
    }

    #[test]
    fn invalid_prices_are_rejected() {
        for text in
            ["", "-1", "NaN", "null", "\"1\"", "1.2.3", ".5", "1e", "1e99999999999", "1e80", "+1", "1_0"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"9".repeat(500)), None);
    }

    #[test]
    fn extreme_exponents_neither_panic_nor_overflow() {
        assert_eq!(scaled(U256::from(5), -8).unwrap().to_string(), "0.00000005");
        assert_eq!(scaled(U256::from(5), i64::MAX), None);
        assert_eq!(scaled(U256::from(5), i64::MIN).unwrap().to_string(), "0");
        assert_eq!(scaled(U256::from(5), -400).unwrap().to_string(), "0");
        assert_eq!(scaled(U256::from(5), 60), None);
        assert_eq!(scaled(U256::ZERO, 400).unwrap().to_string(), "0");
    }

    proptest! {
        #[test]
        fn moving_the_point_into_the_exponent_changes_nothing(whole in 0u64.., fraction in 0u64.., shift in 0i32..10) {
            let plain = format!("{whole}.{fraction}");
            let digits = format!("{whole}{fraction}");
            let decimals = i32::try_from(fraction.to_string().len()).unwrap();
            let moved = format!("{digits}{}e-{}", "0".repeat(shift.unsigned_abs() as usize), decimals + shift);
            prop_assert_eq!(read(&plain), read(&moved));
        }

        #[test]
        fn any_text_is_parsed_or_rejected_without_panic(text in "[-+0-9.eE]{0,60}") {
            let _ = parse_price(&text);
        }

        #[test]
        fn decimals_within_eighteen_digits_are_exact(units in any::<u128>()) {
            let price = UsdPrice::from_units(RawAmount::new(U256::from(units)));
            prop_assert_eq!(parse_price(&price.to_string()), Some(price));
        }
    }
}
