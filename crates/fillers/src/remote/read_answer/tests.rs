use alloy_primitives::U256;
use causeway_domain::{Ask, Referral, Token};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const USDC_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const USDC_ETHEREUM: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const ACCOUNT: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

fn now() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn usdc(chain: u64, address: &str) -> Token {
    let id = TokenId::new(ChainId::new(chain).unwrap(), address).unwrap();
    Token { id, symbol: "USDC".to_owned(), name: "USD Coin".to_owned(), decimals: 6, logo: None }
}

fn ask() -> FillerAsk {
    let (from, to) = (usdc(8453, USDC_BASE), usdc(1, USDC_ETHEREUM));
    let account = Address::parse_any(ACCOUNT).unwrap();
    let ask = Ask {
        trade_type: TradeType::ExactInput,
        from: from.id,
        to: to.id,
        amount: RawAmount::new(U256::from(1_000)),
        from_address: account,
        recipient: account,
        refund_to: account,
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
        deposit_window: None,
    };
    FillerAsk { ask, from: from.into(), to: to.into() }
}

fn good() -> Value {
    json!({
        "from": { "chainId": 8453, "token": USDC_BASE }, "to": { "chainId": 1, "token": USDC_ETHEREUM },
        "amountIn": "1000", "amountOut": "990", "minAmountOut": "985", "validBefore": "2026-11-15T12:00:30Z",
        "expectedDurationSeconds": 12, "filler": ACCOUNT, "payee": ACCOUNT,
    })
}

fn read_for(ask: &FillerAsk, answer: &Value) -> Result<Answer, String> {
    let methods = [DepositMethod::ContractCall, DepositMethod::Transfer];
    read_answer(ask, &methods, answer.to_string().as_bytes(), now())
}

fn read(answer: &Value) -> Result<Answer, String> {
    read_for(&ask(), answer)
}

#[test]
fn valid_offer_is_read_completely() {
    let mut offer = good();
    offer["somethingNewer"] = json!({ "deep": [1] });
    offer["fees"] = json!([{ "kind": "filler", "chainId": 8453, "token": USDC_BASE, "amount": "10" }]);
    let Ok(Answer::Offers(offers)) = read(&json!({ "offers": [offer], "more": 1 })) else {
        panic!("refused")
    };
    let [offer] = &offers[..] else { panic!("{offers:?}") };
    let raw = |units: u64| RawAmount::new(U256::from(units));
    assert_eq!((offer.amount_in, offer.amount_out, offer.min_amount_out), (raw(1_000), raw(990), raw(985)));
    assert_eq!(offer.deposit_methods, [DepositMethod::ContractCall, DepositMethod::Transfer]);
    assert_eq!(offer.fees, [Fee { kind: FeeKind::Filler, token: ask().ask.from, amount: raw(10) }]);
    assert_eq!(offer.parties.map(|parties| parties.payee.to_string()).as_deref(), Some(ACCOUNT));
}

#[test]
fn minimum_output_defaults_to_the_output() {
    let mut offer = good();
    offer.as_object_mut().unwrap().remove("minAmountOut");
    let Ok(Answer::Offers(offers)) = read(&json!({ "offers": [offer] })) else { panic!("refused") };
    assert_eq!(offers[0].min_amount_out, offers[0].amount_out);
}

#[test]
fn referral_fee_is_added_as_the_escrow_pays_it() {
    let mut ask = ask();
    ask.ask.referral = Referral::new(ask.ask.recipient, 100);
    let Ok(Answer::Offers(offers)) = read_for(&ask, &json!({ "offers": [good()] })) else {
        panic!("refused")
    };
    let fee = Fee { kind: FeeKind::Referrer, token: ask.ask.from, amount: RawAmount::new(U256::from(10)) };
    assert_eq!(offers[0].fees, [fee]);
}

#[test]
fn invalid_offer_field_rejects_the_response_with_reason() {
    for (field, value, expected) in [
        ("amountIn", json!(1_000), "string"),
        ("amountOut", json!("-990"), "amountOut: an amount in raw units"),
        ("amountOut", json!("0"), "amountOut is zero"),
        ("amountOut", json!("9.9"), "digits only"),
        ("amountOut", json!("9".repeat(90)), "256 bits"),
        ("amountIn", json!("999"), "1000 was asked for"),
        ("minAmountOut", json!("991"), "above amountOut"),
        ("minAmountOut", json!("0"), "minAmountOut is zero"),
        ("validBefore", json!("2026-11-15T12:00:00Z"), "has passed"),
        ("validBefore", json!("2026-11-15T14:00:00Z"), "an hour"),
        ("validBefore", json!("soon"), "not a time"),
        ("validBefore", json!(1_794_744_000), "string"),
        ("from", json!({ "chainId": 1, "token": USDC_ETHEREUM }), "from is not the token"),
        ("to", json!({ "chainId": 1, "token": USDC_BASE }), "to is not the token"),
        ("filler", json!("0x0000000000000000000000000000000000000000"), "zero address"),
        ("payee", json!("nobody"), "payee"),
        ("depositMethods", json!(["CASH"]), "`CASH` is unknown"),
        ("depositMethods", json!(["PERMIT2"]), "none of the requested"),
        ("expectedDurationSeconds", json!(-1), "malformed"),
        (
            "fees",
            json!([{ "kind": "referrer", "chainId": 1, "token": USDC_ETHEREUM, "amount": "1" }]),
            "kind",
        ),
    ] {
        let mut bad = good();
        bad[field] = value;
        let error = read(&json!({ "offers": [good(), bad] })).unwrap_err();
        assert!(error.contains(expected), "{field}: {error}");
    }
}

#[test]
fn too_many_offers_are_rejected() {
    let error = read(&json!({ "offers": vec![good(); 17] })).unwrap_err();
    assert!(error.contains("17 offers"), "{error}");
}

#[test]
fn refusals_are_parsed_by_code() {
    let raw = |units: u64| RawAmount::new(U256::from(units));
    for (refusal, expected) in [
        (json!({ "code": "TooSmall", "minimum": "5" }), Refusal::TooSmall { minimum: raw(5) }),
        (json!({ "code": "TooLarge", "maximum": "7" }), Refusal::TooLarge { maximum: raw(7) }),
        (json!({ "code": "NoInventory" }), Refusal::NoInventory),
        (json!({ "code": "PairNotServed" }), Refusal::PairNotServed),
        (json!({ "code": "NoPrice" }), Refusal::NoPrice),
        (json!({ "code": "NoDepositMethod" }), Refusal::NoDepositMethod),
        (json!({ "code": "Other", "reason": "on\nholiday" }), Refusal::Other("onholiday".to_owned())),
        (json!({ "code": "Newer" }), Refusal::Other("Newer".to_owned())),
    ] {
        assert_eq!(read(&json!({ "refusal": refusal })), Ok(Answer::Refused(expected)));
    }
    for bad in [
        json!({ "refusal": { "code": "TooSmall" } }),
        json!({ "refusal": { "code": "TooLarge", "maximum": 7 } }),
        json!({ "offers": [good()], "refusal": { "code": "NoPrice" } }),
        json!({}),
        json!([]),
    ] {
        assert!(read(&bad).is_err(), "{bad}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_answer(&ask(), &[DepositMethod::Transfer], &bytes, now());
    }

    #[test]
    fn accepted_offers_always_keep_the_rules(
        amounts in prop::array::uniform3("[0-9]{1,80}"), seconds in -10_000_i64..10_000,
    ) {
        let mut offer = good();
        for (field, amount) in ["amountIn", "amountOut", "minAmountOut"].into_iter().zip(&amounts) {
            offer[field] = json!(amount);
        }
        offer["validBefore"] = json!((now() + SignedDuration::from_secs(seconds)).to_string());
        if let Ok(Answer::Offers(offers)) = read(&json!({ "offers": [offer] })) {
            prop_assert_eq!(offers[0].amount_in, ask().ask.amount);
            prop_assert!(!offers[0].min_amount_out.is_zero() && offers[0].min_amount_out <= offers[0].amount_out);
            prop_assert!(offers[0].valid_before > now());
        }
    }
}
