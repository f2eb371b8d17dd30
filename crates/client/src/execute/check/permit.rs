use alloy_primitives::{Address, address};
use serde_json::{Value, json};

use super::super::contracts::TERMS_TYPE;
use super::mismatch;
use super::terms::{ParsedTerms, fields};

const PERMITTED_TYPE: &str = "TokenPermissions(address token,uint256 amount)";
const PERMIT_TYPE: &str = "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,\
uint256 deadline,CausewayOrder witness)";
const DOMAIN_TYPE: &str = "EIP712Domain(string name,uint256 chainId,address verifyingContract)";

/// The address of Permit2. `ZKsync` chains derive contract addresses differently.
pub(super) const fn permit2(chain_id: u64) -> Address {
    match chain_id {
        324 | 2741 => address!("0000000000225e31D15943971F47aD3022F714Fa"),
        _ => address!("000000000022D473030F116dDEE9F6B43aC78BA3"),
    }
}

/// Builds the permit that moves the input into the escrow, with the terms as its witness.
pub(super) fn build_permit(terms: &ParsedTerms, chain_id: u64) -> Value {
    json!({
        "domain": { "name": "Permit2", "chainId": chain_id, "verifyingContract": permit2(chain_id) },
        "types": {
            "EIP712Domain": eip712_fields(DOMAIN_TYPE),
            "PermitWitnessTransferFrom": eip712_fields(PERMIT_TYPE),
            "TokenPermissions": eip712_fields(PERMITTED_TYPE),
            "CausewayOrder": eip712_fields(TERMS_TYPE),
        },
        "primaryType": "PermitWitnessTransferFrom",
        "message": {
            "permitted": { "token": terms.address("inputToken"), "amount": terms.text("amountIn") },
            "spender": terms.address("escrow"),
            "nonce": terms.number("nonce").to_string(),
            "deadline": terms.text("openDeadline"),
            "witness": terms.witness(),
        },
    })
}

pub(super) fn eip712_fields(kind: &'static str) -> Value {
    fields(kind).into_iter().map(|(kind, name)| json!({ "name": name, "type": kind })).collect()
}

/// Checks that the service's permit equals the one built from the terms, which is the one that is signed.
pub(super) fn check_permit(is: Option<&Value>, wanted: &Value, at: &str) -> Result<(), String> {
    match wanted {
        Value::Object(members) => {
            let given = is.and_then(Value::as_object).ok_or_else(|| mismatch(at, text(is), "an object"))?;
            members
                .iter()
                .try_for_each(|(name, value)| check_permit(given.get(name), value, &format!("{at}.{name}")))
        }
        Value::Array(items) => {
            let given = is.and_then(Value::as_array).ok_or_else(|| mismatch(at, text(is), "a list"))?;
            if given.len() != items.len() {
                return Err(mismatch(&format!("{at}.length"), given.len(), items.len()));
            }
            let mut pairs = given.iter().zip(items).enumerate();
            pairs.try_for_each(|(index, (one, item))| check_permit(Some(one), item, &format!("{at}.{index}")))
        }
        plain => {
            let (given, wanted) = (text(is), text(Some(plain)));
            if given.eq_ignore_ascii_case(&wanted) { Ok(()) } else { Err(mismatch(at, given, wanted)) }
        }
    }
}

fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "missing".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
