use std::fmt;
use std::str::FromStr;

use alloy_primitives::U256;
use thiserror::Error;

use crate::{AmountError, RawAmount};

/// ISO 4217 currencies in circulation, by their number of decimals.
const NO_DECIMALS: &str = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
const TWO_DECIMALS: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF \
CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD \
KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD \
PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD \
TWD TZS UAH USD UYU UZS VES WST XCD YER ZAR ZMW ZWG";
const THREE_DECIMALS: &str = "BHD IQD JOD KWD LYD OMR TND";

/// A fiat currency by its ISO 4217 code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiatCurrency {
    code: [u8; 3],
    digits: u8,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not a currency: name one by its ISO 4217 code, for instance USD or EUR")]
pub struct CurrencyError(String);

impl FiatCurrency {
    /// The code of every currency, with its number of decimals.
    pub fn codes() -> impl Iterator<Item = (&'static str, u8)> {
        let digits = [(NO_DECIMALS, 0), (TWO_DECIMALS, 2), (THREE_DECIMALS, 3)];
        digits.into_iter().flat_map(|(codes, digits)| codes.split(' ').map(move |code| (code, digits)))
    }

    pub fn code(&self) -> &str {
        // `from_str` accepts ASCII letters only.
        str::from_utf8(&self.code).unwrap_or_default()
    }

    /// How many digits an amount has after the point.
    pub const fn digits(self) -> u8 {
        self.digits
    }
}

impl FromStr for FiatCurrency {
    type Err = CurrencyError;

    /// Parses an upper-case code.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || CurrencyError(text.chars().take(12).collect());
        let code: [u8; 3] = text.as_bytes().try_into().map_err(|_| unknown())?;
        let known = Self::codes().find(|(known, _)| *known == text);
        known.map(|(_, digits)| Self { code, digits }).ok_or_else(unknown)
    }
}

impl fmt::Display for FiatCurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for FiatCurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// An amount of a currency, in its smallest units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FiatAmount {
    pub currency: FiatCurrency,
    pub minor: u64,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FiatAmountError {
    #[error("an amount is written as digits with at most one decimal point, for instance 100 or 99.50")]
    Form,
    #[error("{currency} has {digits} digits after the point, and the amount has more")]
    TooFine { currency: FiatCurrency, digits: u8 },
    #[error("the amount must be more than zero")]
    Zero,
    #[error("the amount is larger than any that can be paid")]
    TooLarge,
}

impl FiatAmount {
    pub const fn new(currency: FiatCurrency, minor: u64) -> Self {
        Self { currency, minor }
    }

    /// Parses a decimal exactly; rejects zero and more decimals than the currency has.
    pub fn parse(currency: FiatCurrency, text: &str) -> Result<Self, FiatAmountError> {
        let digits = currency.digits;
        let raw = RawAmount::from_decimal(text, digits).map_err(|error| match error {
            AmountError::TooFine(_) => FiatAmountError::TooFine { currency, digits },
            AmountError::TooLarge => FiatAmountError::TooLarge,
            AmountError::NotRaw | AmountError::NotDecimal => FiatAmountError::Form,
        })?;
        let minor: u64 = raw.get().try_into().map_err(|_| FiatAmountError::TooLarge)?;
        // The largest integer that a JSON number represents exactly.
        if minor >= 1 << 53 {
            return Err(FiatAmountError::TooLarge);
        }
        if minor == 0 { Err(FiatAmountError::Zero) } else { Ok(Self { currency, minor }) }
    }

    /// Both of one currency, added; `None` otherwise or when it does not fit.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let minor = self.minor.checked_add(other.minor).filter(|_| self.currency == other.currency)?;
        Some(Self { minor, ..self })
    }

    /// Both of one currency, subtracted; `None` otherwise or below zero.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        let minor = self.minor.checked_sub(other.minor).filter(|_| self.currency == other.currency)?;
        Some(Self { minor, ..self })
    }
}

impl fmt::Display for FiatAmount {
    /// The number alone, always with all digits of the currency: `50.00`, `5000` for yen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = usize::from(self.currency.digits);
        let text = RawAmount::new(U256::from(self.minor)).to_decimal(self.currency.digits);
        match text.split_once('.') {
            None if digits == 0 => f.write_str(&text),
            None => write!(f, "{text}.{:0<digits$}", ""),
            Some((whole, fraction)) => write!(f, "{whole}.{fraction:0<digits$}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(code: &str, text: &str) -> Result<String, FiatAmountError> {
        FiatAmount::parse(code.parse().unwrap(), text).map(|amount| amount.to_string())
    }

    #[test]
    fn an_amount_has_the_digits_of_its_currency() {
        assert_eq!(read("USD", "100").unwrap(), "100.00");
        assert_eq!(read("USD", "99.5").unwrap(), "99.50");
        assert_eq!(read("JPY", "100").unwrap(), "100");
        assert_eq!(read("KWD", "1.2").unwrap(), "1.200");
        assert!(matches!(read("USD", "12.345"), Err(FiatAmountError::TooFine { digits: 2, .. })));
        assert!(matches!(read("JPY", "100.5"), Err(FiatAmountError::TooFine { digits: 0, .. })));
    }

    #[test]
    fn zero_signs_and_exponents_are_rejected() {
        for text in ["0", "0.00"] {
            assert_eq!(read("USD", text), Err(FiatAmountError::Zero), "{text}");
        }
        for text in ["-5", "+5", "1e3", "", ".", "5.", ".5", " 5", "1,000", "٥"] {
            assert_eq!(read("USD", text), Err(FiatAmountError::Form), "{text}");
        }
        assert_eq!(read("USD", "90071992547409.92"), Err(FiatAmountError::TooLarge));
    }

    #[test]
    fn currency_codes_are_upper_case() {
        for code in ["usd", "US", "USDT", "XXX", "", "ÄÖ"] {
            assert!(code.parse::<FiatCurrency>().is_err(), "{code}");
        }
        for codes in [NO_DECIMALS, TWO_DECIMALS, THREE_DECIMALS] {
            for code in codes.split(' ') {
                assert_eq!(code.parse::<FiatCurrency>().unwrap().code(), code);
            }
        }
    }

    #[test]
    fn only_amounts_of_one_currency_are_added_and_subtracted() {
        let amount = |code: &str, minor| FiatAmount::new(code.parse().unwrap(), minor);
        let (ten, four) = (amount("USD", 10), amount("USD", 4));
        assert_eq!(
            (ten.checked_add(four), ten.checked_sub(four)),
            (Some(amount("USD", 14)), Some(amount("USD", 6)))
        );
        assert_eq!((amount("USD", u64::MAX).checked_add(four), four.checked_sub(ten)), (None, None));
        let yen = amount("JPY", 4);
        assert_eq!((ten.checked_add(yen), ten.checked_sub(yen)), (None, None));
    }

    proptest! {
        #[test]
        fn amounts_round_trip_through_text(minor in 1u64..1 << 53, code in prop::sample::select(vec!["USD", "JPY", "KWD"])) {
            let amount = FiatAmount::new(code.parse().unwrap(), minor);
            prop_assert_eq!(FiatAmount::parse(amount.currency, &amount.to_string()), Ok(amount));
        }

        #[test]
        fn any_text_is_parsed_or_rejected_without_panic(text in ".*") {
            let _ = FiatAmount::parse("USD".parse().unwrap(), &text);
            let _ = text.parse::<FiatCurrency>();
        }
    }
}
