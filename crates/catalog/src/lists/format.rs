use std::collections::HashSet;

use causeway_domain::{ChainId, SOLANA_CHAIN_ID, Token, TokenId};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{ListError, MAX_LIST_BYTES};
use crate::tokens::MAX_DECIMALS;

/// The chain id of Solana in the token lists of its wallets.
const SOLANA_LIST_CHAIN_ID: u64 = 101;

const MAX_SYMBOL_CHARS: usize = 32;
const MAX_NAME_CHARS: usize = 100;
const MAX_LOGO_BYTES: usize = 2_048;

/// The content of a token list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) tokens: Vec<Token>,
    /// The number of skipped entries.
    pub(crate) skipped: usize,
}

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "name")]
    _name: String,
    tokens: Vec<Entry>,
}

/// One entry; invalid ones are skipped without rejecting the list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Token(RawToken),
    Other(IgnoredAny),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawToken {
    chain_id: u64,
    address: String,
    symbol: String,
    name: String,
    decimals: u8,
    #[serde(rename = "logoURI")]
    logo: Option<serde_json::Value>,
}

/// Parses a document in the Token Lists format, entry by entry; the first entry of a token counts.
pub(crate) fn parse(bytes: &[u8]) -> Result<Parsed, ListError> {
    if bytes.len() > MAX_LIST_BYTES {
        return Err(ListError::TooLarge);
    }
    let document: Document =
        serde_json::from_slice(bytes).map_err(|error| ListError::Malformed(error.to_string()))?;
    let entries = document.tokens.len();
    let mut seen = HashSet::with_capacity(entries);
    let tokens: Vec<Token> = document
        .tokens
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Token(raw) => raw.check(),
            Entry::Other(_) => None,
        })
        .filter(|token| seen.insert(token.id))
        .collect();
    if tokens.is_empty() {
        return Err(ListError::Empty(entries));
    }
    Ok(Parsed { skipped: entries - tokens.len(), tokens })
}

impl RawToken {
    fn check(self) -> Option<Token> {
        let chain = match self.chain_id {
            SOLANA_LIST_CHAIN_ID => SOLANA_CHAIN_ID,
            id => ChainId::new(id)?,
        };
        let id = TokenId::of_any_case(chain, &self.address).ok()?;
        let symbol = clean(&self.symbol, MAX_SYMBOL_CHARS)?;
        let name = clean(&self.name, MAX_NAME_CHARS)?;
        // A list cannot define native coins, and a symbol is one word.
        if id.is_native() || self.decimals > MAX_DECIMALS || symbol.contains(char::is_whitespace) {
            return None;
        }
        let logo = self.logo.as_ref().and_then(|logo| logo.as_str()).filter(|logo| is_safe_logo(logo));
        Some(Token { id, symbol, name, decimals: self.decimals, logo: logo.map(str::to_owned) })
    }
}

/// The trimmed text, unless it is empty, too long or has invisible characters.
fn clean(text: &str, max_chars: usize) -> Option<String> {
    let text = text.trim();
    let fits = !text.is_empty() && text.chars().count() <= max_chars && !text.chars().any(is_invisible);
    fits.then(|| text.to_owned())
}

/// Control, zero-width and direction characters, which make one text look like another.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Wallets load logos themselves, so only safe https URLs are passed on.
fn is_safe_logo(logo: &str) -> bool {
    logo.len() <= MAX_LOGO_BYTES
        && !logo.chars().any(|c| c.is_whitespace() || is_invisible(c))
        && reqwest::Url::parse(logo).is_ok_and(|url| {
            url.scheme() == "https" && url.has_host() && url.username().is_empty() && url.password().is_none()
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn usdc() -> Value {
        json!({ "chainId": 1, "address": "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "symbol": "USDC",
                "name": "USD Coin", "decimals": 6, "logoURI": "https://x.org/usdc.png", "tags": ["stable"] })
    }

    fn list(tokens: &[Value]) -> Vec<u8> {
        json!({ "name": "Test", "timestamp": "2026-01-01T00:00:00Z", "version": { "major": 1, "minor": 0, "patch": 0 },
                "tokens": tokens })
        .to_string()
        .into_bytes()
    }

    #[test]
    fn a_valid_entry_becomes_a_token() {
        let parsed = parse(&list(&[usdc()])).unwrap();
        assert_eq!(parsed.skipped, 0);
        assert_eq!(parsed.tokens[0].id.to_string(), "eip155:1:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");
        assert_eq!(parsed.tokens[0].logo.as_deref(), Some("https://x.org/usdc.png"));
    }

    #[test]
    fn invalid_entries_are_skipped_and_counted() {
        let bad = [
            ("chainId", json!(0)),
            ("chainId", json!("1")),
            ("address", json!("0x12")),
            ("address", json!(format!("0x{}", "0".repeat(40)))),
            ("address", json!(format!("0x{}", "e".repeat(40)))),
            ("symbol", json!("")),
            ("symbol", json!("US DC")),
            ("symbol", json!("X".repeat(33))),
            ("symbol", json!("US\u{202e}DC")),
            ("name", json!("  ")),
            ("name", json!("USD\u{0}Coin")),
            ("name", json!("N".repeat(101))),
            ("decimals", json!(37)),
            ("decimals", json!(-1)),
            ("decimals", json!(6.5)),
            ("decimals", Value::Null),
        ];
        let entries: Vec<Value> = bad
            .iter()
            .map(|(field, value)| {
                let mut entry = usdc();
                entry[*field] = value.clone();
                entry
            })
            .chain([json!("text"), json!(null), usdc(), usdc()])
            .collect();
        let parsed = parse(&list(&entries)).unwrap();
        assert_eq!(parsed.tokens.len(), 1);
        assert_eq!(parsed.skipped, entries.len() - 1);
    }

    #[test]
    fn solana_lists_call_their_chain_101() {
        let mint = json!({ "chainId": 101, "address": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
                           "symbol": "USDC", "name": "USD Coin", "decimals": 6 });
        assert_eq!(parse(&list(&[mint])).unwrap().tokens[0].id.chain(), SOLANA_CHAIN_ID);
    }

    #[test]
    fn only_https_logos_are_passed_on() {
        for logo in [
            "http://x.org/a.png",
            "ipfs://abc",
            "data:image/png;base64,AA",
            "javascript:1",
            "https://a:b@x.org/",
        ] {
            let mut entry = usdc();
            entry["logoURI"] = json!(logo);
            assert_eq!(parse(&list(&[entry])).unwrap().tokens[0].logo, None, "{logo}");
        }
    }

    #[test]
    fn a_list_without_a_valid_entry_is_rejected() {
        assert!(matches!(parse(&list(&[json!({})])), Err(ListError::Empty(1))));
        assert!(matches!(parse(&list(&[])), Err(ListError::Empty(0))));
        assert!(matches!(parse(b"<html>"), Err(ListError::Malformed(_))));
        assert!(matches!(parse(b"{\"tokens\":[]}"), Err(ListError::Malformed(_))));
        assert!(matches!(parse(&vec![b' '; MAX_LIST_BYTES + 1]), Err(ListError::TooLarge)));
    }

    proptest! {
        #[test]
        fn any_bytes_are_parsed_or_rejected_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }
    }
}
