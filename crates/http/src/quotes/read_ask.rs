use causeway_domain::{
    Address, Ask, ChainId, DepositMethod, Family, RawAmount, Referral, Slippage, TokenId, TradeType,
};

use crate::error::ApiError;
use crate::extract::{Body, Fields};

/// Turns the body of a quote request into an ask, or tells everything that is wrong with it.
pub(super) fn read_ask(body: &Body) -> Result<Ask, ApiError> {
    let mut fields = body.fields()?;
    let trade_type = read_trade_type(&mut fields);
    let from = read_token(&mut fields, "fromChainId", "fromToken");
    let to = read_token(&mut fields, "toChainId", "toToken");
    if from.is_some() && from == to {
        fields.issues.add("toToken", "is the token that you give: choose another token, or another chain");
    }
    let amount = read_amount(&mut fields);
    let from_family = from.map(|token| token.chain().family());
    let to_family = to.map(|token| token.chain().family());
    let sender = fields.required_string("fromAddress");
    let from_address = read_address(&mut fields, "fromAddress", sender.as_deref(), from_family);
    let refund_to = match fields.string("refundTo") {
        Some(text) => read_address(&mut fields, "refundTo", Some(&text), from_family),
        None => from_address,
    };
    // The recipient defaults to the sender, which only works when both chains share a family.
    let recipient = match fields.string("recipient") {
        Some(text) => read_address(&mut fields, "recipient", Some(&text), to_family),
        None if from_family == to_family || to_family.is_none() || from_family.is_none() => from_address,
        None => {
            fields.issues.add(
                "recipient",
                "is required here: the sender's address is not one of the destination chain's family",
            );
            None
        }
    };
    let slippage = fields.decimal("slippageTolerance");
    let slippage =
        slippage.and_then(|text| fields.issues.keep("slippageTolerance", text.parse::<Slippage>()));
    let deposit_methods = fields.strings("depositMethods");
    let deposit_methods = deposit_methods
        .iter()
        .filter_map(|method| fields.issues.keep("depositMethods", method.parse::<DepositMethod>()))
        .collect();
    let referral = read_referral(&mut fields, from_family);
    fields.finish()?;

    // Every `None` above has left an issue, so past `finish` all of them are there.
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
        })
    })();
    ask.ok_or_else(|| ApiError::internal(&"a field of the ask is missing without an issue"))
}

fn read_trade_type(fields: &mut Fields<'_>) -> Option<TradeType> {
    let text = fields.required_string("tradeType")?;
    fields.issues.keep("tradeType", TradeType::parse(&text).ok_or("must be EXACT_INPUT or EXACT_OUTPUT"))
}

fn read_token(fields: &mut Fields<'_>, chain_field: &str, token_field: &str) -> Option<TokenId> {
    let chain = fields.required_integer(chain_field);
    let token = fields.required_string(token_field);
    let chain = ChainId::new(chain?).ok_or("must be a number between 1 and 2^53 - 1");
    let chain = fields.issues.keep(chain_field, chain)?;
    fields.issues.keep(token_field, TokenId::new(chain, &token?))
}

fn read_amount(fields: &mut Fields<'_>) -> Option<RawAmount> {
    let text = fields.required_string("amount")?;
    let amount = fields.issues.keep("amount", text.parse::<RawAmount>())?;
    fields.issues.keep("amount", if amount.is_zero() { Err("must be more than zero") } else { Ok(amount) })
}

/// An address of the family, once the family is known; otherwise the token's own issue tells enough.
fn read_address(
    fields: &mut Fields<'_>,
    path: &str,
    text: Option<&str>,
    family: Option<Family>,
) -> Option<Address> {
    fields.issues.keep(path, Address::parse(family?, text?))
}

/// A referrer with its fee; a fee without anybody to pay it to is refused, a referrer without a fee is only a name.
fn read_referral(fields: &mut Fields<'_>, family: Option<Family>) -> Option<Referral> {
    let text = fields.string("referrer");
    let referrer = read_address(fields, "referrer", text.as_deref(), family);
    let fee = fields.integer("referrerFeeBps").unwrap_or(0);
    let words = "is a whole number between 0 and 1000, in hundredths of a percent";
    let fee = fields.issues.keep("referrerFeeBps", u16::try_from(fee).map_err(|_| words))?;
    if text.is_none() && fee > 0 {
        fields
            .issues
            .add("referrer", "is required where referrerFeeBps is given: whom shall the fee be paid to?");
    }
    if fee > Referral::MAX_FEE_BPS {
        fields.issues.add("referrerFeeBps", words);
    }
    Referral::new(referrer?, fee)
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
        read_ask(&Body::of(request)).map_err(|error| format!("{error:?}"))
    }

    fn with(field: &str, value: Value) -> Value {
        let mut request = request();
        request[field] = value;
        request
    }

    #[test]
    fn recipient_and_refund_default_to_the_sender() {
        let ask = read(&request()).unwrap();
        assert!(ask.from.is_native());
        assert_eq!(ask.recipient, ask.from_address);
        assert_eq!(ask.refund_to, ask.from_address);
        assert_eq!(ask.slippage.unwrap().millionths(), 5_000);
    }

    #[test]
    fn an_empty_body_names_every_required_field_at_once() {
        let error = read(&json!({})).unwrap_err();
        for field in
            ["tradeType", "fromChainId", "fromToken", "toChainId", "toToken", "amount", "fromAddress"]
        {
            assert!(error.contains(&format!("\\\"{field}\\\"")) || error.contains(field), "{field}: {error}");
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
    fn slippage_outside_zero_to_a_half_is_refused() {
        for bad in [json!(0.51), json!(2), json!(-0.1), json!("0.1"), json!("NaN"), json!(1e-9)] {
            assert!(read(&with("slippageTolerance", bad.clone())).unwrap_err().contains("slippage"), "{bad}");
        }
    }

    #[test]
    fn a_token_is_not_swapped_for_itself_however_it_is_spelled() {
        let mut same = with("toChainId", json!(1));
        same["toToken"] = json!(format!("0x{}", "0".repeat(40)));
        let error = read(&same).unwrap_err();
        assert!(error.contains("toToken") && error.contains("choose another token"), "{error}");
        same["toChainId"] = json!(8453);
        assert!(read(&same).is_ok(), "the same coin on another chain");
    }

    #[test]
    fn an_unknown_trade_type_is_refused() {
        assert!(read(&with("tradeType", json!("EXACT"))).unwrap_err().contains("EXACT_OUTPUT"));
    }

    #[test]
    fn a_recipient_of_the_wrong_family_is_refused_and_says_so() {
        let mut to_solana = with("toChainId", json!(20_011_000_000_u64));
        to_solana["toToken"] = json!("1".repeat(32));
        assert!(read(&to_solana).unwrap_err().contains("destination chain's family"));
        to_solana["recipient"] = json!(WALLET);
        assert!(read(&to_solana).unwrap_err().contains("a Solana address is"));
        to_solana["recipient"] = json!(SOLANA_WALLET);
        assert!(read(&to_solana).is_ok());
    }

    #[test]
    fn a_referrers_fee_is_a_whole_number_up_to_a_thousand_and_needs_a_referrer() {
        for bad in [json!(1_001), json!(-1), json!(2.5), json!("25")] {
            let error = read(&with("referrerFeeBps", bad.clone())).unwrap_err();
            assert!(error.contains("referrerFeeBps"), "{bad}: {error}");
        }
        assert!(read(&with("referrerFeeBps", json!(25))).unwrap_err().contains("whom shall the fee"));
        assert!(read(&with("referrer", json!(SOLANA_WALLET))).is_err(), "of the source chain's family");
        let mut referred = with("referrerFeeBps", json!(25));
        referred["referrer"] = json!(WALLET);
        assert_eq!(read(&referred).unwrap().referral.unwrap().fee_bps(), 25);
    }

    #[test]
    fn an_unknown_deposit_method_is_refused() {
        assert!(read(&with("depositMethods", json!(["CASH"]))).unwrap_err().contains("CONTRACT_CALL"));
        assert!(read(&with("depositMethods", json!(["TRANSFER"]))).is_ok());
    }
}
