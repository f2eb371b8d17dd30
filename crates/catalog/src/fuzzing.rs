//! Token lists of others, and what people type, with the rules that every result keeps. Compiled for fuzzing and for the test that
//! replays the committed inputs.

use std::collections::HashSet;

use crate::MAX_SEARCH_RESULTS;
use crate::fixture::{Prices, snapshot};
use crate::lists::parse_document;

/// A parser by its name, which is also that of the folder with its inputs.
pub type Parser = (&'static str, fn(&[u8]));

pub const PARSERS: &[Parser] = &[("token_lists", token_lists), ("typed_text", typed_text)];

fn token_lists(bytes: &[u8]) {
    let Ok(parsed) = parse_document(bytes) else { return };
    assert!(!parsed.tokens.is_empty());
    let ids: HashSet<_> = parsed.tokens.iter().map(|token| token.id).collect();
    assert_eq!(ids.len(), parsed.tokens.len(), "a token is listed once");
    for token in &parsed.tokens {
        assert!(!token.id.is_native(), "a list defines no coin");
        assert!(token.decimals <= 36, "{token:?}");
        assert!((1..=32).contains(&token.symbol.chars().count()), "{token:?}");
        assert!((1..=100).contains(&token.name.chars().count()), "{token:?}");
        assert!(!token.symbol.contains(char::is_whitespace), "{token:?}");
        let texts = token.symbol.chars().chain(token.name.chars());
        assert!(texts.into_iter().all(|c| !c.is_control()), "{token:?}");
        assert!(token.logo.as_ref().is_none_or(|logo| logo.len() <= 2_048 && is_https(logo)), "{token:?}");
    }
}

/// The scheme may be written in any case.
fn is_https(logo: &str) -> bool {
    logo.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))
}

fn typed_text(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let snapshot = snapshot();
    let found = snapshot.search(text, &[], 20);
    assert!(found.len() <= 20.min(MAX_SEARCH_RESULTS));
    let completed = snapshot.autocomplete(text, &[], 5, &Prices);
    assert!(completed.items.len() <= 5);
    for item in &completed.items {
        assert_eq!(item.token.token.id.chain(), item.chain.id);
        // An amount is one that the token can express.
        if let Some(amount) = item.amount {
            let decimals = item.token.token.decimals;
            let written = amount.to_decimal(decimals);
            assert_eq!(causeway_domain::RawAmount::from_decimal(&written, decimals), Ok(amount));
        }
    }
}

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    #[test]
    fn committed_inputs_and_changes_of_them_keep_the_rules() {
        super::replay::replay("catalog", super::PARSERS);
    }
}
