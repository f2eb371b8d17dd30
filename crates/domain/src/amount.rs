use std::fmt;
use std::str::FromStr;

use alloy_primitives::U256;
use thiserror::Error;

/// An amount in a token's smallest units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RawAmount(U256);

#[derive(Debug, Error, PartialEq, Eq)]
pub enum AmountError {
    #[error("an amount in raw units is written with digits only")]
    NotRaw,
    #[error("an amount is written as digits with at most one decimal point, for instance 1 or 1.23")]
    NotDecimal,
    #[error("the amount has more than {0} digits after the point, which this token cannot express")]
    TooFine(u8),
    #[error("the amount does not fit into 256 bits")]
    TooLarge,
}

impl RawAmount {
    pub const ZERO: Self = Self(U256::ZERO);

    pub const fn new(value: U256) -> Self {
        Self(value)
    }

    pub const fn get(self) -> U256 {
        self.0
    }

    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// `self * numerator / denominator`, rounded down; `None` on overflow or division by zero.
    pub fn mul_div_floor(self, numerator: U256, denominator: U256) -> Option<Self> {
        let small = [self.0, numerator, denominator].map(u128::try_from);
        // Fast path: most products fit into 128 bits, and take a tenth of the time there.
        if let [Ok(amount), Ok(numerator), Ok(denominator)] = small
            && let Some(product) = amount.checked_mul(numerator)
        {
            return product.checked_div(denominator).map(|share| Self(U256::from(share)));
        }
        self.0.checked_mul(numerator)?.checked_div(denominator).map(Self)
    }

    /// Parses a decimal exactly; more decimals than the token has are rejected, never rounded.
    pub fn from_decimal(text: &str, decimals: u8) -> Result<Self, AmountError> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let empty_fraction = text.contains('.') && fraction.is_empty();
        if whole.is_empty() || empty_fraction || !is_digits(whole) || !is_digits(fraction) {
            return Err(AmountError::NotDecimal);
        }
        let padding =
            usize::from(decimals).checked_sub(fraction.len()).ok_or(AmountError::TooFine(decimals))?;
        let digits = format!("{whole}{fraction}{}", "0".repeat(padding));
        parse_digits(&digits)
    }

    /// The decimal text without trailing zeros.
    pub fn to_decimal(self, decimals: u8) -> String {
        self.decimal(decimals).to_string()
    }

    /// The same for a formatter, without a text of its own.
    pub const fn decimal(self, decimals: u8) -> DecimalAmount {
        DecimalAmount { amount: self, decimals }
    }
}

/// An amount that is shown in whole tokens, without trailing zeros.
#[derive(Clone, Copy, Debug)]
pub struct DecimalAmount {
    amount: RawAmount,
    decimals: u8,
}

/// Writes a text as `Display` does. Without the formatter's indirection that takes a third of the instructions, and an answer
/// to a quote has fifty such texts.
pub trait WriteText {
    fn write_text(&self, out: &mut impl fmt::Write) -> fmt::Result;
}

impl WriteText for RawAmount {
    fn write_text(&self, out: &mut impl fmt::Write) -> fmt::Result {
        // Fast path: nearly every amount fits into 128 bits.
        match u128::try_from(self.0) {
            Ok(small) => out.write_str(itoa::Buffer::new().format(small)),
            Err(_) => write!(out, "{}", self.0),
        }
    }
}

impl fmt::Display for DecimalAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl WriteText for DecimalAmount {
    fn write_text(&self, f: &mut impl fmt::Write) -> fmt::Result {
        let digits = Digits::of(self.amount);
        let (whole, zeros, fraction) = digits.split(self.decimals);
        f.write_str(whole)?;
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() {
            return Ok(());
        }
        f.write_str(".")?;
        write_zeros(f, zeros)?;
        f.write_str(fraction)
    }
}

/// Two digits after the point, always.
pub(crate) fn write_cents(cents: RawAmount, f: &mut impl fmt::Write) -> fmt::Result {
    let digits = Digits::of(cents);
    let (whole, zeros, fraction) = digits.split(2);
    f.write_str(whole)?;
    f.write_str(".")?;
    write_zeros(f, zeros)?;
    f.write_str(fraction)
}

fn write_zeros(f: &mut impl fmt::Write, mut count: usize) -> fmt::Result {
    const ZEROS: &str = "0000000000000000";
    while let Some(zeros) = ZEROS.get(..count.min(ZEROS.len())).filter(|zeros| !zeros.is_empty()) {
        f.write_str(zeros)?;
        count -= zeros.len();
    }
    Ok(())
}

/// The digits of an amount; 256 bits have 78 at most.
struct Digits {
    bytes: [u8; 78],
    length: usize,
}

impl Digits {
    fn of(amount: RawAmount) -> Self {
        let mut digits = Self { bytes: [b'0'; 78], length: 0 };
        // Every amount fits.
        let _ = amount.write_text(&mut digits);
        digits
    }

    fn as_str(&self) -> &str {
        self.bytes.get(..self.length).and_then(|digits| std::str::from_utf8(digits).ok()).unwrap_or_default()
    }

    /// Before the point, how many zeros follow the point, and what follows them.
    fn split(&self, decimals: u8) -> (&str, usize, &str) {
        let (digits, decimals) = (self.as_str(), usize::from(decimals));
        match digits.len().checked_sub(decimals).filter(|whole| *whole > 0) {
            Some(whole) => {
                let (whole, fraction) = digits.split_at(whole);
                (whole, 0, fraction)
            }
            None => ("0", decimals - digits.len(), digits),
        }
    }
}

impl fmt::Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        let place = self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

fn parse_digits(digits: &str) -> Result<RawAmount, AmountError> {
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Ok(RawAmount::ZERO);
    }
    // Fast path: nearly every amount fits into 128 bits.
    if significant.len() <= 38
        && let Ok(small) = significant.parse::<u128>()
    {
        return Ok(RawAmount(U256::from(small)));
    }
    U256::from_str_radix(significant, 10).map(RawAmount).map_err(|_| AmountError::TooLarge)
}

impl FromStr for RawAmount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(AmountError::NotRaw);
        }
        parse_digits(text)
    }
}

impl fmt::Display for RawAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad_integral(true, "", Digits::of(*self).as_str())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn raw_amounts_are_digits_only() {
        for text in ["", "-1", "+1", "1.0", "1e18", "0x10", " 1", "1_000", "١"] {
            assert_eq!(text.parse::<RawAmount>(), Err(AmountError::NotRaw), "{text}");
        }
        assert_eq!("007".parse::<RawAmount>().unwrap().to_string(), "7");
    }

    #[test]
    fn raw_amounts_stay_below_two_to_the_256() {
        let max = U256::MAX.to_string();
        assert_eq!(max.parse::<RawAmount>().unwrap().to_string(), max);
        assert_eq!(format!("{max}0").parse::<RawAmount>(), Err(AmountError::TooLarge));
        assert_eq!("9".repeat(5_000).parse::<RawAmount>(), Err(AmountError::TooLarge));
    }

    #[test]
    fn too_many_decimals_are_rejected_not_rounded() {
        assert_eq!(RawAmount::from_decimal("0.0000001", 6), Err(AmountError::TooFine(6)));
        assert_eq!(RawAmount::from_decimal("1.5", 0), Err(AmountError::TooFine(0)));
    }

    #[test]
    fn decimals_need_digits_around_the_point() {
        for text in ["", ".", "1.", ".5", "1,5", "1e18", "-1", "1.2.3", "٣"] {
            assert_eq!(RawAmount::from_decimal(text, 18), Err(AmountError::NotDecimal), "{text}");
        }
    }

    #[test]
    fn decimals_have_no_trailing_zeros() {
        for (raw, decimals, text) in [
            ("0", 0, "0"),
            ("0", 18, "0"),
            ("5", 0, "5"),
            ("1500000", 6, "1.5"),
            ("1", 18, "0.000000000000000001"),
            ("10", 1, "1"),
            ("100", 2, "1"),
            ("1", 20, "0.00000000000000000001"),
        ] {
            assert_eq!(raw.parse::<RawAmount>().unwrap().to_decimal(decimals), text, "{raw} of {decimals}");
        }
        let longest = RawAmount::new(U256::MAX).to_decimal(u8::MAX);
        assert_eq!((longest.len(), &longest[..4]), (2 + 255, "0.00"));
    }

    proptest! {
        #[test]
        fn shares_are_exact_on_both_sides_of_128_bits(
            amount in any::<u128>(), numerator in any::<u128>(), shifts in (0u32..=120, 0u32..=120), divisor in any::<u128>(),
        ) {
            let (amount, numerator) = (U256::from(amount >> shifts.0), U256::from(numerator >> shifts.1));
            for denominator in [U256::from(divisor), U256::from(divisor >> 90), numerator, U256::ZERO] {
                let expected = (amount * numerator).checked_div(denominator).map(RawAmount);
                prop_assert_eq!(RawAmount(amount).mul_div_floor(numerator, denominator), expected);
            }
        }

        #[test]
        fn decimals_round_trip_exactly(limbs in any::<[u64; 4]>(), decimals in 0u8..=36) {
            let amount = RawAmount(U256::from_limbs(limbs));
            prop_assert_eq!(RawAmount::from_decimal(&amount.to_decimal(decimals), decimals), Ok(amount));
        }

        #[test]
        fn any_text_is_parsed_or_rejected_without_panic(text in "\\PC{0,100}", decimals in any::<u8>()) {
            let _ = text.parse::<RawAmount>();
            let _ = RawAmount::from_decimal(&text, decimals);
        }
    }
}
