/// Maximum number of digits.
const MAX_DIGITS: usize = 80;

/// Parses a number as people type it and returns it in plain form: `1,000` is `1000`, `.5` is `0.5`, `2.5k` is `2500`.
///
/// A comma only separates thousands, so `1,5` is rejected as ambiguous.
pub(super) fn parse(text: &str) -> Option<String> {
    let (digits, zeros) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (text.get(..at)?, 3),
        (at, 'm' | 'M') => (text.get(..at)?, 6),
        _ => (text, 0),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, fraction),
        None => (digits, ""),
    };
    let whole = ungroup(whole)?;
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let too_long = whole.len() + fraction.len() > MAX_DIGITS;
    if too_long || (whole.is_empty() && fraction.is_empty()) || !is_digits(&whole) || !is_digits(fraction) {
        return None;
    }
    Some(shift(&whole, fraction, zeros))
}

/// Removes the commas from `1,234,567`; `None` if they do not separate thousands.
fn ungroup(whole: &str) -> Option<String> {
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let mut joined = first.to_owned();
    for group in groups {
        // `0,500` is a decimal comma in other locales.
        if group.len() != 3 || first.is_empty() || first.len() > 3 || first.starts_with('0') {
            return None;
        }
        joined.push_str(group);
    }
    Some(joined)
}

/// Moves the point to the right and removes insignificant zeros.
fn shift(whole: &str, fraction: &str, places: usize) -> String {
    let padded = format!("{fraction:0<places$}");
    let (moved, rest) = padded.split_at_checked(places).unwrap_or((padded.as_str(), ""));
    let whole = format!("{whole}{moved}");
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        significant => significant,
    };
    match rest.trim_end_matches('0') {
        "" => whole.to_owned(),
        rest => format!("{whole}.{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_read_as_people_type_them() {
        for (typed, meant) in [
            ("100", "100"),
            ("0.5", "0.5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("007", "7"),
            ("0", "0"),
            ("1.500", "1.5"),
            ("1,000", "1000"),
            ("12,345,678.90", "12345678.9"),
            ("1k", "1000"),
            ("2.5K", "2500"),
            ("1.2345k", "1234.5"),
            ("3m", "3000000"),
            (".5k", "500"),
        ] {
            assert_eq!(parse(typed).as_deref(), Some(meant), "{typed}");
        }
    }

    #[test]
    fn ambiguous_numbers_are_rejected() {
        for typed in [
            "", ".", "k", "1,5", "1,00", "0,500", "1,0000", ",000", "1.000,5", "1.2.3", "1e18", "-1", "+1",
            "٣", "1 0",
        ] {
            assert_eq!(parse(typed), None, "{typed}");
        }
        assert_eq!(parse(&"9".repeat(81)), None);
    }

    proptest! {
        #[test]
        fn every_parsed_number_is_a_plain_decimal(text in "\\PC{0,30}|[0-9,.kKmM]{0,12}") {
            if let Some(number) = parse(&text) {
                prop_assert!(number.chars().all(|c| c.is_ascii_digit() || c == '.') && !number.ends_with('.'));
                prop_assert_eq!(parse(&number), Some(number));
            }
        }
    }
}
