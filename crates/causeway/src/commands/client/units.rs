use alloy_primitives::U256;

/// The maximum of displayed significant fraction digits.
const MAX_FRACTION_DIGITS: usize = 8;

/// Parses a decimal amount into raw units.
pub(crate) fn to_raw(text: &str, decimals: u8) -> Result<String, String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return Err(format!(
            "{text:?} is no amount: write it like 25 or 0.5, with a point and without commas"
        ));
    }
    let fraction = fraction.trim_end_matches('0');
    let places = usize::from(decimals);
    if fraction.len() > places {
        return Err(format!("{text} has more digits after the point than the token, which has {decimals}"));
    }
    let raw = format!("{whole}{fraction:0<places$}");
    let raw = raw.trim_start_matches('0');
    if raw.is_empty() {
        return Err("an amount must be more than zero".to_owned());
    }
    Ok(raw.to_owned())
}

/// Raw units as a decimal amount with every digit.
pub(crate) fn format_exact(raw: &str, decimals: u8) -> String {
    let places = usize::from(decimals);
    let padded = format!("{raw:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at_checked(padded.len() - places).unwrap_or((raw, ""));
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// Raw units as a decimal amount, truncated after eight significant fraction digits.
pub(crate) fn format_amount(raw: &str, decimals: u8) -> String {
    shorten_decimal(&format_exact(raw, decimals))
}

/// A decimal, truncated after eight significant fraction digits.
pub(crate) fn shorten_decimal(text: &str) -> String {
    let Some((whole, fraction)) = text.split_once('.') else { return text.to_owned() };
    let leading_zeros =
        if whole == "0" { fraction.len() - fraction.trim_start_matches('0').len() } else { 0 };
    let fraction =
        fraction.get(..leading_zeros + MAX_FRACTION_DIGITS).unwrap_or(fraction).trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// The value of raw units in cents at a price in dollars, rounded down; `None` on overflow or an invalid price.
pub(crate) fn cents(raw: &str, decimals: u8, price: &str) -> Option<U256> {
    let (whole, fraction) = price.split_once('.').unwrap_or((price, ""));
    let places = U256::from(fraction.len()).checked_add(U256::from(decimals))?;
    let price: U256 = format!("{whole}{fraction}").parse().ok()?;
    let worth = raw.parse::<U256>().ok()?.checked_mul(price)?.checked_mul(U256::from(100))?;
    worth.checked_div(U256::from(10).checked_pow(places)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_are_read_as_people_write_them() {
        for (text, decimals, raw) in [
            ("25", 6, "25000000"),
            ("0.5", 18, "500000000000000000"),
            ("007.50", 2, "750"),
            ("0.000001", 6, "1"),
            ("1.0000000000", 6, "1000000"),
            ("3", 0, "3"),
        ] {
            assert_eq!(to_raw(text, decimals).as_deref(), Ok(raw), "{text}");
        }
        for text in ["", ".", "1.", ".5", "1,5", "1e3", "-1", "+1", "0", "0.0", "0.0000001", "1.2.3", "１"] {
            assert!(to_raw(text, 6).is_err(), "{text}");
        }
    }

    #[test]
    fn displayed_amounts_are_truncated_and_never_rounded_up() {
        assert_eq!(format_amount("7134023948203948", 18), "0.0071340239");
        assert_eq!(format_amount("1999999999999999999999", 18), "1999.99999999");
        assert_eq!(format_amount("25000000", 6), "25");
        assert_eq!(format_amount("1", 18), "0.000000000000000001");
        assert_eq!(format_amount("0", 18), "0");
    }

    #[test]
    fn value_is_rounded_down_to_cents() {
        assert_eq!(cents("25000000", 6, "1"), Some(U256::from(2_500)));
        assert_eq!(cents("1999999999999999999", 18, "3495.125"), Some(U256::from(699_024)));
        assert_eq!(cents("1", 0, "dear"), None);
        assert_eq!(cents(&U256::MAX.to_string(), 0, "2"), None);
    }

    proptest! {
        #[test]
        fn an_amount_written_out_reads_back(raw in "[1-9][0-9]{0,76}", decimals in 0u8..37) {
            prop_assert_eq!(to_raw(&format_exact(&raw, decimals), decimals), Ok(raw));
        }
    }
}
