use jiff::civil::Date;

/// The outcome of a card payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charge {
    Succeeds,
    /// Succeeds after a delay.
    SucceedsSlowly,
    Declined,
    /// The card's owner must approve first (3-D Secure).
    NeedsApproval,
}

/// A field with an invalid value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InvalidField {
    Number,
    Expiry,
    Cvc,
}

impl InvalidField {
    /// The field's name in the form.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Expiry => "expiry",
            Self::Cvc => "cvc",
        }
    }

    pub(super) const fn message(self) -> &'static str {
        match self {
            Self::Number => "This is not a card number. Try 4242 4242 4242 4242.",
            Self::Expiry => "Enter the expiry as month and year, such as 12/30.",
            Self::Cvc => "The CVC is the three or four digits on the back of the card.",
        }
    }
}

/// Validates a card and returns the outcome of a payment with it. Nothing of the card is stored.
pub(super) fn charge(number: &str, expiry: &str, cvc: &str, today: Date) -> Result<Charge, InvalidField> {
    let number: String = number.chars().filter(|c| *c != ' ' && *c != '-').collect();
    if !(13..=19).contains(&number.len()) || !is_luhn(&number) {
        return Err(InvalidField::Number);
    }
    if !is_unexpired(expiry, today) {
        return Err(InvalidField::Expiry);
    }
    let cvc = cvc.trim();
    if !(3..=4).contains(&cvc.len()) || !cvc.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidField::Cvc);
    }
    Ok(match number.as_str() {
        "4242424242424242" => Charge::Succeeds,
        "4000000000000077" => Charge::SucceedsSlowly,
        "4000000000003220" => Charge::NeedsApproval,
        // All other cards are declined.
        _ => Charge::Declined,
    })
}

/// Validates the Luhn check digit.
fn is_luhn(number: &str) -> bool {
    let digits: Option<Vec<u32>> = number.chars().map(|c| c.to_digit(10)).collect();
    let Some(digits) = digits else { return false };
    let weigh = |(place, digit): (usize, &u32)| match (place % 2, digit * 2) {
        (0, _) => *digit,
        (_, double) if double > 9 => double - 9,
        (_, double) => double,
    };
    digits.iter().rev().enumerate().map(weigh).sum::<u32>() % 10 == 0
}

/// Whether `MM/YY` is this month or later.
fn is_unexpired(expiry: &str, today: Date) -> bool {
    let read = || {
        let (month, year) = expiry.split_once('/')?;
        let digits = |text: &str| {
            let text = text.trim();
            text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<i16>().ok())?
        };
        let (month, year) = (digits(month)?, digits(year)?);
        let year = if year < 100 { 2_000 + year } else { year };
        (1..=12).contains(&month).then_some((year, month))
    };
    read().is_some_and(|end| end >= (today.year(), today.month().into()))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const TODAY: Date = date(2026, 11, 16);

    #[test]
    fn test_cards_have_their_documented_outcome() {
        for (number, expected) in [
            ("4242 4242 4242 4242", Charge::Succeeds),
            ("4000000000000077", Charge::SucceedsSlowly),
            ("4000 0000 0000 0002", Charge::Declined),
            ("4000-0000-0000-3220", Charge::NeedsApproval),
            ("5555 5555 5555 4444", Charge::Declined),
        ] {
            assert_eq!(charge(number, "12/30", "123", TODAY), Ok(expected), "{number}");
        }
    }

    #[test]
    fn invalid_field_is_named() {
        let good = "4242424242424242";
        for number in
            ["", "4242", "4242 4242 4242 4241", "4242x42424242424", &"0".repeat(20), "٤٢٤٢٤٢٤٢٤٢٤٢٤"]
        {
            assert_eq!(charge(number, "12/30", "123", TODAY), Err(InvalidField::Number), "{number}");
        }
        for expiry in ["", "1230", "13/30", "00/30", "10/26", "a/b", "-1/30", "12/"] {
            assert_eq!(charge(good, expiry, "123", TODAY), Err(InvalidField::Expiry), "{expiry}");
        }
        for cvc in ["", "12", "12345", "abc"] {
            assert_eq!(charge(good, "11/26", cvc, TODAY), Err(InvalidField::Cvc), "{cvc}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_input_never_panics(number in ".{0,24}", expiry in ".{0,8}", cvc in ".{0,6}") {
            let _ = charge(&number, &expiry, &cvc, TODAY);
        }
    }
}
