use alloy_primitives::U256;
use serde_json::{Value, json};

use super::super::contracts::TERMS_TYPE;
use super::mismatch;
use super::permit::eip712_fields;
use super::terms::{ParsedTerms, number};

const AUTHORIZATION_TYPE: &str = "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,\
uint256 validBefore,bytes32 nonce)";
const PERMIT_TYPE: &str =
    "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)";
const DOMAIN_TYPE: &str =
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";

/// Builds the EIP-3009 authorization of the input to the escrow, with the order's id as its nonce. Name and version of the
/// domain are the service's word: with others, the token refuses the signature, and nothing else can use it.
pub(super) fn build_authorization(
    terms: &ParsedTerms,
    chain_id: u64,
    given: &Value,
) -> Result<Value, String> {
    Ok(json!({
        "domain": token_domain(terms, chain_id, given)?,
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

/// Builds the EIP-2612 permit of the input for the escrow. Name and version of the domain and the nonce are the service's word:
/// with others, the token refuses the signature, and with any, the escrow takes nothing without the signed order.
pub(super) fn build_token_permit(terms: &ParsedTerms, chain_id: u64, given: &Value) -> Result<Value, String> {
    let nonce = given.pointer("/message/nonce").and_then(Value::as_str).unwrap_or("missing");
    if number(nonce).is_none() {
        return Err(mismatch("permit.message.nonce", nonce, "a number"));
    }
    Ok(json!({
        "domain": token_domain(terms, chain_id, given)?,
        "types": {
            "EIP712Domain": eip712_fields(DOMAIN_TYPE),
            "Permit": eip712_fields(PERMIT_TYPE),
        },
        "primaryType": "Permit",
        "message": {
            "owner": terms.address("user"),
            "spender": terms.address("escrow"),
            "value": terms.number("amountIn").to_string(),
            "nonce": nonce,
            "deadline": terms.text("openDeadline"),
        },
    }))
}

/// Builds the order in the domain of its escrow.
pub(super) fn build_order(terms: &ParsedTerms, chain_id: u64) -> Value {
    json!({
        "domain": {
            "name": "Causeway Escrow",
            "version": "2",
            "chainId": chain_id,
            "verifyingContract": terms.address("escrow"),
        },
        "types": {
            "EIP712Domain": eip712_fields(DOMAIN_TYPE),
            "CausewayOrder": eip712_fields(TERMS_TYPE),
        },
        "primaryType": "CausewayOrder",
        "message": terms.witness(),
    })
}

fn token_domain(terms: &ParsedTerms, chain_id: u64, given: &Value) -> Result<Value, String> {
    let text = |name: &str| {
        let text = given.pointer(&format!("/domain/{name}")).and_then(Value::as_str);
        text.ok_or_else(|| mismatch(&format!("permit.domain.{name}"), "missing", "a text"))
    };
    Ok(json!({
        "name": text("name")?,
        "version": text("version")?,
        "chainId": chain_id,
        "verifyingContract": terms.address("inputToken"),
    }))
}
