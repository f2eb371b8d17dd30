use causeway_domain::ports::PriceFeed;
use causeway_domain::{ChainId, TokenId, UsdPrice};

use crate::snapshot::Snapshot;

/// An example input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suggestion {
    pub text: &'static str,
    pub description: &'static str,
}

/// Each with the chains that it mentions.
const SUGGESTIONS: [(Suggestion, &[u64]); 7] = [
    (Suggestion { text: "100 USDC on Base", description: "An amount of a token on one chain" }, &[8453]),
    (Suggestion { text: "$50 of SOL", description: "An amount in dollars" }, &[]),
    (
        Suggestion { text: "swap 0.5 ETH to USDC on Arbitrum", description: "From one chain to another" },
        &[42161],
    ),
    (
        Suggestion {
            text: "bridge 250 USDC from Base to Solana",
            description: "The same token on another chain",
        },
        &[8453, 20_011_000_000],
    ),
    (Suggestion { text: "buy 20 POL", description: "As much as you want to receive" }, &[]),
    (Suggestion { text: "all my WETH", description: "The whole balance of a token" }, &[]),
    (Suggestion { text: "Polygon", description: "What there is on a chain" }, &[137]),
];

struct NoPrices;

impl PriceFeed for NoPrices {
    fn usd_price(&self, _: &TokenId) -> Option<UsdPrice> {
        None
    }
}

impl Snapshot {
    /// Example inputs for the search box, without those for disabled chains.
    pub fn suggestions(&self) -> Vec<Suggestion> {
        let enabled = |chain: &u64| {
            let chain = ChainId::new(*chain).and_then(|id| self.chain(id));
            chain.is_some_and(|chain| chain.enabled)
        };
        let finds = |text: &str| !self.autocomplete(text, &[], 1, &NoPrices).items.is_empty();
        SUGGESTIONS
            .into_iter()
            .filter(|(suggestion, chains)| chains.iter().all(enabled) && finds(suggestion.text))
            .map(|(suggestion, _)| suggestion)
            .collect()
    }
}
