use causeway_domain::ports::PriceFeed;
use causeway_domain::{TokenId, UsdPrice};

use crate::bundled::SNAPSHOT;

struct OneDollar;

impl PriceFeed for OneDollar {
    fn usd_price(&self, _: &TokenId) -> Option<UsdPrice> {
        "1".parse().ok()
    }
}

fn read(typed: &str) -> (String, String, String) {
    let completion = SNAPSHOT.autocomplete(typed, &[], 10, &OneDollar);
    let slots: Vec<_> = completion.next_slots.iter().map(|slot| slot.as_str()).collect();
    let first = completion.items.first().map(|item| item.description.clone()).unwrap_or_default();
    (completion.parsed, slots.join(" "), first)
}

#[test]
fn the_examples_of_the_specification_work_with_the_bundled_catalog() {
    for (typed, parsed, slots, first) in [
        ("100 usdc on base", "100 USDC on Base", "toToken", "100 USDC on Base"),
        ("$50 of sol", "$50 of SOL on Solana", "toToken", "$50 of SOL on Solana"),
        (
            "swap 0.5 eth to usdc on arbitrum",
            "swap 0.5 ETH to USDC on Arbitrum One",
            "chain",
            "Swap 0.5 ETH on Ethereum for USDC on Arbitrum One",
        ),
        ("buy 20 pol", "buy 20 POL", "chain", "Buy 20 POL on Ethereum"),
        ("all my weth", "all WETH", "chain toToken", "All WETH on Ethereum"),
        ("usdc", "USDC", "amount chain toToken", "USDC on Ethereum"),
        ("op", "OP on OP Mainnet", "amount toToken", "OP on OP Mainnet"),
        ("base", "on Base", "amount token toToken", "ETH on Base"),
        ("ethereum", "on Ethereum", "amount token toToken", "ETH on Ethereum"),
        ("100 us", "100 us…", "token chain toToken", "100 USDC on Ethereum"),
        ("0.5 eth on arb", "0.5 ETH on Arbitrum One", "toToken", "0.5 ETH on Arbitrum One"),
        ("0.5 eth on a", "0.5 ETH", "chain toToken", "0.5 ETH on Abstract"),
        ("2 btc", "2 WBTC", "chain toToken", "2 WBTC on Ethereum"),
        ("swap 1 eth t", "swap 1 ETH", "chain toToken", "Swap 1 ETH on Ethereum"),
        ("3 ethreum on arbitum", "3 ETH on Arbitrum One", "toToken", "3 ETH on Arbitrum One"),
        ("1 usdc on bnb smart chain", "1 USDC on BNB Smart Chain", "toToken", "1 USDC on BNB Smart Chain"),
    ] {
        let found = read(typed);
        assert_eq!(found, (parsed.to_owned(), slots.to_owned(), first.to_owned()), "{typed}");
    }
}

#[test]
fn every_suggestion_works_with_the_bundled_catalog() {
    let suggestions = SNAPSHOT.suggestions();
    assert_eq!(suggestions.len(), 7);
    for suggestion in suggestions {
        let (parsed, _, first) = read(suggestion.text);
        assert!(!parsed.is_empty() && !first.is_empty(), "{}", suggestion.text);
    }
}

#[test]
fn token_amounts_and_dollars_have_their_own_units() {
    let completion = SNAPSHOT.autocomplete("12.5 usdc on base", &[], 10, &OneDollar);
    let item = &completion.items[0];
    assert_eq!(item.amount.unwrap().to_string(), "12500000");
    assert_eq!(item.usd_amount.unwrap().to_string(), "12.50");
}
