use jiff::civil::Date;

/// What becomes of a payment with a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charge {
    Goes,
    /// Goes, after a while.
    GoesSlowly,
    Declined,
    /// The card's owner has to approve first.
    Challenged,
}

/// A field that cannot be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadField {
    Number,
    Expiry,
    Cvc,
}

impl BadField {
    /// The field's name in the form.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Expiry => "expiry",
            Self::Cvc => "cvc",
        }
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Number => "This is not a card number. Try 4242 4242 4242 4242.",
            Self::Expiry => "Write the month and the year in which the card ends, such as 12/30.",
            Self::Cvc => "The CVC is the three or four digits on the back of the card.",
        }
    }
}

/// Reads a card and tells what would become of a payment with it. Nothing of the card is kept.
pub(super) fn charge(number: &str, expiry: &str, cvc: &str, today: Date) -> Result<Charge, BadField> {
    let number: String = number.chars().filter(|c| *c != ' ' && *c != '-').collect();
    if !(13..=19).contains(&number.len()) || !is_luhn(&number) {
        return Err(BadField::Number);
    }
    if !ends_after(expiry, today) {
        return Err(BadField::Expiry);
    }
    let cvc = cvc.trim();
    if !(3..=4).contains(&cvc.len()) || !cvc.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(BadField::Cvc);
    }
    Ok(match number.as_str() {
        "4242424242424242" => Charge::Goes,
        "4000000000000077" => Charge::GoesSlowly,
        "4000000000003220" => Charge::Challenged,
        // Cards that nobody made up for play are never charged.
        _ => Charge::Declined,
    })
}

/// The check digit that every card number carries.
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
fn ends_after(expiry: &str, today: Date) -> bool {
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
    fn the_test_numbers_do_what_they_are_for() {
        for (number, expected) in [
            ("4242 4242 4242 4242", Charge::Goes),
            ("4000000000000077", Charge::GoesSlowly),
            ("4000 0000 0000 0002", Charge::Declined),
            ("4000-0000-0000-3220", Charge::Challenged),
            ("5555 5555 5555 4444", Charge::Declined),
        ] {
            assert_eq!(charge(number, "12/30", "123", TODAY), Ok(expected), "{number}");
        }
    }

    #[test]
    fn a_field_that_cannot_be_right_is_named() {
        let good = "4242424242424242";
        for number in
            ["", "4242", "4242 4242 4242 4241", "4242x42424242424", &"0".repeat(20), "٤٢٤٢٤٢٤٢٤٢٤٢٤"]
        {
            assert_eq!(charge(number, "12/30", "123", TODAY), Err(BadField::Number), "{number}");
        }
        for expiry in ["", "1230", "13/30", "00/30", "10/26", "a/b", "-1/30", "12/"] {
            assert_eq!(charge(good, expiry, "123", TODAY), Err(BadField::Expiry), "{expiry}");
        }
        for cvc in ["", "12", "12345", "abc"] {
            assert_eq!(charge(good, "11/26", cvc, TODAY), Err(BadField::Cvc), "{cvc}");
        }
    }

    proptest! {
        #[test]
        fn any_input_is_read_or_refused_without_panic(number in ".{0,24}", expiry in ".{0,8}", cvc in ".{0,6}") {
            let _ = charge(&number, &expiry, &cvc, TODAY);
        }
    }
}
