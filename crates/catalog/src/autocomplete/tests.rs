use proptest::prelude::*;

use super::*;
use crate::fixture::{self, Prices};

/// Typed, understood, missing, first description, first amount, first dollars.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

const CASES: [Case; 36] = [
    ("100 usdc on base", "100 USDC on Base", "toToken", "100 USDC on Base", "100000000", "100.00"),
    ("usdc base", "USDC on Base", "amount toToken", "USDC on Base", "", ""),
    ("base usdc", "USDC on Base", "amount toToken", "USDC on Base", "", ""),
    ("$50 of sol", "$50 of SOL on Solana", "toToken", "$50 of SOL on Solana", "333333333", "50.00"),
    ("$50 of pol", "$50 of POL", "chain toToken", "$50 of POL on Ethereum", "", "50.00"),
    (
        "swap 0.5 eth to usdc on arbitrum",
        "swap 0.5 ETH to USDC on Arbitrum One",
        "chain",
        "Swap 0.5 ETH on Ethereum for USDC on Arbitrum One",
        "500000000000000000",
        "1500.00",
    ),
    (
        "swap 0.5 eth on base to usdc",
        "swap 0.5 ETH on Base to USDC",
        "chain",
        "Swap 0.5 ETH on Base for USDC on Base",
        "500000000000000000",
        "1500.00",
    ),
    ("buy 20 pol", "buy 20 POL", "chain", "Buy 20 POL on Ethereum", "20000000000000000000", ""),
    (
        "buy 20 pol on polygon with usdc on base",
        "buy 20 POL on Polygon with USDC on Base",
        "",
        "Buy 20 POL on Polygon with USDC on Base",
        "20000000000000000000",
        "",
    ),
    ("all my weth", "all WETH", "chain toToken", "All WETH on Ethereum", "", ""),
    ("eth", "ETH", "amount chain toToken", "ETH on Ethereum", "", ""),
    ("sol", "SOL on Solana", "amount toToken", "SOL on Solana", "", ""),
    ("base", "on Base", "amount token toToken", "ETH on Base", "", ""),
    ("polygon", "on Polygon", "amount token toToken", "POL on Polygon", "", ""),
    ("arbitrum one", "on Arbitrum One", "amount token toToken", "ETH on Arbitrum One", "", ""),
    ("2 ethereum", "2 ETH", "chain toToken", "2 ETH on Ethereum", "2000000000000000000", "6000.00"),
    ("100 us", "100 us…", "token chain toToken", "100 USDC on Ethereum", "100000000", "100.00"),
    (
        "0.5 eth on arb",
        "0.5 ETH on Arbitrum One",
        "toToken",
        "0.5 ETH on Arbitrum One",
        "500000000000000000",
        "1500.00",
    ),
    (
        "0.5 eth on a",
        "0.5 ETH on Arbitrum One",
        "toToken",
        "0.5 ETH on Arbitrum One",
        "500000000000000000",
        "1500.00",
    ),
    ("0.5 eth on", "0.5 ETH", "chain toToken", "0.5 ETH on Ethereum", "500000000000000000", "1500.00"),
    (
        "swap 1 eth t",
        "swap 1 ETH",
        "chain toToken",
        "Swap 1 ETH on Ethereum",
        "1000000000000000000",
        "3000.00",
    ),
    (
        "swap 1 eth to us",
        "swap 1 ETH to us…",
        "chain toToken",
        "Swap 1 ETH on Ethereum for USDC on Ethereum",
        "1000000000000000000",
        "3000.00",
    ),
    (
        "bridge 250 usdc from base to solana",
        "bridge 250 USDC on Base to USDC on Solana",
        "",
        "Bridge 250 USDC on Base to USDC on Solana",
        "250000000",
        "250.00",
    ),
    (
        "swap 100 usdc on base to solana",
        "swap 100 USDC on Base to Solana",
        "toToken",
        "Swap 100 USDC on Base for SOL on Solana",
        "100000000",
        "100.00",
    ),
    (
        "swap eth on base to 100 usdc on base",
        "swap ETH on Base to 100 USDC on Base",
        "",
        "Swap ETH on Base for 100 USDC on Base",
        "100000000",
        "100.00",
    ),
    ("2 ethreum", "2 ETH", "chain toToken", "2 ETH on Ethereum", "2000000000000000000", "6000.00"),
    ("1,000 usd coin on base", "1000 USDC on Base", "toToken", "1000 USDC on Base", "1000000000", "1000.00"),
    ("2.5k usdc on base", "2500 USDC on Base", "toToken", "2500 USDC on Base", "2500000000", "2500.00"),
    ("1,5 usdc on base", "USDC on Base", "amount toToken", "USDC on Base", "", ""),
    ("0.0000001 usdc on base", "0.0000001 USDC on Base", "amount toToken", "USDC on Base", "", ""),
    ("1inch", "1INCH on Ethereum", "amount toToken", "1INCH on Ethereum", "", ""),
    ("5 1inch", "5 1INCH on Ethereum", "toToken", "5 1INCH on Ethereum", "5000000000000000000", ""),
    ("swap to usdc on base", "swap to USDC on Base", "amount token chain", "Swap to USDC on Base", "", ""),
    ("100 qqqq to usdc", "100 to USDC", "token chain", "", "", ""),
    (
        "100 to usdc on base",
        "100 to USDC on Base",
        "token chain",
        "Swap 100 ETH on Ethereum for USDC on Base",
        "100000000000000000000",
        "300000.00",
    ),
    ("qqqq zzzz", "", "amount token chain toToken", "", "", ""),
];

#[test]
fn natural_language_input_is_parsed() {
    let snapshot = fixture::snapshot();
    for (typed, parsed, slots, description, amount, usd) in CASES {
        let completion = snapshot.autocomplete(typed, &[], 10, &Prices);
        let next: Vec<_> = completion.next_slots.iter().map(|slot| slot.as_str()).collect();
        let first = completion.items.first();
        let text = |value: Option<String>| value.unwrap_or_default();
        assert_eq!(completion.parsed, parsed, "{typed}");
        assert_eq!(next.join(" "), slots, "{typed}");
        assert_eq!(text(first.map(|item| item.description.clone())), description, "{typed}");
        assert_eq!(
            text(first.and_then(|item| item.amount).map(|amount| amount.to_string())),
            amount,
            "{typed}"
        );
        assert_eq!(text(first.and_then(|item| item.usd_amount).map(|usd| usd.to_string())), usd, "{typed}");
    }
}

fn descriptions(typed: &str) -> Vec<String> {
    let snapshot = fixture::snapshot();
    let completion = snapshot.autocomplete(typed, &[], 10, &Prices);
    completion.items.into_iter().map(|item| item.description).collect()
}

#[test]
fn an_incomplete_word_lists_completions_and_a_complete_one_its_match() {
    assert!(descriptions("usd").iter().any(|text| text.contains("USDT")));
    assert!(descriptions("usdc on base").iter().all(|text| text == "USDC on Base"));
}

#[test]
fn an_incomplete_chain_name_is_offered_alongside_tokens() {
    assert_eq!(
        descriptions("arbi")[..3],
        ["ARB on Arbitrum One", "ETH on Arbitrum One", "USDC on Arbitrum One"]
    );
    assert_eq!(descriptions("2 ethreum"), ["2 ETH on Ethereum", "2 ETH on Base", "2 ETH on Arbitrum One"]);
}

#[test]
fn sources_are_offered_once_the_target_is_known() {
    assert_eq!(
        descriptions("swap 0.5 eth to usdc on arbitrum"),
        [
            "Swap 0.5 ETH on Ethereum for USDC on Arbitrum One",
            "Swap 0.5 ETH on Base for USDC on Arbitrum One",
            "Swap 0.5 ETH on Arbitrum One for USDC on Arbitrum One",
        ]
    );
}

#[test]
fn both_sides_of_a_swap_are_returned_as_tokens() {
    let snapshot = fixture::snapshot();
    let completion = snapshot.autocomplete("swap 1 eth on base to usdc on arbitrum", &[], 10, &Prices);
    let item = &completion.items[0];
    assert_eq!((item.chain.name.as_str(), item.token.token.symbol.as_str()), ("Base", "ETH"));
    assert_eq!(item.to.unwrap().0.name, "Arbitrum One");
    assert!(completion.next_slots.is_empty());
}

#[test]
fn imitations_are_never_offered() {
    for typed in ["usdc", "eth", "100 usdc on ethereum", "fake usd coin"] {
        let snapshot = fixture::snapshot();
        let completion = snapshot.autocomplete(typed, &[], 50, &Prices);
        assert!(completion.items.iter().all(|item| !item.token.is_risk), "{typed}");
    }
}

#[test]
fn the_scope_limits_chains_and_a_single_chain_is_implied() {
    let snapshot = fixture::snapshot();
    let base = [ChainId::new(8453).unwrap()];
    let completion = snapshot.autocomplete("5 eth", &base, 10, &Prices);
    assert_eq!(completion.items[0].description, "5 ETH on Base");
    assert!(completion.items.iter().all(|item| item.chain.id == base[0]));
    assert_eq!(completion.next_slots, [Slot::ToToken]);
    assert!(snapshot.autocomplete("sol", &base, 10, &Prices).items.is_empty());
}

#[test]
fn an_address_is_a_token_too() {
    assert_eq!(descriptions("5 0xaf88d065e77c8cC2239327C5EDb3A432268e5831"), ["5 USDC on Arbitrum One"]);
}

#[test]
fn every_suggestion_is_understood() {
    let snapshot = fixture::snapshot();
    let suggestions = snapshot.suggestions();
    assert_eq!(suggestions.len(), 7);
    for suggestion in suggestions {
        let completion = snapshot.autocomplete(suggestion.text, &[], 10, &Prices);
        assert!(!completion.items.is_empty() && !completion.parsed.is_empty(), "{}", suggestion.text);
    }
}

proptest! {
    #[test]
    fn any_text_is_completed_within_its_limit(text in "\\PC{0,80}", limit in 0usize..60) {
        let snapshot = fixture::snapshot();
        prop_assert!(snapshot.autocomplete(&text, &[], limit, &Prices).items.len() <= limit.min(50));
    }

    #[test]
    fn any_sentence_of_known_words_is_completed(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "swap", "buy", "bridge", "all", "my", "$", "$5", "100", "0.5", "1,000", "1k", "eth", "usdc", "us", "sol",
                "base", "arb", "solana", "on", "to", "for", "from", "with", "in", "of", "->", "1inch", "100usdc", "t", "🐶",
            ]),
            0..12,
        ),
    ) {
        let snapshot = fixture::snapshot();
        let completion = snapshot.autocomplete(&words.join(" "), &[], 10, &Prices);
        for item in &completion.items {
            prop_assert_eq!(item.chain.id, item.token.token.id.chain());
            prop_assert!(item.to.is_none() || item.from.is_none());
        }
    }
}
