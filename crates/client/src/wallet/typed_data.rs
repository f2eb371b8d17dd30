use std::collections::BTreeSet;
use std::fmt::Write as _;

use alloy_primitives::{Address, B256, I256, U256, hex, keccak256};
use serde_json::{Map, Value};

/// Maximum nesting; types can be recursive.
const MAX_DEPTH: usize = 32;

/// The digest that a wallet signs for typed data (EIP-712).
pub(super) fn digest(data: &Value) -> Result<B256, String> {
    let types = data.get("types").and_then(Value::as_object).ok_or("it has no types")?;
    let types = Types(types);
    let primary = data.get("primaryType").and_then(Value::as_str).ok_or("it has no primaryType")?;
    let part = |name: &str| data.get(name).ok_or(format!("it has no {name}"));
    let domain = types.hash_struct("EIP712Domain", part("domain")?, 0)?;
    let message = types.hash_struct(primary, part("message")?, 0)?;
    Ok(keccak256([&[0x19, 0x01][..], domain.as_slice(), message.as_slice()].concat()))
}

struct Types<'a>(&'a Map<String, Value>);

impl<'a> Types<'a> {
    /// The fields of a struct: name and type.
    fn fields(&self, name: &str) -> Result<Vec<(&'a str, &'a str)>, String> {
        let fields =
            self.0.get(name).and_then(Value::as_array).ok_or(format!("type {name} is not defined"))?;
        let field = |field: &'a Value| Some((field.get("name")?.as_str()?, field.get("type")?.as_str()?));
        let all: Option<Vec<_>> = fields.iter().map(field).collect();
        all.ok_or(format!("type {name} has a field without name or type"))
    }

    /// The type, followed by the referenced types in alphabetic order.
    fn encode_type(&self, name: &str) -> Result<String, String> {
        let (mut named, mut open) = (BTreeSet::new(), vec![name.to_owned()]);
        while let Some(next) = open.pop() {
            for (_, kind) in self.fields(&next)? {
                let element = kind.split('[').next().unwrap_or(kind);
                if element != name && self.0.contains_key(element) && named.insert(element.to_owned()) {
                    open.push(element.to_owned());
                }
            }
        }
        let mut text = String::new();
        for name in std::iter::once(name).chain(named.iter().map(String::as_str)) {
            let fields: Vec<_> =
                self.fields(name)?.into_iter().map(|(name, kind)| format!("{kind} {name}")).collect();
            let _ = write!(text, "{name}({})", fields.join(","));
        }
        Ok(text)
    }

    fn hash_struct(&self, name: &str, value: &Value, depth: usize) -> Result<B256, String> {
        if depth > MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        let mut words = vec![keccak256(self.encode_type(name)?)];
        for (field, kind) in self.fields(name)? {
            let member = value.get(field).ok_or(format!("{name}.{field} is missing"))?;
            words
                .push(self.word(kind, member, depth).map_err(|problem| format!("{name}.{field} {problem}"))?);
        }
        Ok(keccak256(words.concat()))
    }

    fn word(&self, kind: &str, value: &Value, depth: usize) -> Result<B256, String> {
        if let Some((element, length)) = kind.strip_suffix(']').and_then(|kind| kind.rsplit_once('[')) {
            if depth > MAX_DEPTH {
                return Err("is nested too deeply".to_owned());
            }
            let items = value.as_array().ok_or("is not a list")?;
            if !length.is_empty() && length.parse() != Ok(items.len()) {
                return Err(format!("must have {length} items"));
            }
            let words: Result<Vec<_>, _> =
                items.iter().map(|item| self.word(element, item, depth + 1)).collect();
            return Ok(keccak256(words?.concat()));
        }
        if self.0.contains_key(kind) {
            return self.hash_struct(kind, value, depth + 1);
        }
        plain(kind, value).ok_or_else(|| format!("is no {kind}"))
    }
}

/// Encodes a value of an atomic or dynamic type.
fn plain(kind: &str, value: &Value) -> Option<B256> {
    match kind {
        "string" => return Some(keccak256(value.as_str()?)),
        "bytes" => return Some(keccak256(hex::decode(value.as_str()?).ok()?)),
        "bool" => return Some(U256::from(u8::from(value.as_bool()?)).into()),
        "address" => return Some(value.as_str()?.parse::<Address>().ok()?.into_word()),
        _ => {}
    }
    if let Some(size) = kind.strip_prefix("bytes") {
        let (size, bytes) = (size.parse::<usize>().ok()?, hex::decode(value.as_str()?).ok()?);
        return (bytes.len() == size && (1..=32).contains(&size)).then(|| B256::right_padding_from(&bytes));
    }
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let Some(bits) = kind.strip_prefix("uint") {
        let (bits, number) = (width(bits)?, text.parse::<U256>().ok()?);
        return (number.bit_len() <= bits).then(|| number.into());
    }
    let (bits, number) = (width(kind.strip_prefix("int")?)?, text.parse::<I256>().ok()?);
    (number.bits() as usize <= bits).then(|| number.into_raw().into())
}

fn width(bits: &str) -> Option<usize> {
    let bits = bits.parse::<usize>().ok()?;
    (bits % 8 == 0 && (8..=256).contains(&bits)).then_some(bits)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::b256;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// The example of EIP-712.
    fn mail() -> Value {
        json!({
            "types": {
                "EIP712Domain": [
                    { "name": "name", "type": "string" }, { "name": "version", "type": "string" },
                    { "name": "chainId", "type": "uint256" }, { "name": "verifyingContract", "type": "address" },
                ],
                "Person": [{ "name": "name", "type": "string" }, { "name": "wallet", "type": "address" }],
                "Mail": [
                    { "name": "from", "type": "Person" }, { "name": "to", "type": "Person" },
                    { "name": "contents", "type": "string" },
                ],
            },
            "primaryType": "Mail",
            "domain": {
                "name": "Ether Mail", "version": "1", "chainId": 1,
                "verifyingContract": "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
            },
            "message": {
                "from": { "name": "Cow", "wallet": "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826" },
                "to": { "name": "Bob", "wallet": "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB" },
                "contents": "Hello, Bob!",
            },
        })
    }

    #[test]
    fn example_of_the_standard_has_the_expected_digest() {
        let expected = b256!("be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2");
        assert_eq!(digest(&mail()), Ok(expected));
    }

    #[test]
    fn missing_or_mistyped_fields_are_rejected_by_name() {
        let broken = |pointer: &str, value: Value| {
            let mut data = mail();
            *data.pointer_mut(pointer).unwrap() = value;
            digest(&data).unwrap_err()
        };
        assert_eq!(broken("/message/to", json!({ "name": "Bob" })), "Mail.to Person.wallet is missing");
        assert_eq!(broken("/domain/chainId", json!(-1)), "EIP712Domain.chainId is no uint256");
        assert_eq!(broken("/message/to/wallet", json!("0x12")), "Mail.to Person.wallet is no address");
        assert_eq!(broken("/primaryType", json!("Letter")), "type Letter is not defined");
        assert_eq!(broken("/types/Mail/2/type", json!("uint7")), "Mail.contents is no uint7");
        let circle = json!({ "types": { "EIP712Domain": [], "A": [{ "name": "a", "type": "A[]" }] },
            "primaryType": "A", "domain": {}, "message": { "a": [{ "a": [] }] } });
        assert!(digest(&circle).is_ok());
    }

    #[test]
    fn numbers_stay_within_their_width() {
        let fits = |kind: &str, value: Value| plain(kind, &value).is_some();
        assert!(fits("uint8", json!("255")) && !fits("uint8", json!("256")) && !fits("uint8", json!(1.5)));
        assert!(fits("int8", json!("-128")) && fits("int8", json!("127")) && !fits("int8", json!("128")));
        assert!(
            fits("bytes2", json!("0x1234"))
                && !fits("bytes2", json!("0x12"))
                && !fits("bytes33", json!("0x"))
        );
        assert_eq!(plain("int256", &json!("-1")), Some(B256::repeat_byte(0xff)));
    }

    proptest! {
        #[test]
        fn any_types_and_values_are_read_or_refused_without_panic(kind in ".{0,12}", text in ".{0,12}", list in any::<bool>()) {
            let value = if list { json!([text]) } else { json!(text) };
            let _ = digest(&json!({ "types": { "EIP712Domain": [], "A": [{ "name": "a", "type": kind }] },
                "primaryType": "A", "domain": {}, "message": { "a": value } }));
        }
    }
}
