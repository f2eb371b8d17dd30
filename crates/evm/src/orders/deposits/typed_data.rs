use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_sol_types::eip712_domain;
use causeway_domain::{ChainId, IntentTerms, TERMS_TYPE};
use serde_json::{Map, Value, json};

use crate::token_domain::TokenDomain;
use crate::token_permit::{TOKEN_PERMIT_TYPE, TokenPermitData};

const PERMITTED_TYPE: &str = "TokenPermissions(address token,uint256 amount)";
/// Permit2's part of the type; the witness and its type follow.
const PERMIT_STUB: &str = "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,\
uint256 deadline,CausewayOrder witness)";

const DOMAIN_TYPE: &str =
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";

const AUTHORIZATION_TYPE: &str = "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,\
uint256 validBefore,bytes32 nonce)";

/// A transfer by Permit2 into the escrow, with all terms of the order as its witness.
#[derive(Clone, Copy, Debug)]
pub(super) struct PermitData<'a> {
    pub(super) permit2: Address,
    pub(super) terms: &'a IntentTerms,
}

impl PermitData<'_> {
    fn token(&self) -> Address {
        Address::from_word(self.terms.input_token)
    }

    fn escrow(&self) -> Address {
        Address::from_word(self.terms.escrow)
    }

    /// What the payer signs; the witness's own hash is the order's id.
    pub(super) fn digest(&self) -> B256 {
        let domain = eip712_domain! {
            name: "Permit2",
            chain_id: self.terms.origin_chain_id,
            verifying_contract: self.permit2,
        };
        let number = |value: u64| B256::from(U256::from(value));
        let permitted =
            hash_words(keccak256(PERMITTED_TYPE), &[self.token().into_word(), self.terms.amount_in.into()]);
        let kind = keccak256([PERMIT_STUB, TERMS_TYPE, PERMITTED_TYPE].concat());
        let words = [
            permitted,
            self.escrow().into_word(),
            self.terms.nonce,
            number(self.terms.open_deadline),
            self.terms.id(),
        ];
        let permit = hash_words(kind, &words);
        keccak256([&[0x19, 0x01][..], domain.separator().as_slice(), permit.as_slice()].concat())
    }

    /// The same for `eth_signTypedData_v4`. Numbers are decimal strings: wallets lose digits of large JSON numbers.
    pub(super) fn json(&self) -> Value {
        json!({
            "domain": {
                "name": "Permit2",
                "chainId": self.terms.origin_chain_id,
                "verifyingContract": self.permit2,
            },
            "types": {
                "EIP712Domain": [
                    { "name": "name", "type": "string" },
                    { "name": "chainId", "type": "uint256" },
                    { "name": "verifyingContract", "type": "address" },
                ],
                "PermitWitnessTransferFrom": type_json(PERMIT_STUB),
                "TokenPermissions": type_json(PERMITTED_TYPE),
                "CausewayOrder": type_json(TERMS_TYPE),
            },
            "primaryType": "PermitWitnessTransferFrom",
            "message": {
                "permitted": { "token": self.token(), "amount": self.terms.amount_in.to_string() },
                "spender": self.escrow(),
                "nonce": U256::from_be_bytes(self.terms.nonce.0).to_string(),
                "deadline": self.terms.open_deadline.to_string(),
                "witness": order_json(self.terms),
            },
        })
    }
}

/// An EIP-3009 authorization of the input to the escrow. Its nonce is the order's id, so it is of use for no other order.
#[derive(Clone, Copy, Debug)]
pub(super) struct AuthorizationData<'a> {
    pub(super) domain: &'a TokenDomain,
    pub(super) chain: ChainId,
    pub(super) terms: &'a IntentTerms,
}

impl AuthorizationData<'_> {
    fn token(&self) -> Address {
        Address::from_word(self.terms.input_token)
    }

    /// The token takes it before this second.
    fn valid_before(&self) -> U256 {
        U256::from(self.terms.open_deadline).saturating_add(U256::ONE)
    }

    /// What the payer signs.
    pub(super) fn digest(&self) -> B256 {
        let words = [
            self.terms.user,
            self.terms.escrow,
            self.terms.amount_in.into(),
            B256::ZERO,
            self.valid_before().into(),
            self.terms.id(),
        ];
        let authorization = hash_words(keccak256(AUTHORIZATION_TYPE), &words);
        self.domain.digest(self.chain, self.token(), authorization)
    }

    /// The same for `eth_signTypedData_v4`.
    pub(super) fn json(&self) -> Value {
        json!({
            "domain": {
                "name": self.domain.name,
                "version": self.domain.version,
                "chainId": self.chain.get(),
                "verifyingContract": self.token(),
            },
            "types": {
                "EIP712Domain": type_json(DOMAIN_TYPE),
                "ReceiveWithAuthorization": type_json(AUTHORIZATION_TYPE),
            },
            "primaryType": "ReceiveWithAuthorization",
            "message": {
                "from": Address::from_word(self.terms.user),
                "to": Address::from_word(self.terms.escrow),
                "value": self.terms.amount_in.to_string(),
                "validAfter": "0",
                "validBefore": self.valid_before().to_string(),
                "nonce": self.terms.id(),
            },
        })
    }
}

impl TokenPermitData<'_> {
    /// The same for `eth_signTypedData_v4`.
    pub(super) fn json(&self) -> Value {
        json!({
            "domain": {
                "name": self.domain.name,
                "version": self.domain.version,
                "chainId": self.chain.get(),
                "verifyingContract": self.token,
            },
            "types": {
                "EIP712Domain": type_json(DOMAIN_TYPE),
                "Permit": type_json(TOKEN_PERMIT_TYPE),
            },
            "primaryType": "Permit",
            "message": {
                "owner": self.owner,
                "spender": self.spender,
                "value": self.value.to_string(),
                "nonce": self.nonce.to_string(),
                "deadline": self.deadline.to_string(),
            },
        })
    }
}

/// The order itself in the domain of its escrow, which takes a deposit by a token's permit only with this signature.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderData<'a> {
    pub(super) terms: &'a IntentTerms,
}

impl OrderData<'_> {
    const NAME: &'static str = "Causeway Escrow";
    const VERSION: &'static str = "2";

    fn escrow(self) -> Address {
        Address::from_word(self.terms.escrow)
    }

    /// What the payer signs; the message's own hash is the order's id.
    pub(super) fn digest(self) -> B256 {
        let domain = eip712_domain! {
            name: Self::NAME,
            version: Self::VERSION,
            chain_id: self.terms.origin_chain_id,
            verifying_contract: self.escrow(),
        };
        let id = self.terms.id();
        keccak256([&[0x19, 0x01][..], domain.separator().as_slice(), id.as_slice()].concat())
    }

    /// The same for `eth_signTypedData_v4`.
    pub(super) fn json(self) -> Value {
        json!({
            "domain": {
                "name": Self::NAME,
                "version": Self::VERSION,
                "chainId": self.terms.origin_chain_id,
                "verifyingContract": self.escrow(),
            },
            "types": {
                "EIP712Domain": type_json(DOMAIN_TYPE),
                "CausewayOrder": type_json(TERMS_TYPE),
            },
            "primaryType": "CausewayOrder",
            "message": order_json(self.terms),
        })
    }
}

/// The terms by name. Numbers are decimal strings: wallets lose digits of large JSON numbers.
fn order_json(terms: &IntentTerms) -> Map<String, Value> {
    let value = |kind: &str, word: B256| match kind {
        "uint256" => json!(U256::from_be_bytes(word.0).to_string()),
        _ => json!(word),
    };
    let named = fields(TERMS_TYPE).into_iter().zip(terms.words());
    named.map(|((kind, name), word)| (name.to_owned(), value(kind, word))).collect()
}

fn hash_words(kind: B256, words: &[B256]) -> B256 {
    keccak256([kind.as_slice(), &words.concat()].concat())
}

/// The types and names of the fields of an EIP-712 type.
fn fields(kind: &'static str) -> Vec<(&'static str, &'static str)> {
    let inner = kind.split_once('(').map_or("", |(_, rest)| rest).trim_end_matches(')');
    inner.split(',').filter_map(|field| field.split_once(' ')).collect()
}

fn type_json(kind: &'static str) -> Value {
    let field = |(kind, name): (&str, &str)| json!({ "name": name, "type": kind });
    fields(kind).into_iter().map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_typed_data_has_the_types_that_permit2_hashes() {
        let written = |name: &str, kind: &'static str| {
            let fields = type_json(kind);
            let fields = fields.as_array().unwrap().iter();
            let text = |field: &Value| {
                format!("{} {}", field["type"].as_str().unwrap(), field["name"].as_str().unwrap())
            };
            format!("{name}({})", fields.map(text).collect::<Vec<_>>().join(","))
        };
        assert_eq!(written("CausewayOrder", TERMS_TYPE), TERMS_TYPE);
        assert_eq!(written("TokenPermissions", PERMITTED_TYPE), PERMITTED_TYPE);
        assert_eq!(written("PermitWitnessTransferFrom", PERMIT_STUB), PERMIT_STUB);
        assert_eq!(written("ReceiveWithAuthorization", AUTHORIZATION_TYPE), AUTHORIZATION_TYPE);
        assert_eq!(written("Permit", TOKEN_PERMIT_TYPE), TOKEN_PERMIT_TYPE);
        assert_eq!(written("EIP712Domain", DOMAIN_TYPE), DOMAIN_TYPE);
    }
}
