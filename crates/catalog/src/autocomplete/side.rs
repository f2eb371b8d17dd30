use causeway_domain::TokenId;

use super::chain_names::{self, Chains};
use super::grammar::{Phrase, Quantity};
use crate::search::{Hit, Scope, Tier, compact};
use crate::snapshot::Snapshot;

/// The result of matching a token's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenMatch {
    Missing,
    /// Incomplete input.
    Partial(String),
    /// The symbol of the matched token.
    Resolved(String),
}

/// One side of a swap, resolved.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) quantity: Option<Quantity>,
    pub(super) token: TokenMatch,
    pub(super) chains: Chains,
    /// Matching tokens, best first.
    pub(super) candidates: Vec<Hit>,
}

/// Resolves phrases in the catalog.
pub(super) struct Reader<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) scope: Scope,
}

/// How many tokens are considered per side, regardless of the limit; enough to detect a single chain.
const MAX_CANDIDATES: usize = 200;

/// Minimum length of a chain name prefix.
const MIN_CHAIN_LETTERS: usize = 3;
/// How many tokens of a chain are offered while its name may also be a token's.
const MAX_CHAIN_TOKENS: usize = 3;

impl Reader<'_> {
    /// Resolves one side; `typing` says that its last word may be incomplete.
    pub(super) fn read(&self, phrase: &Phrase, typing: bool) -> Side {
        let chains = chain_names::find(self.snapshot.chains(), &phrase.chain);
        let (token, chains) = self.split_token_and_chain(phrase, &chains);
        let scope = self.narrowed(&chains);
        let mut hits = self.snapshot.hits(&token.join(" "), &scope, MAX_CANDIDATES);
        // Extra words after the token name ("usdc now") are ignored.
        let mut said = token.len();
        while hits.is_empty() && said > 1 {
            said -= 1;
            hits =
                self.snapshot.hits(&token.get(..said).unwrap_or_default().join(" "), &scope, MAX_CANDIDATES);
        }
        let token_match = match hits.first() {
            Some(hit) if typing && hit.tier == Tier::Prefix => TokenMatch::Partial(token.join(" ")),
            Some(hit) => self
                .snapshot
                .listed(hit.ordinal)
                .map_or(TokenMatch::Missing, |listed| TokenMatch::Resolved(listed.token.symbol.clone())),
            None => TokenMatch::Missing,
        };
        let chains = match (&chains, &token_match) {
            (Chains::One(_), _) | (_, TokenMatch::Missing | TokenMatch::Partial(_)) => chains,
            _ => self.implied_chain(&hits).unwrap_or(chains),
        };
        let candidates = if token.is_empty() && !phrase.is_empty() {
            self.well_known_tokens(&scope)
        } else {
            let mut kept = self.select_hits(&hits, typing);
            if typing && phrase.quantity.is_none() && chains == Chains::Missing {
                self.add_chain_tokens(&token, &mut kept);
            }
            kept
        };
        Side { quantity: phrase.quantity.clone(), token: token_match, chains, candidates }
    }

    /// `usdc base` and `base usdc` name a chain without "on"; `base` alone is a chain.
    fn split_token_and_chain(&self, phrase: &Phrase, said: &Chains) -> (Vec<String>, Chains) {
        let words = &phrase.token;
        let whole = || (words.clone(), said.clone());
        if *said != Chains::Missing || words.is_empty() {
            return whole();
        }
        let best = self.snapshot.hits(&words.join(" "), &self.scope, 1).first().copied();
        let named = best.is_some_and(|hit| hit.tier.is_exact());
        let chains = self.snapshot.chains();
        if words.len() == 1 || chain_names::exact(chains, words).is_some() {
            let famous = best.is_some_and(|hit| hit.tier <= Tier::KnownSymbol);
            // "2 ethereum" means the coin, "ethereum" may also be the chain.
            let counted = named && phrase.quantity.is_some();
            return match chain_names::exact(chains, words) {
                Some(chain) if !famous && !counted => (Vec::new(), Chains::One(chain)),
                _ => whole(),
            };
        }
        if named {
            return whole();
        }
        let behind = (1..words.len()).map(|at| words.split_at(at));
        let before = (1..words.len()).rev().map(|at| words.split_at(at)).map(|(chain, token)| (token, chain));
        behind
            .chain(before)
            .find_map(|(token, chain)| {
                chain_names::exact(chains, chain).map(|at| (token.to_vec(), Chains::One(at)))
            })
            .unwrap_or_else(whole)
    }

    fn narrowed(&self, chains: &Chains) -> Scope {
        let positions = chains.positions();
        if positions.is_empty() {
            return self.scope.clone();
        }
        let open =
            |at: usize| self.scope.chains.as_ref().is_none_or(|open| open.get(at).copied().unwrap_or(false));
        let narrowed =
            (0..self.snapshot.chains().len()).map(|at| positions.contains(&at) && open(at)).collect();
        Scope { chains: Some(narrowed), ..self.scope.clone() }
    }

    /// The chain of a token that exists on one chain only.
    fn implied_chain(&self, hits: &[Hit]) -> Option<Chains> {
        let tier = hits.first()?.tier;
        let alike = hits.iter().filter(|hit| hit.tier == tier);
        let mut chains: Vec<u16> = alike
            .filter_map(|hit| self.snapshot.index().facet(hit.ordinal))
            .map(|facet| facet.chain)
            .collect();
        chains.sort_unstable();
        chains.dedup();
        match chains[..] {
            [one] => Some(Chains::One(usize::from(one))),
            _ => None,
        }
    }

    /// The matches of a complete word, or the completions of an incomplete one, each symbol once.
    fn select_hits(&self, hits: &[Hit], typing: bool) -> Vec<Hit> {
        let Some(first) = hits.first() else { return Vec::new() };
        let mut seen: Vec<&str> = Vec::new();
        let mut is_new = |hit: &Hit| {
            let symbol = self.snapshot.listed(hit.ordinal).map_or("", |listed| listed.token.symbol.as_str());
            let new = !seen.contains(&symbol);
            seen.push(symbol);
            new
        };
        let kept = hits.iter().filter(|hit| {
            let same = hit.tier == first.tier;
            match (typing, first.tier) {
                // After a well-known coin only other well-known ones follow.
                (true, tier) if tier.is_known() => same || self.is_known(**hit),
                (true, Tier::Symbol | Tier::Name) => true,
                (true, Tier::Prefix) => is_new(hit),
                _ => same,
            }
        });
        kept.copied().collect()
    }

    /// `arbi` may be a chain or a token: well-known tokens of the chain come before unknown tokens.
    fn add_chain_tokens(&self, words: &[String], kept: &mut Vec<Hit>) {
        let start = compact(&words.join(" "));
        let begun = chain_names::starting_with(self.snapshot.chains(), &start);
        let open = kept.first().is_none_or(|hit| !hit.tier.is_known());
        if let ([chain], true, true) = (&begun[..], open, start.len() >= MIN_CHAIN_LETTERS) {
            let coins = self.well_known_tokens(&self.narrowed(&Chains::One(*chain)));
            let place = kept.iter().position(|hit| !hit.tier.is_exact() && !self.is_known(*hit));
            let place = place.unwrap_or(kept.len());
            let new: Vec<Hit> =
                coins.into_iter().take(MAX_CHAIN_TOKENS).filter(|coin| !kept.contains(coin)).collect();
            kept.splice(place..place, new);
        }
    }

    /// Default tokens when none was named: well-known coins, each once, with the native coin of a single chain first.
    fn well_known_tokens(&self, scope: &Scope) -> Vec<Hit> {
        let mut seen: Vec<&str> = Vec::new();
        let mut coins: Vec<u32> = self.snapshot.well_known(scope).collect();
        coins.retain(|ordinal| {
            let symbol = self.snapshot.listed(*ordinal).map_or("", |listed| listed.token.symbol.as_str());
            let new = !seen.contains(&symbol);
            seen.push(symbol);
            new
        });
        let open = scope.chains.as_ref().map_or(0, |chains| chains.iter().filter(|open| **open).count());
        if open == 1 {
            coins.sort_by_key(|ordinal| !self.id(*ordinal).is_some_and(|id| id.is_native()));
        }
        coins.into_iter().map(|ordinal| Hit { ordinal, tier: Tier::Prefix }).collect()
    }

    fn is_known(&self, hit: Hit) -> bool {
        self.snapshot.index().facet(hit.ordinal).is_some_and(|facet| facet.known)
    }

    fn id(&self, ordinal: u32) -> Option<TokenId> {
        self.snapshot.listed(ordinal).map(|listed| listed.token.id)
    }
}
