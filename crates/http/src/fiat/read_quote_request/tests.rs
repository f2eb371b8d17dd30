use proptest::prelude::*;
use serde_json::json;

use super::*;

const WALLET: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const SOLANA_WALLET: &str = "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96";
const USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

fn request() -> Value {
    json!({
        "fiatCurrency": "USD", "fiatAmount": "100", "toChainId": 8453, "toToken": USDC, "recipient": WALLET,
    })
}

fn read(request: &Value) -> Result<FiatAsk, String> {
    read_quote_request(&Body::from_json(request)).map_err(|error| format!("{error:?}"))
}

fn with(changes: &Value) -> Value {
    let mut request = request();
    for (field, value) in changes.as_object().unwrap() {
        request[field] = value.clone();
    }
    request
}

#[test]
fn every_field_is_read_into_its_own_place() {
    let address = |byte: u8| Address::Evm(alloy_primitives::Address::repeat_byte(byte));
    let body = with(&json!({
        "fiatCurrency": "EUR", "fiatAmount": "7.50", "recipient": address(1).to_string(),
        "refundTo": address(2).to_string(), "provider": "sandbox-card", "paymentMethod": "card",
        "slippageBps": 50, "country": "US-NY",
    }));
    let currency: FiatCurrency = "EUR".parse().unwrap();
    let expected = FiatAsk {
        currency,
        amount: WantedAmount::Pay(FiatAmount::new(currency, 750)),
        target: TokenId::new(ChainId::new(8453).unwrap(), USDC).unwrap(),
        recipient: address(1),
        provider: Some("sandbox-card".to_owned()),
        method: Some("card".to_owned()),
        refund_to: Some(address(2)),
        slippage_bps: Some(50),
        country: Some("US-NY".to_owned()),
    };
    assert_eq!(read(&body), Ok(expected));
}

#[test]
fn old_and_new_field_names_are_equivalent() {
    let newer = json!({
        "fiatCurrency": "USD", "fiatAmount": "100",
        "outputAsset": { "chainId": 8453, "address": USDC.to_lowercase() }, "walletAddress": WALLET,
    });
    assert_eq!(read(&newer), read(&request()));
    let both = with(&json!({ "outputAsset": { "chainId": 8453, "address": USDC }, "walletAddress": WALLET }));
    assert_eq!(read(&both), read(&request()), "both spellings may be given if they agree");
}

#[test]
fn contradicting_fields_are_rejected() {
    let other = with(&json!({ "outputAsset": { "chainId": 1, "address": USDC } }));
    assert!(read(&other).unwrap_err().contains("another token than toChainId"));
    let other = with(&json!({ "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }));
    assert!(read(&other).unwrap_err().contains("differs from recipient"));
}

#[test]
fn empty_body_reports_every_required_field() {
    let error = read(&json!({})).unwrap_err();
    for field in ["fiatCurrency", "fiatAmount", "toChainId", "toToken", "recipient"] {
        assert!(error.contains(&format!("\"path\": String(\"{field}\")")), "{field}: {error}");
    }
}

#[test]
fn invalid_fiat_amounts_are_rejected_with_reason() {
    for (amount, message) in [
        ("0", "more than zero"),
        ("-5", "written as digits"),
        ("1e3", "written as digits"),
        ("12.345", "2 digits after the point"),
    ] {
        let error = read(&with(&json!({ "fiatAmount": amount }))).unwrap_err();
        assert!(error.contains("fiatAmount") && error.contains(message), "{amount}: {error}");
    }
    let yen = |amount: &str| read(&with(&json!({ "fiatCurrency": "JPY", "fiatAmount": amount })));
    assert!(yen("100.5").unwrap_err().contains("0 digits after the point"));
    assert!(yen("100").is_ok());
    assert!(read(&with(&json!({ "fiatAmount": 100 }))).unwrap_err().contains("must be a string"));
    assert!(read(&with(&json!({ "fiatCurrency": "XYZ" }))).unwrap_err().contains("ISO 4217"));
}

#[test]
fn exactly_one_amount_is_required() {
    let both = read(&with(&json!({ "cryptoAmount": "1000000" }))).unwrap_err();
    assert!(both.contains("give exactly one of the two"), "{both}");
    let received = read(&with(&json!({ "fiatAmount": null, "cryptoAmount": "1000000" }))).unwrap();
    assert_eq!(received.amount, WantedAmount::Receive("1000000".parse().unwrap()));
    for bad in ["0", "1.5", "-1", "1e6"] {
        let error = read(&with(&json!({ "fiatAmount": null, "cryptoAmount": bad }))).unwrap_err();
        assert!(error.contains("cryptoAmount"), "{bad}: {error}");
    }
    assert!(
        read(&with(&json!({ "fiatAmount": null }))).unwrap_err().contains("unless cryptoAmount is given")
    );
}

#[test]
fn addresses_must_be_of_the_target_chains_family() {
    let error = read(&with(&json!({ "recipient": SOLANA_WALLET, "refundTo": SOLANA_WALLET }))).unwrap_err();
    assert!(error.contains("recipient") && error.contains("refundTo"), "{error}");
    let solana = with(&json!({ "toChainId": 20_011_000_000_u64, "toToken": "1".repeat(32) }));
    assert!(read(&solana).unwrap_err().contains("recipient"));
    let mut solana = solana;
    solana["recipient"] = json!(SOLANA_WALLET);
    assert!(read(&solana).is_ok());
}

#[test]
fn invalid_optional_fields_are_rejected() {
    for (field, bad) in [
        ("slippageBps", json!(5_001)),
        ("slippageBps", json!(-1)),
        ("slippageBps", json!(0.5)),
        ("country", json!("de")),
        ("country", json!("Germany")),
        ("country", json!("US-")),
        ("provider", json!("<b>")),
        ("provider", json!("")),
        ("paymentMethod", json!("../card")),
        ("outputAsset", json!("eip155:1")),
        ("outputAsset", json!({ "chainId": "1", "address": USDC })),
        ("toChainId", json!("8453")),
    ] {
        let error = read(&with(&json!({ field: bad }))).unwrap_err();
        assert!(error.contains(field), "{field} {bad}: {error}");
    }
    assert!(
        read(&with(&json!({ "slippageBps": 50, "country": "US-NY", "provider": "sandbox-card" }))).is_ok()
    );
}

proptest! {
    #[test]
    fn arbitrary_text_does_not_panic(a in "\\PC{0,40}", b in "\\PC{0,40}", c in any::<u64>()) {
        let _ = read(&with(&json!({ "fiatAmount": a, "country": b, "toChainId": c, "recipient": a, "toToken": b })));
        let _ = read(&with(&json!({ "fiatCurrency": b, "outputAsset": { "chainId": c, "address": a } })));
    }
}
