use causeway_domain::{
    Address, Ask, ChainId, DepositMethod, DepositWindow, Family, RawAmount, Referral, Slippage, TokenId,
    TradeType,
};

use crate::error::ApiError;
use crate::extract::{Body, Fields};

/// Parses the body of a quote request, or returns all of its issues.
pub(crate) fn read_quote_request(body: &Body) -> Result<Ask, ApiError> {
    let mut fields = body.fields()?;
    let trade_type = read_trade_type(&mut fields);
    let from = read_token(&mut fields, "fromChainId", "fromToken");
    let to = read_token(&mut fields, "toChainId", "toToken");
    if from.is_some() && from == to {
        fields.issues.add("toToken", "is the same as the input token: choose another token or chain");
    }
    let amount = read_amount(&mut fields);
    let from_family = from.map(|token| token.chain().family());
    let to_family = to.map(|token| token.chain().family());
    let sender = fields.required_string("fromAddress");
    let from_address = read_address(&mut fields, "fromAddress", sender.as_deref(), from_family);
    let refund_to = match fields.string("refundTo") {
        Some(text) => read_address(&mut fields, "refundTo", Some(&text), from_family),
        // Whoever pays an address there may be an exchange, which takes nothing back.
        None if from_family.is_some_and(Family::is_source_only) => {
            fields.issues.add(
                "refundTo",
                "is required for this source chain: give an address there that is your own, and not an exchange's",
            );
            None
        }
        None => from_address,
    };
    // The recipient defaults to the sender, which requires chains of the same family.
    let recipient = match fields.string("recipient") {
        Some(text) => read_address(&mut fields, "recipient", Some(&text), to_family),
        None if from_family == to_family || to_family.is_none() || from_family.is_none() => from_address,
        None => {
            fields.issues.add(
                "recipient",
                "is required: the sender's address does not belong to the destination chain's family",
            );
            None
        }
    };
    let slippage = fields.decimal("slippageTolerance");
    let slippage =
        slippage.and_then(|text| fields.issues.check("slippageTolerance", text.parse::<Slippage>()));
    let deposit_methods = fields.strings("depositMethods");
    let mut deposit_methods: Vec<_> = deposit_methods
        .iter()
        .filter_map(|method| fields.issues.check("depositMethods", method.parse::<DepositMethod>()))
        .collect();
    let deposit_window = read_deposit_window(&mut fields, &mut deposit_methods);
    let referral = read_referral(&mut fields, from_family);
    fields.finish()?;

    // Every `None` above has recorded an issue, so all values are present after `finish`.
    let ask = (|| {
        Some(Ask {
            trade_type: trade_type?,
            from: from?,
            to: to?,
            amount: amount?,
            from_address: from_address?,
            recipient: recipient?,
            refund_to: refund_to?,
            slippage,
            deposit_methods,
            referral,
            deposit_window,
        })
    })();
    ask.ok_or_else(|| ApiError::internal(&"a field of the quote request is missing without an issue"))
}

fn read_trade_type(fields: &mut Fields<'_>) -> Option<TradeType> {
    let text = fields.required_string("tradeType")?;
    fields.issues.check("tradeType", TradeType::parse(&text).ok_or("must be EXACT_INPUT or EXACT_OUTPUT"))
}

fn read_token(fields: &mut Fields<'_>, chain_field: &str, token_field: &str) -> Option<TokenId> {
    let chain = fields.required_integer(chain_field);
    let token = fields.required_string(token_field);
    let chain = ChainId::new(chain?).ok_or("must be a number between 1 and 2^53 - 1");
    let chain = fields.issues.check(chain_field, chain)?;
    fields.issues.check(token_field, TokenId::new(chain, &token?))
}

fn read_amount(fields: &mut Fields<'_>) -> Option<RawAmount> {
    let text = fields.required_string("amount")?;
    let amount = fields.issues.check("amount", text.parse::<RawAmount>())?;
    fields.issues.check("amount", if amount.is_zero() { Err("must be more than zero") } else { Ok(amount) })
}

/// An address of the given family. If the family is unknown, the token already has an issue.
fn read_address(
    fields: &mut Fields<'_>,
    path: &str,
    text: Option<&str>,
    family: Option<Family>,
) -> Option<Address> {
    fields.issues.check(path, Address::parse(family?, text?))
}

/// A referrer with its fee. A fee needs a referrer; a referrer without a fee is allowed.
fn read_referral(fields: &mut Fields<'_>, family: Option<Family>) -> Option<Referral> {
    let text = fields.string("referrer");
    let referrer = read_address(fields, "referrer", text.as_deref(), family);
    let fee = fields.integer("referrerFeeBps").unwrap_or(0);
    let message = "is a whole number between 0 and 1000, in hundredths of a percent";
    let fee = fields.issues.check("referrerFeeBps", u16::try_from(fee).map_err(|_| message))?;
    if text.is_none() && fee > 0 {
        fields.issues.add("referrer", "is required when referrerFeeBps is given");
    }
    if fee > Referral::MAX_FEE_BPS {
        fields.issues.add("referrerFeeBps", message);
    }
    Referral::new(referrer?, fee)
}

/// More time for the deposit, which only wallets can have: nobody pays for watching an address for hours.
fn read_deposit_window(
    fields: &mut Fields<'_>,
    deposit_methods: &mut Vec<DepositMethod>,
) -> Option<DepositWindow> {
    let seconds = fields.integer("depositWithin")?;
    let message = "is a whole number of seconds between 600 and 86400";
    let window = fields.issues.check("depositWithin", DepositWindow::new(seconds).ok_or(message))?;
    if deposit_methods.is_empty() {
        deposit_methods.extend([DepositMethod::ContractCall, DepositMethod::Permit2]);
    }
    if deposit_methods.contains(&DepositMethod::Transfer) {
        fields.issues.add("depositWithin", "is not possible with TRANSFER: leave it out of depositMethods");
    }
    Some(window)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const WALLET: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const SOLANA_WALLET: &str = "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96";

    fn request() -> Value {
        json!({
            "tradeType": "EXACT_INPUT",
            "fromChainId": 1, "fromToken": "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",
            "toChainId": 8453, "toToken": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
            "amount": "1000000000000000000", "fromAddress": WALLET, "slippageTolerance": 0.005,
        })
    }

    fn read(request: &Value) -> Result<Ask, String> {
        read_quote_request(&Body::from_json(request)).map_err(|error| format!("{error:?}"))
    }

    fn with(field: &str, value: Value) -> Value {
        let mut request = request();
        request[field] = value;
        request
    }

    #[test]
    fn slippage_tolerance_takes_every_number_in_range_rounded_down_to_millionths() {
        for (given, millionths) in
            [(0.7 / 100.0, 6_999), (1.1 / 100.0, 11_000), (0.0, 0), (-0.0, 0), (0.5, 500_000), (1e-9, 0)]
        {
            let ask = read(&with("slippageTolerance", json!(given))).unwrap();
            assert_eq!(ask.slippage.unwrap().millionths(), millionths, "{given}");
        }
        for given in [json!(0.500_000_01), json!(-1e-9), json!(1), json!("0.01")] {
            assert!(read(&with("slippageTolerance", given.clone())).is_err(), "{given}");
        }
    }

    #[test]
    fn addresses_in_mixed_case_need_their_eip_55_checksum_in_bodies() {
        let wrong = WALLET.replace("f39F", "F39f");
        for field in ["fromAddress", "recipient", "refundTo", "referrer", "fromToken", "toToken"] {
            let error = read(&with(field, json!(wrong))).unwrap_err();
            assert!(error.contains("EIP-55"), "{field}: {error}");
        }
    }

    #[test]
    fn recipient_and_refund_address_default_to_the_sender() {
        let ask = read(&request()).unwrap();
        assert!(ask.from.is_native());
        assert_eq!(ask.recipient, ask.from_address);
        assert_eq!(ask.refund_to, ask.from_address);
        assert_eq!(ask.slippage.unwrap().millionths(), 5_000);
    }

    #[test]
    fn every_field_is_read_into_its_own_place() {
        let address = |byte: &str| format!("0x{}", byte.repeat(20));
        let evm = |byte| Address::Evm(alloy_primitives::Address::repeat_byte(byte));
        let token = |chain, byte| TokenId::from_address(ChainId::new(chain).unwrap(), evm(byte)).unwrap();
        let body = json!({
            "tradeType": "EXACT_OUTPUT",
            "fromChainId": 1, "fromToken": address("a1"), "toChainId": 8453, "toToken": address("a2"),
            "amount": "7", "fromAddress": address("b1"), "recipient": address("b2"), "refundTo": address("b3"),
            "slippageTolerance": 0.02, "depositMethods": ["TRANSFER", "PERMIT2"],
            "referrer": address("b4"), "referrerFeeBps": 25,
        });
        let expected = Ask {
            trade_type: TradeType::ExactOutput,
            from: token(1, 0xa1),
            to: token(8453, 0xa2),
            amount: "7".parse().unwrap(),
            from_address: evm(0xb1),
            recipient: evm(0xb2),
            refund_to: evm(0xb3),
            slippage: Slippage::from_millionths(20_000),
            deposit_methods: vec![DepositMethod::Transfer, DepositMethod::Permit2],
            referral: Referral::new(evm(0xb4), 25),
            deposit_window: None,
        };
        assert_eq!(read(&body), Ok(expected));
    }

    #[test]
    fn empty_body_reports_every_required_field() {
        let error = read(&json!({})).unwrap_err();
        for field in
            ["tradeType", "fromChainId", "fromToken", "toChainId", "toToken", "amount", "fromAddress"]
        {
            assert!(error.contains(&format!("\"path\": String(\"{field}\")")), "{field}: {error}");
        }
        assert_eq!(
            error.matches("is required").count(),
            8,
            "seven issues, the first also in the message: {error}"
        );
    }

    #[test]
    fn amounts_are_positive_integer_strings_below_two_to_the_256() {
        let texts = ["0", "-1", "1.5", "0x10", "1e18", ""].map(Value::from);
        for bad in texts.into_iter().chain([json!(1), json!("9".repeat(80))]) {
            assert!(read(&with("amount", bad.clone())).unwrap_err().contains("amount"), "{bad}");
        }
    }

    #[test]
    fn more_time_for_the_deposit_is_bounded_and_not_for_transfers() {
        let ask = read(&with("depositWithin", json!(36_000))).unwrap();
        assert_eq!(ask.deposit_window, DepositWindow::new(36_000));
        assert_eq!(ask.deposit_methods, [DepositMethod::ContractCall, DepositMethod::Permit2]);
        for bad in [json!(599), json!(86_401), json!(-1), json!(600.5), json!("600")] {
            assert!(
                read(&with("depositWithin", bad.clone())).unwrap_err().contains("depositWithin"),
                "{bad}"
            );
        }
        let mut request = with("depositWithin", json!(600));
        request["depositMethods"] = json!(["CONTRACT_CALL", "TRANSFER"]);
        assert!(read(&request).unwrap_err().contains("not possible with TRANSFER"));
        request["depositMethods"] = json!(["AUTHORIZATION"]);
        assert_eq!(read(&request).unwrap().deposit_methods, [DepositMethod::Authorization]);
    }

    #[test]
    fn slippage_outside_zero_to_a_half_is_rejected() {
        for bad in [json!(0.51), json!(2), json!(-0.1), json!("0.1"), json!("NaN")] {
            assert!(read(&with("slippageTolerance", bad.clone())).unwrap_err().contains("slippage"), "{bad}");
        }
    }

    #[test]
    fn same_token_on_both_sides_is_rejected_in_any_spelling() {
        let mut same = with("toChainId", json!(1));
        same["toToken"] = json!(format!("0x{}", "0".repeat(40)));
        let error = read(&same).unwrap_err();
        assert!(error.contains("toToken") && error.contains("choose another token"), "{error}");
        same["toChainId"] = json!(8453);
        assert!(read(&same).is_ok(), "the same token on another chain is allowed");
    }

    #[test]
    fn unknown_trade_type_is_rejected() {
        assert!(read(&with("tradeType", json!("EXACT"))).unwrap_err().contains("EXACT_OUTPUT"));
    }

    #[test]
    fn recipient_of_the_wrong_family_is_rejected_with_reason() {
        let mut to_solana = with("toChainId", json!(20_011_000_000_u64));
        to_solana["toToken"] = json!("1".repeat(32));
        assert!(read(&to_solana).unwrap_err().contains("destination chain's family"));
        to_solana["recipient"] = json!(WALLET);
        assert!(read(&to_solana).unwrap_err().contains("a Solana address is"));
        to_solana["recipient"] = json!(SOLANA_WALLET);
        assert!(read(&to_solana).is_ok());
    }

    #[test]
    fn referrer_fee_is_an_integer_up_to_1000_and_needs_a_referrer() {
        for bad in [json!(1_001), json!(-1), json!(2.5), json!("25")] {
            let error = read(&with("referrerFeeBps", bad.clone())).unwrap_err();
            assert!(error.contains("referrerFeeBps"), "{bad}: {error}");
        }
        assert!(
            read(&with("referrerFeeBps", json!(25)))
                .unwrap_err()
                .contains("is required when referrerFeeBps is given")
        );
        assert!(
            read(&with("referrer", json!(SOLANA_WALLET))).is_err(),
            "must be of the source chain's family"
        );
        let mut referred = with("referrerFeeBps", json!(25));
        referred["referrer"] = json!(WALLET);
        assert_eq!(read(&referred).unwrap().referral.unwrap().fee_bps(), 25);
    }

    #[test]
    fn unknown_deposit_method_is_rejected() {
        assert!(read(&with("depositMethods", json!(["CASH"]))).unwrap_err().contains("CONTRACT_CALL"));
        assert!(read(&with("depositMethods", json!(["TRANSFER"]))).is_ok());
    }
}
