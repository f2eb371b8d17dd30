use std::collections::BTreeSet;

use alloy_primitives::{Address, B256, U256, hex, keccak256};
use serde_json::Value;

/// The digest that a wallet signs for typed data: an independent implementation of EIP-712.
pub(crate) fn wallet_digest(data: &Value) -> B256 {
    let types = &data["types"];
    let domain = hash_struct(types, "EIP712Domain", &data["domain"]);
    let message = hash_struct(types, data["primaryType"].as_str().unwrap(), &data["message"]);
    keccak256([&[0x19, 0x01][..], domain.as_slice(), message.as_slice()].concat())
}

/// The type, then the referenced types in alphabetic order.
fn encode_type(types: &Value, name: &str) -> String {
    let mut names = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(next) = open.pop() {
        for field in types[&next].as_array().unwrap() {
            let kind = field["type"].as_str().unwrap();
            if types.get(kind).is_some() && names.insert(kind.to_owned()) {
                open.push(kind.to_owned());
            }
        }
    }
    let one = |name: &str| {
        let fields = types[name].as_array().unwrap().iter();
        let text = |field: &Value| {
            format!("{} {}", field["type"].as_str().unwrap(), field["name"].as_str().unwrap())
        };
        format!("{name}({})", fields.map(text).collect::<Vec<_>>().join(","))
    };
    names.iter().fold(one(name), |text, name| text + &one(name))
}

fn hash_struct(types: &Value, name: &str, value: &Value) -> B256 {
    let mut bytes = keccak256(encode_type(types, name)).to_vec();
    for field in types[name].as_array().unwrap() {
        let (kind, member) = (field["type"].as_str().unwrap(), &value[field["name"].as_str().unwrap()]);
        let word = match kind {
            "string" => keccak256(member.as_str().unwrap()),
            "address" => member.as_str().unwrap().parse::<Address>().unwrap().into_word(),
            "bytes32" => B256::from_slice(&hex::decode(member.as_str().unwrap()).unwrap()),
            "uint256" => {
                let text = member.as_str().map_or_else(|| member.to_string(), str::to_owned);
                U256::from_str_radix(&text, 10).unwrap().into()
            }
            other => hash_struct(types, other, member),
        };
        bytes.extend_from_slice(word.as_slice());
    }
    keccak256(bytes)
}
