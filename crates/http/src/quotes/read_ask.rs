use causeway_domain::{
    Address, Ask, ChainId, DepositMethod, Family, RawAmount, Slippage, TokenId, TradeType,
};

use crate::error::ApiError;
use crate::extract::{Body, Fields};

/// Turns the body of a quote request into an ask, or tells everything that is wrong with it.
pub(super) fn read_ask(body: Body) -> Result<Ask, ApiError> {
    let mut fields = body.fields();
    let trade_type = read_trade_type(&mut fields);
    let from = read_token(&mut fields, "fromChainId", "fromToken");
    let to = read_token(&mut fields, "toChainId", "toToken");
    let amount = read_amount(&mut fields);
    let from_family = from.map(|token| token.chain().family());
    let to_family = to.map(|token| token.chain().family());
    let sender = fields.required_string("fromAddress");
    let from_address = read_address(&mut fields, "fromAddress", sender.as_deref(), from_family);
    let refund_to = fields.string("refundTo");
    let refund_to =
        read_address(&mut fields, "refundTo", refund_to.or(sender.clone()).as_deref(), from_family);
    let recipient = read_recipient(&mut fields, sender.as_deref(), to_family);
    let slippage = fields.decimal("slippageTolerance");
    let slippage =
        slippage.and_then(|text| fields.issues.keep("slippageTolerance", text.parse::<Slippage>()));
    for method in fields.strings("depositMethods") {
        fields.issues.keep("depositMethods", method.parse::<DepositMethod>());
    }
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
        })
    })();
    ask.ok_or_else(|| ApiError::internal(&"a field of the ask is missing without an issue"))
}

fn read_trade_type(fields: &mut Fields) -> Option<TradeType> {
    let text = fields.required_string("tradeType")?;
    fields.issues.keep("tradeType", TradeType::parse(&text).ok_or("must be EXACT_INPUT or EXACT_OUTPUT"))
}

fn read_token(fields: &mut Fields, chain_field: &str, token_field: &str) -> Option<TokenId> {
    let chain = fields.required_integer(chain_field);
    let token = fields.required_string(token_field);
    let chain = ChainId::new(chain?).ok_or("must be a number between 1 and 2^53 - 1");
    let chain = fields.issues.keep(chain_field, chain)?;
    fields.issues.keep(token_field, TokenId::new(chain, &token?))
}

fn read_amount(fields: &mut Fields) -> Option<RawAmount> {
    let text = fields.required_string("amount")?;
    let amount = fields.issues.keep("amount", text.parse::<RawAmount>())?;
    fields.issues.keep("amount", if amount.is_zero() { Err("must be more than zero") } else { Ok(amount) })
}

/// An address of the family, once the family is known; otherwise the token's own issue tells enough.
fn read_address(
    fields: &mut Fields,
    path: &str,
    text: Option<&str>,
    family: Option<Family>,
) -> Option<Address> {
    fields.issues.keep(path, Address::parse(family?, text?))
}

/// The recipient defaults to the sender, which only works when both chains share a family.
fn read_recipient(fields: &mut Fields, sender: Option<&str>, family: Option<Family>) -> Option<Address> {
    let text = fields.string("recipient");
    let family = family?;
    if let Some(text) = text {
        return fields.issues.keep("recipient", Address::parse(family, &text));
    }
    let words = "is required here: the sender's address is not one of the destination chain's family";
    fields.issues.keep("recipient", Address::parse(family, sender?).map_err(|_| words))
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
        let body = Body::parse(request.to_string().as_bytes()).unwrap();
        read_ask(body).map_err(|error| format!("{error:?}"))
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
        for bad in [json!(1), json!("0"), json!("-1"), json!("1.5"), json!("9".repeat(80)), json!("")] {
            assert!(read(&with("amount", bad.clone())).unwrap_err().contains("amount"), "{bad}");
        }
    }

    #[test]
    fn slippage_outside_zero_to_a_half_is_refused() {
        for bad in [json!(0.51), json!(-0.1), json!("0.1"), json!(1e-9)] {
            assert!(read(&with("slippageTolerance", bad.clone())).is_err(), "{bad}");
        }
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
    fn an_unknown_deposit_method_is_refused() {
        assert!(read(&with("depositMethods", json!(["CASH"]))).unwrap_err().contains("CONTRACT_CALL"));
        assert!(read(&with("depositMethods", json!(["TRANSFER"]))).is_ok());
    }
}
