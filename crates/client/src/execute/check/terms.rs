use alloy_primitives::{Address, B256, U256, keccak256};
use causeway_wire::Terms;
use serde_json::{Map, Value};

use super::super::contracts::{OPEN, TERMS_TYPE};
use super::mismatch;

/// The parsed terms of an order.
#[derive(Debug)]
pub(in super::super) struct ParsedTerms {
    /// Name and value, in the order in which they are hashed.
    words: Vec<(&'static str, B256)>,
    /// The original texts.
    texts: Map<String, Value>,
}

impl ParsedTerms {
    pub(in super::super) fn read(terms: &Terms) -> Result<Self, String> {
        let Ok(Value::Object(texts)) = serde_json::to_value(terms) else {
            return Err("The terms do not match the API schema.".to_owned());
        };
        let mut words = Vec::new();
        for (kind, name) in fields(TERMS_TYPE) {
            let text = texts.get(name).and_then(Value::as_str).unwrap_or_default();
            let word = if kind == "uint256" { number(text).map(B256::from) } else { bytes(text) };
            words.push((name, word.ok_or_else(|| mismatch(name, text, format!("a value of type {kind}")))?));
        }
        Ok(Self { words, texts })
    }

    pub(super) fn words(&self) -> impl Iterator<Item = B256> {
        self.words.iter().map(|(_, word)| *word)
    }

    pub(super) fn word(&self, name: &str) -> B256 {
        self.words.iter().find(|(known, _)| *known == name).map(|(_, word)| *word).unwrap_or_default()
    }

    pub(super) fn number(&self, name: &str) -> U256 {
        self.word(name).into()
    }

    pub(super) fn address(&self, name: &str) -> Address {
        Address::from_word(self.word(name))
    }

    /// The on-chain id of the order.
    pub(super) fn id(&self) -> B256 {
        let words: Vec<B256> = std::iter::once(keccak256(TERMS_TYPE)).chain(self.words()).collect();
        keccak256(words.concat())
    }

    /// The original text of a term.
    pub(super) fn text(&self, name: &str) -> &str {
        self.texts.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The original texts of all terms, for the witness of a permit.
    pub(super) fn witness(&self) -> Value {
        self.texts.clone().into()
    }

    /// The escrow call that deposits for these terms, as named words.
    pub(super) fn open_call(&self) -> Call {
        let count = U256::from(self.words.len()) * U256::from(32);
        let header =
            [U256::from(32), self.number("fillDeadline"), keccak256(TERMS_TYPE).into(), U256::from(96)];
        let header = header.into_iter().chain([count]).map(|number| ("call", B256::from(number)));
        Call { selector: selector(OPEN), words: header.chain(self.words.iter().copied()).collect() }
    }
}

/// A contract call whose arguments are 32-byte words.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) selector: [u8; 4],
    pub(super) words: Vec<(&'static str, B256)>,
}

impl Call {
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.words.iter().fold(self.selector.to_vec(), |mut bytes, (_, word)| {
            bytes.extend_from_slice(word.as_slice());
            bytes
        })
    }
}

pub(in super::super) fn selector(signature: &str) -> [u8; 4] {
    let hash = keccak256(signature).0;
    [hash[0], hash[1], hash[2], hash[3]]
}

/// Types and names of the fields of an EIP-712 type.
pub(super) fn fields(kind: &'static str) -> Vec<(&'static str, &'static str)> {
    let inner = kind.split_once('(').map_or("", |(_, rest)| rest).trim_end_matches(')');
    inner.split(',').filter_map(|field| field.split_once(' ')).collect()
}

/// Parses decimal digits only.
pub(in super::super) fn number(text: &str) -> Option<U256> {
    let plain = (1..=78).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Parses 32 bytes of hex with a prefix.
fn bytes(text: &str) -> Option<B256> {
    text.strip_prefix("0x").filter(|digits| digits.len() == 64)?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_type_matches_the_domain() {
        assert_eq!(TERMS_TYPE, causeway_domain::TERMS_TYPE);
        assert_eq!(selector(OPEN), [0xe9, 0x17, 0xa9, 0x62]);
    }

    #[test]
    fn number_has_digits_only() {
        assert_eq!(number("1000"), Some(U256::from(1000)));
        assert_eq!(number(&U256::MAX.to_string()), Some(U256::MAX));
        let beyond = format!("{}0", U256::MAX);
        for bad in ["", "0x3e8", "1_000", "-1", "+1", " 1", "1e3", &beyond, &"9".repeat(78)] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }
}
