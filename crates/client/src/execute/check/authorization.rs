use alloy_primitives::U256;
use serde_json::{Value, json};

use super::mismatch;
use super::permit::eip712_fields;
use super::terms::ParsedTerms;

const AUTHORIZATION_TYPE: &str = "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,\
uint256 validBefore,bytes32 nonce)";
const DOMAIN_TYPE: &str =
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";

/// Builds the EIP-3009 authorization of the input to the escrow, with the order's id as its nonce. Name and version of the
/// domain are the service's word: with others, the token refuses the signature, and nothing else can use it.
pub(super) fn build_authorization(
    terms: &ParsedTerms,
    chain_id: u64,
    given: &Value,
) -> Result<Value, String> {
    let text = |name: &str| {
        let text = given.pointer(&format!("/domain/{name}")).and_then(Value::as_str);
        text.ok_or_else(|| mismatch(&format!("permit.domain.{name}"), "missing", "a text"))
    };
    Ok(json!({
        "domain": {
            "name": text("name")?,
            "version": text("version")?,
            "chainId": chain_id,
            "verifyingContract": terms.address("inputToken"),
        },
        "types": {
            "EIP712Domain": eip712_fields(DOMAIN_TYPE),
            "ReceiveWithAuthorization": eip712_fields(AUTHORIZATION_TYPE),
        },
        "primaryType": "ReceiveWithAuthorization",
        "message": {
            "from": terms.address("user"),
            "to": terms.address("escrow"),
            "value": terms.number("amountIn").to_string(),
            "validAfter": "0",
            "validBefore": terms.number("openDeadline").saturating_add(U256::ONE).to_string(),
            "nonce": terms.id(),
        },
    }))
}
