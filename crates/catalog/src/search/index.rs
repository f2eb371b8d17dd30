use super::fold::{compact, words};
use super::grams::{Grams, tolerance};
use super::hit::{Facet, Hit, Scope, Tier};
use super::terms::{Kind, Posting, Terms};
use super::tiered_hits::TieredHits;

/// Maximum number of words of a query.
const MAX_WORDS: usize = 6;

/// The search index of all tokens; the ordinal of a token is its popularity rank, 0 being the best known.
#[derive(Debug, Default)]
pub(crate) struct Index {
    terms: Terms,
    grams: Grams,
    facets: Box<[Facet]>,
}

/// Builds the index token by token.
#[derive(Debug, Default)]
pub(crate) struct IndexBuilder {
    entries: Vec<(Box<str>, Posting)>,
    facets: Vec<Facet>,
}

impl IndexBuilder {
    /// Adds the next token under all its symbols and names.
    pub(crate) fn add<'a>(
        &mut self,
        facet: Facet,
        symbols: impl IntoIterator<Item = &'a str>,
        names: impl IntoIterator<Item = &'a str>,
    ) {
        let ordinal = u32::try_from(self.facets.len()).unwrap_or(u32::MAX);
        self.facets.push(facet);
        for symbol in symbols {
            self.enter(compact(symbol), ordinal, Kind::Symbol);
        }
        for name in names {
            let parts = words(name);
            if parts.len() > 1 {
                for word in parts {
                    self.enter(word, ordinal, Kind::Word);
                }
            }
            self.enter(compact(name), ordinal, Kind::Name);
        }
    }

    fn enter(&mut self, term: String, ordinal: u32, kind: Kind) {
        if !term.is_empty() {
            self.entries.push((term.into_boxed_str(), Posting::new(ordinal, kind)));
        }
    }

    pub(crate) fn build(self) -> Index {
        let terms = Terms::build(self.entries);
        let grams = Grams::build(&terms);
        Index { terms, grams, facets: self.facets.into() }
    }
}

impl Index {
    pub(crate) fn facet(&self, ordinal: u32) -> Option<Facet> {
        self.facets.get(ordinal as usize).copied()
    }

    /// The tokens that match `query`, best first, at most `limit`.
    pub(crate) fn search(&self, query: &str, scope: &Scope, limit: usize) -> Vec<Hit> {
        let whole = compact(query);
        let mut words = words(query);
        words.truncate(MAX_WORDS);
        let mut found = TieredHits::new(limit);
        if whole.is_empty() || limit == 0 {
            return Vec::new();
        }
        self.collect_prefixed(&whole, scope, &mut found);
        if words.len() > 1 {
            let each: Vec<Vec<u32>> = words.iter().map(|word| self.starting_with(word)).collect();
            self.offer_common(each, Tier::Words, scope, &mut found);
        }
        if !found.has_exact() {
            self.collect_typos(&whole, &words, scope, &mut found);
        }
        found.finish(limit)
    }

    fn collect_prefixed(&self, whole: &str, scope: &Scope, found: &mut TieredHits) {
        for position in self.terms.starting_with(whole) {
            let exact = self.terms.term(position).len() == whole.len();
            for posting in self.terms.postings(position) {
                let tier = match (posting.kind(), exact) {
                    (Kind::Symbol, true) => Tier::Symbol,
                    (Kind::Name, true) => Tier::Name,
                    (Kind::Symbol | Kind::Name, false) => Tier::Prefix,
                    (Kind::Word, _) => Tier::Words,
                };
                self.offer(posting.ordinal(), tier, scope, found);
            }
        }
    }

    fn collect_typos(&self, whole: &str, words: &[String], scope: &Scope, found: &mut TieredHits) {
        for (position, distance) in self.grams.near(whole, &self.terms) {
            let tier = if distance <= 1 { Tier::OneTypo } else { Tier::Typos };
            for posting in self.terms.postings(position) {
                self.offer(posting.ordinal(), tier, scope, found);
            }
        }
        if words.len() > 1 {
            let each = words.iter().map(|word| {
                let known = self.starting_with(word);
                if known.is_empty() && tolerance(word.chars().count()) > 0 { self.near(word) } else { known }
            });
            self.offer_common(each.collect(), Tier::Typos, scope, found);
        }
    }

    fn starting_with(&self, word: &str) -> Vec<u32> {
        self.ordinals(self.terms.starting_with(word))
    }

    fn near(&self, word: &str) -> Vec<u32> {
        self.ordinals(self.grams.near(word, &self.terms).into_iter().map(|(position, _)| position))
    }

    fn ordinals(&self, positions: impl Iterator<Item = usize>) -> Vec<u32> {
        let mut ordinals: Vec<u32> = positions
            .flat_map(|position| self.terms.postings(position))
            .map(|posting| posting.ordinal())
            .collect();
        ordinals.sort_unstable();
        ordinals.dedup();
        ordinals
    }

    /// Offers the tokens that are in all of the sorted lists.
    fn offer_common(&self, mut lists: Vec<Vec<u32>>, tier: Tier, scope: &Scope, found: &mut TieredHits) {
        lists.sort_by_key(Vec::len);
        let Some((shortest, others)) = lists.split_first() else { return };
        for ordinal in shortest {
            if others.iter().all(|list| list.binary_search(ordinal).is_ok()) {
                self.offer(*ordinal, tier, scope, found);
            }
        }
    }

    fn offer(&self, ordinal: u32, tier: Tier, scope: &Scope, found: &mut TieredHits) {
        if let Some(facet) = self.facet(ordinal).filter(|facet| scope.admits(*facet)) {
            found.offer(ordinal, tier.of(facet));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Tokens by popularity, the first eight well known: chain, symbol, name, risk.
    const TOKENS: [(u16, &str, &str, bool); 13] = [
        (0, "ETH", "Ether", false),
        (1, "ETH", "Ether", false),
        (0, "USDC", "USD Coin", false),
        (1, "USDC", "USD Coin", false),
        (0, "USDT", "Tether USD", false),
        (1, "USDC.e", "Bridged USD Coin", false),
        (2, "SOL", "Solana", false),
        (0, "WBTC", "Wrapped Bitcoin", false),
        (0, "USDC", "USD Coin", true),
        (0, "USDCX", "Another Coin", false),
        (0, "1INCH", "1inch Network", false),
        (0, "DOG", "Usdc Dog", false),
        (0, "ETHER", "Something Else", false),
    ];

    fn index() -> Index {
        let mut builder = IndexBuilder::default();
        for ((chain, symbol, name, risk), ordinal) in TOKENS.into_iter().zip(0..) {
            builder.add(Facet { chain, known: ordinal < 8, risk }, [symbol], [name]);
        }
        builder.build()
    }

    fn found(query: &str, scope: &Scope) -> Vec<u32> {
        index().search(query, scope, 50).into_iter().map(|hit| hit.ordinal).collect()
    }

    fn all(query: &str) -> Vec<u32> {
        found(query, &Scope::default())
    }

    #[test]
    fn exact_symbols_come_before_prefixes_before_words() {
        assert_eq!(all("usdc"), [2, 3, 5, 8, 9, 11]);
        assert_eq!(index().search("usdc", &Scope::default(), 1)[0].tier, Tier::KnownSymbol);
    }

    #[test]
    fn a_look_alike_ranks_behind_well_known_tokens_with_the_same_prefix() {
        let order = all("USDC");
        let place = |ordinal: u32| order.iter().position(|known| *known == ordinal);
        assert!(place(8) > place(5));
        let scope = Scope { chains: None, without_risk: true };
        assert!(!found("usdc", &scope).contains(&8));
    }

    #[test]
    fn the_name_of_a_well_known_coin_outranks_the_symbol_of_another_token() {
        assert_eq!(all("ether"), [0, 1, 12]);
    }

    #[test]
    fn names_are_found_written_together_or_apart() {
        for query in ["usd coin", "usdcoin", "USD-Coin", "  usd   coin "] {
            assert_eq!(all(query)[..2], [2, 3], "{query}");
        }
    }

    #[test]
    fn words_are_found_in_any_order_and_half_typed() {
        assert_eq!(all("bitcoin wrapped"), [7]);
        assert_eq!(all("coin brid"), [5]);
        assert_eq!(all("bitcoi"), [7]);
    }

    #[test]
    fn typos_are_tolerated() {
        assert_eq!(all("solanna"), [6]);
        assert_eq!(all("teher usd"), [4]);
        assert_eq!(all("wraped bitcoin"), [7]);
        assert_eq!(all("bitcion"), [7]);
    }

    #[test]
    fn an_exact_match_shows_no_typo_matches() {
        assert!(!all("usdt").contains(&2));
    }

    #[test]
    fn the_scope_limits_results_to_its_chains() {
        let scope = Scope { chains: Some([false, true].into()), without_risk: false };
        assert_eq!(found("usdc", &scope), [3, 5]);
        assert!(found("sol", &scope).is_empty());
    }

    proptest! {
        #[test]
        fn any_query_returns_distinct_hits_within_its_limit(query in "\\PC{0,80}", limit in 0usize..10) {
            let hits = index().search(&query, &Scope::default(), limit);
            prop_assert!(hits.len() <= limit);
            prop_assert!(hits.is_sorted_by_key(|hit| hit.tier));
            let mut ordinals: Vec<_> = hits.iter().map(|hit| hit.ordinal).collect();
            ordinals.sort_unstable();
            ordinals.dedup();
            prop_assert_eq!(ordinals.len(), hits.len());
        }
    }
}
