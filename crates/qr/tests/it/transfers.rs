use causeway_qr::Error;
use causeway_qr::payload::{MAX_CHARACTERS, Transfer, generic, solana_pay, transfer};
use proptest::prelude::*;

const ALICE: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const BITCOIN: &str = "bip122:000000000019d6689c085ae165831e93";
const TESTNET: &str = "bip122:000000000933ea01ad0ee984209779ba";
const SEGWIT: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

const ETHER: Transfer<'_> =
    Transfer { amount: "1.5", recipient: ALICE, caip2: "eip155:1", token: "native", decimals: 18 };
const BTC: Transfer<'_> =
    Transfer { amount: "0.015", recipient: SEGWIT, caip2: BITCOIN, token: "btc", decimals: 8 };

fn payload(payment: Transfer<'_>) -> String {
    transfer(&payment).unwrap()
}

fn shows_recipient_only(payment: Transfer<'_>) -> bool {
    payload(payment) == payment.recipient
}

#[test]
fn native_evm_transfer_is_an_eip681_uri_with_value() {
    assert_eq!(payload(ETHER), format!("ethereum:{ALICE}@1?value=1500000000000000000"));
    let on_base = Transfer { caip2: "eip155:8453", ..ETHER };
    assert_eq!(payload(on_base), format!("ethereum:{ALICE}@8453?value=1500000000000000000"));
}

#[test]
fn erc20_transfer_is_an_eip681_uri_that_calls_transfer() {
    let usdc = Transfer { amount: "1.23", token: USDC, decimals: 6, ..ETHER };
    assert_eq!(payload(usdc), format!("ethereum:{USDC}@1/transfer?address={ALICE}&uint256=1230000"));
}

#[test]
fn native_is_the_word_the_zero_address_or_forty_e_in_any_case() {
    let zero = format!("0x{}", "0".repeat(40));
    let forty_e = format!("0x{}", "e".repeat(40));
    let capitals = forty_e.to_uppercase();
    for token in ["native", "eth", &zero, &forty_e, &format!("0x{}", "Ee".repeat(20)), &capitals] {
        assert_eq!(payload(Transfer { token, ..ETHER }), payload(ETHER), "{token}");
    }
}

#[test]
fn a_symbol_in_capitals_is_ambiguous_and_shows_the_recipient_only() {
    for token in ["ETH", "Native", "USDC", "pol", "0xeee", "eip155:1/slip44:60", " eth"] {
        assert!(shows_recipient_only(Transfer { token, ..ETHER }), "{token}");
    }
}

#[test]
fn evm_addresses_keep_their_spelling() {
    for recipient in [ALICE.to_lowercase(), ALICE.to_uppercase().replace("0X", "0x")] {
        let payment = Transfer { recipient: &recipient, ..ETHER };
        assert_eq!(payload(payment), format!("ethereum:{recipient}@1?value=1500000000000000000"));
    }
}

#[test]
fn an_invalid_evm_recipient_is_shown_alone() {
    let long = format!("{ALICE}0");
    let capital_prefix = ALICE.replace("0x", "0X");
    for recipient in ["vitalik.eth", SEGWIT, &ALICE[..41], &long, &capital_prefix, &ALICE[2..]] {
        assert!(shows_recipient_only(Transfer { recipient, ..ETHER }), "{recipient}");
        assert!(shows_recipient_only(Transfer { recipient, token: USDC, ..ETHER }), "{recipient}");
    }
}

#[test]
fn an_invalid_evm_token_shows_the_recipient_only() {
    for token in ["usdc", &USDC[..41], "0xZ0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", &USDC[2..]] {
        assert!(shows_recipient_only(Transfer { token, ..ETHER }), "{token}");
    }
}

#[test]
fn a_malformed_chain_shows_the_recipient_only() {
    for caip2 in [
        "eip155",
        "eip155:",
        "eip155:0",
        "eip155:01",
        "eip155:+1",
        "eip155:-1",
        "eip155:1 ",
        "eip155:0x1",
        "eip155:1:1",
        "eip155:1?value=2",
        "eip155:18446744073709551616",
        "EIP155:1",
        "1",
        ":1",
        "bip122",
    ] {
        assert!(shows_recipient_only(Transfer { caip2, ..ETHER }), "{caip2}");
    }
}

#[test]
fn bitcoin_transfer_is_a_bip21_uri_with_the_amount_as_given() {
    assert_eq!(payload(BTC), format!("bitcoin:{SEGWIT}?amount=0.015"));
    let trailing_zero = Transfer { amount: "2.50", ..BTC };
    assert_eq!(payload(trailing_zero), format!("bitcoin:{SEGWIT}?amount=2.50"));
}

#[test]
fn bitcoin_is_recognised_by_the_namespace_bip122_whatever_network_and_decimals() {
    let capitals = SEGWIT.to_uppercase();
    let addresses = [
        "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
        "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
        SEGWIT,
        &capitals,
        "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
        "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
    ];
    for caip2 in [BITCOIN, TESTNET, "bip122:000000000019D6689C085AE165831E93", "bip122:main"] {
        for recipient in addresses {
            for decimals in [0, 8, 18, 36] {
                let payment = Transfer { recipient, caip2, decimals, ..BTC };
                assert_eq!(payload(payment), format!("bitcoin:{recipient}?amount=0.015"));
            }
        }
    }
}

#[test]
fn an_amount_finer_than_a_satoshi_shows_the_recipient_only() {
    assert!(shows_recipient_only(Transfer { amount: "0.123456789", decimals: 18, ..BTC }));
    let zeros = Transfer { amount: "0.1234567800", decimals: 18, ..BTC };
    assert_eq!(payload(zeros), format!("bitcoin:{SEGWIT}?amount=0.1234567800"));
}

#[test]
fn bitcoin_is_native_btc_bitcoin_slip44_or_a_placeholder_address() {
    let zero = format!("0x{}", "0".repeat(40));
    for token in ["native", "BTC", "bitcoin", "slip44:0", &zero] {
        assert_eq!(payload(Transfer { token, ..BTC }), payload(BTC), "{token}");
    }
    for token in ["eth", "rune:840000:3", "ordi", USDC] {
        assert!(shows_recipient_only(Transfer { token, ..BTC }), "{token}");
    }
}

#[test]
fn other_coins_of_the_bip122_namespace_show_the_recipient_only() {
    let (litecoin, cash) =
        ("bip122:12a765e31ffd4059bada1e25190f6e98", "bip122:000000000000000000651ef99cb9fcbe");
    for caip2 in [litecoin, cash, "bip122:"] {
        let shared_form = Transfer { caip2, recipient: "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", ..BTC };
        assert!(shows_recipient_only(shared_form), "{caip2}");
    }
}

#[test]
fn tron_ckb_solana_and_unknown_namespaces_show_the_recipient_only() {
    for (caip2, recipient) in [
        ("tron:0x2b6653dc", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
        ("ckb:mainnet", "ckb1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsq"),
        ("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs"),
        ("cosmos:cosmoshub-4", ALICE),
        ("polkadot:b0a8d493285c2df73290dfb7e61f870f", ALICE),
    ] {
        assert!(shows_recipient_only(Transfer { caip2, recipient, ..ETHER }), "{caip2}");
    }
}

#[test]
fn every_missing_parameter_is_named_and_a_blank_one_counts_as_missing() {
    let read =
        |recipient| Transfer::from_query(Some("1"), recipient, Some("eip155:1"), Some("eth"), Some("18"));
    assert!(read(Some(ALICE)).is_ok());
    for absent in [None, Some(""), Some(" ")] {
        assert_eq!(read(absent), Err(Error::Missing(vec!["recipient"])));
    }
    let none = Transfer::from_query(None, None, None, None, None).unwrap_err();
    assert_eq!(none, Error::Missing(vec!["amount", "recipient", "caip2", "token", "decimals"]));
    assert_eq!(none.to_string(), "missing from the query: amount, recipient, caip2, token, decimals");
}

#[test]
fn decimals_are_an_integer_from_0_to_36() {
    let read = |decimals| {
        let payment =
            Transfer::from_query(Some("1"), Some(ALICE), Some("eip155:1"), Some("eth"), Some(decimals))?;
        transfer(&payment)
    };
    assert_eq!(read("0").unwrap(), format!("ethereum:{ALICE}@1?value=1"));
    assert_eq!(read("36").unwrap(), format!("ethereum:{ALICE}@1?value=1{}", "0".repeat(36)));
    for decimals in ["37", "255", "256", "-1", "+6", "6.0", "six", "1e1", " 6", "99999999999999999999"] {
        assert_eq!(read(decimals), Err(Error::Decimals), "{decimals}");
    }
}

#[test]
fn a_payload_over_2048_characters_is_rejected() {
    let longest = "é".repeat(MAX_CHARACTERS);
    assert_eq!(generic(Some(&longest)), Ok(longest.as_str()));
    let longer = format!("{longest}x");
    let refusal = Error::TooLong { length: 2049, limit: 2048, unit: "characters" };
    assert_eq!(generic(Some(&longer)), Err(refusal.clone()));
    assert_eq!(transfer(&Transfer { recipient: &longer, ..ETHER }), Err(refusal));
}

#[test]
fn generic_content_is_required_and_encoded_verbatim() {
    assert_eq!(generic(Some("https://pay.example/?a=1&b=2")), Ok("https://pay.example/?a=1&b=2"));
    for absent in [None, Some(""), Some("\n")] {
        assert_eq!(generic(absent), Err(Error::Missing(vec!["content"])));
    }
}

/// Text made of pieces that would change the meaning of a payment URI, and of pieces of addresses.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(ALICE.to_owned()),
        Just(SEGWIT.to_owned()),
        Just("?value=1".to_owned()),
        Just("&amount=9".to_owned()),
        Just("@1".to_owned()),
        "[&?@/#%=:+ \r\n\t\0]",
        "\\PC{0,8}",
        "[0-9a-fA-Fx]{1,42}",
    ];
    prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat())
}

const SOLANA: Transfer<'_> = Transfer {
    amount: "0.5",
    recipient: "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96",
    caip2: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    token: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    decimals: 6,
};

#[test]
fn a_code_on_solana_shows_the_recipient_only_and_solana_pay_is_separate() {
    assert!(shows_recipient_only(SOLANA));
    let (recipient, token) = (SOLANA.recipient, SOLANA.token);
    assert_eq!(solana_pay(&SOLANA), Some(format!("solana:{recipient}?amount=0.5&spl-token={token}")));
    let sol = Transfer { token: "11111111111111111111111111111111", decimals: 9, ..SOLANA };
    assert_eq!(solana_pay(&sol), Some(format!("solana:{recipient}?amount=0.5")));
    for odd in [
        Transfer { caip2: "eip155:1", ..SOLANA },
        Transfer { recipient: ALICE, ..SOLANA },
        Transfer { recipient: "a&label=b", ..SOLANA },
        Transfer { token: "native", ..SOLANA },
        Transfer { amount: "1e3", ..SOLANA },
        Transfer { amount: "0.0000001", ..SOLANA },
    ] {
        assert_eq!(solana_pay(&odd), None, "{odd:?}");
    }
}

fn is_evm_address(text: &str) -> bool {
    text.len() == 42 && text.starts_with("0x") && text[2..].chars().all(|c| c.is_ascii_hexdigit())
}

proptest! {
    #[test]
    fn only_addresses_enter_a_payment_uri(
        recipient in hostile(),
        token in prop_oneof![Just("native".to_owned()), Just(USDC.to_owned()), hostile()],
        chain in prop_oneof![Just("eip155:1".to_owned()), Just(BITCOIN.to_owned()), hostile()],
    ) {
        let payment = Transfer { amount: "1", recipient: &recipient, caip2: &chain, token: &token, decimals: 8 };
        let shown = payload(payment);
        if shown != recipient {
            let bare_bitcoin = recipient.chars().all(|c| c.is_ascii_alphanumeric());
            let is_bitcoin = shown.starts_with("bitcoin:");
            let address = if is_bitcoin { bare_bitcoin } else { is_evm_address(&recipient) };
            prop_assert!(address, "{shown}");
            prop_assert!(is_bitcoin || token == "native" || is_evm_address(&token), "{shown}");
        }
    }

    #[test]
    fn a_recipient_with_an_invalid_character_is_shown_alone(
        before in "[0-9a-zA-Z]{0,42}", bad in "[&?@/#%=:+., \r\n]", after in "[0-9a-zA-Z]{0,42}",
    ) {
        let recipient = format!("{before}{bad}{after}");
        for payment in [ETHER, Transfer { token: USDC, ..ETHER }, BTC] {
            prop_assert_eq!(payload(Transfer { recipient: &recipient, ..payment }), recipient.as_str());
        }
    }
}
