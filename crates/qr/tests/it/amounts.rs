use alloy_primitives::U256;
use causeway_qr::Error;
use causeway_qr::payload::{Transfer, base_units, transfer};
use proptest::prelude::*;

#[test]
fn an_amount_that_cannot_be_used_gives_a_code_of_the_recipient_only() {
    let recipient = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
    let largest = U256::MAX.to_string();
    for amount in ["1e18", "1,5", "-1", "1.", ".5", "1.2345678", &format!("{largest}0"), "NaN"] {
        for caip2 in ["eip155:1", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "tron:0x2b6653dc"] {
            let payment = Transfer { amount, recipient, caip2, token: "native", decimals: 6 };
            assert_eq!(transfer(&payment).as_deref(), Ok(recipient), "{amount} on {caip2}");
        }
    }
    let payment = Transfer { amount: "1.5", recipient, caip2: "eip155:1", token: "native", decimals: 6 };
    assert_eq!(transfer(&payment).unwrap(), format!("ethereum:{recipient}@1?value=1500000"));
}

#[test]
fn amounts_are_converted_exactly() {
    for (amount, decimals, units) in [
        ("1", 0, "1"),
        ("1", 18, "1000000000000000000"),
        ("1.23", 6, "1230000"),
        ("0.000001", 6, "1"),
        ("0.1", 18, "100000000000000000"),
        ("123456789.987654321", 9, "123456789987654321"),
        ("0.000000000000000000000000000000000001", 36, "1"),
        ("340282366920938463463374607431768211456", 0, "340282366920938463463374607431768211456"),
    ] {
        assert_eq!(base_units(amount, decimals).as_deref(), Ok(units), "{amount} with {decimals}");
    }
}

#[test]
fn zero_is_accepted() {
    for (amount, decimals) in [("0", 0), ("0", 18), ("0.00", 2), ("0.0", 18)] {
        assert_eq!(base_units(amount, decimals).as_deref(), Ok("0"));
    }
}

#[test]
fn more_fraction_digits_than_decimals_are_rejected_even_if_zero() {
    for (amount, decimals) in [("1.2345678", 6), ("1.50", 1), ("1.0", 0), ("0.1", 0)] {
        let fraction = amount.len() - 2;
        assert_eq!(base_units(amount, decimals), Err(Error::TooPrecise { fraction, decimals }));
    }
    let message = base_units("1.50", 1).unwrap_err().to_string();
    assert!(
        message.starts_with("amount has 2 digits after the point but the token has 1 decimals"),
        "{message}"
    );
}

#[test]
fn malformed_amounts_are_rejected() {
    for amount in [
        "1e18", "1E5", "1,5", "-1", "+1", ".", "1.", ".5", "007", "00", "01.5", " 1", "1 ", "1 000", "1_000",
        "1.2.3", "0x10", "NaN", "inf", "½", "٣", "1\n", "1\u{0}", "--1", "1.-5", "1.+5",
    ] {
        assert_eq!(base_units(amount, 18), Err(Error::MalformedAmount), "{amount:?}");
    }
}

#[test]
fn an_amount_must_fit_256_bits() {
    let largest = U256::MAX.to_string();
    assert_eq!(base_units(&largest, 0).as_deref(), Ok(largest.as_str()));
    let shifted = format!("{}.{}", &largest[..60], &largest[60..]);
    assert_eq!(base_units(&shifted, 18).as_deref(), Ok(largest.as_str()));
    let one_more = format!("{}6", &largest[..77]);
    for (amount, decimals) in [(one_more.as_str(), 0), (&largest, 1), (&"9".repeat(10_000), 0)] {
        assert_eq!(base_units(amount, decimals), Err(Error::AmountTooLarge));
    }
}

proptest! {
    #[test]
    fn conversion_agrees_with_256_bit_arithmetic(
        whole in "0|[1-9][0-9]{0,50}",
        fraction in prop::option::of("[0-9]{1,36}"),
        spare in 0_u8..=36,
    ) {
        let digits = fraction.as_ref().map_or(0, String::len);
        let decimals = u8::try_from(digits).unwrap().saturating_add(spare).min(36);
        let amount = fraction.as_ref().map_or(whole.clone(), |fraction| format!("{whole}.{fraction}"));

        let power = |n: usize| U256::from(10).pow(U256::from(n));
        let part = |text: &str| text.parse::<U256>().unwrap();
        let small = part(fraction.as_deref().unwrap_or("0")) * power(usize::from(decimals) - digits);
        let expected = part(&whole).checked_mul(power(decimals.into())).and_then(|units| units.checked_add(small));
        let expected = expected.map(|units| units.to_string()).ok_or(Error::AmountTooLarge);
        prop_assert_eq!(base_units(&amount, decimals), expected);
    }

    #[test]
    fn any_text_is_converted_or_rejected_with_a_message(amount in "\\PC{0,20}|[0-9.,e+-]{0,12}", decimals: u8) {
        match base_units(&amount, decimals) {
            Ok(units) => prop_assert!(units.bytes().all(|b| b.is_ascii_digit())),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
