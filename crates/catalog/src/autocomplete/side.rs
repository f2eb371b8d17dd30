use causeway_domain::TokenId;

use super::chain_words::{self, Chains};
use super::grammar::{Phrase, Quantity};
use crate::search::{Hit, Scope, Tier, compact};
use crate::snapshot::Snapshot;

/// What a token's words came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenWords {
    Missing,
    /// Still being typed: what stands there so far.
    Begun(String),
    /// The symbol of the token that is meant.
    Meant(String),
}

/// One side of a swap, looked up.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) quantity: Option<Quantity>,
    pub(super) words: TokenWords,
    pub(super) chains: Chains,
    /// The tokens that may be meant, best first.
    pub(super) candidates: Vec<Hit>,
}

/// Looks phrases up in the catalog.
pub(super) struct Reader<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) scope: Scope,
}

/// How many tokens are considered for a side, whatever the number asked for: enough to tell whether one chain is meant.
const CONSIDERED: usize = 200;

/// Fewer letters begin too much to tell a chain by.
const MIN_CHAIN_LETTERS: usize = 3;
/// How many coins of a chain are offered while its name may as well be a token's.
const MIXED_IN: usize = 3;

impl Reader<'_> {
    /// Reads one side; `typing` says that its token's last word may be half typed.
    pub(super) fn read(&self, phrase: &Phrase, typing: bool) -> Side {
        let chains = chain_words::find(self.snapshot.chains(), &phrase.chain);
        let (token, chains) = self.part_token_from_chain(phrase, &chains);
        let scope = self.narrowed(&chains);
        let mut hits = self.snapshot.hits(&token.join(" "), &scope, CONSIDERED);
        // Words behind the token's name ("usdc now") are overlooked rather than held against it.
        let mut said = token.len();
        while hits.is_empty() && said > 1 {
            said -= 1;
            hits = self.snapshot.hits(&token.get(..said).unwrap_or_default().join(" "), &scope, CONSIDERED);
        }
        let words = match hits.first() {
            Some(hit) if typing && hit.tier == Tier::Prefix => TokenWords::Begun(token.join(" ")),
            Some(hit) => self
                .snapshot
                .listed(hit.ordinal)
                .map_or(TokenWords::Missing, |listed| TokenWords::Meant(listed.token.symbol.clone())),
            None => TokenWords::Missing,
        };
        let chains = match (&chains, &words) {
            (Chains::One(_), _) | (_, TokenWords::Missing | TokenWords::Begun(_)) => chains,
            _ => self.implied_chain(&hits).unwrap_or(chains),
        };
        let candidates = if token.is_empty() && !phrase.is_empty() {
            self.favourites(&scope)
        } else {
            let mut kept = self.settle(&hits, typing);
            if typing && phrase.quantity.is_none() && chains == Chains::Missing {
                self.mix_in_chain(&token, &mut kept);
            }
            kept
        };
        Side { quantity: phrase.quantity.clone(), words, chains, candidates }
    }

    /// `usdc base` and `base usdc` name a chain without saying "on"; `base` alone names nothing else.
    fn part_token_from_chain(&self, phrase: &Phrase, said: &Chains) -> (Vec<String>, Chains) {
        let words = &phrase.token;
        let whole = || (words.clone(), said.clone());
        if *said != Chains::Missing || words.is_empty() {
            return whole();
        }
        let best = self.snapshot.hits(&words.join(" "), &self.scope, 1).first().copied();
        let named = best.is_some_and(|hit| hit.tier.is_exact());
        let chains = self.snapshot.chains();
        if words.len() == 1 || chain_words::exact(chains, words).is_some() {
            let famous = best.is_some_and(|hit| hit.tier <= Tier::KnownSymbol);
            // "2 ethereum" counts a coin, "ethereum" may as well be the chain.
            let counted = named && phrase.quantity.is_some();
            return match chain_words::exact(chains, words) {
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
                chain_words::exact(chains, chain).map(|at| (token.to_vec(), Chains::One(at)))
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

    /// If the token lives on one chain only, nobody needs to say which.
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

    /// What is meant, once it is typed to the end; before that also what it may become, each symbol once.
    fn settle(&self, hits: &[Hit], typing: bool) -> Vec<Hit> {
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
                // Behind a coin that everybody knows only others of its standing are worth a place.
                (true, tier) if tier.is_known() => same || self.is_known(**hit),
                (true, Tier::Symbol | Tier::Name) => true,
                (true, Tier::Prefix) => is_new(hit),
                _ => same,
            }
        });
        kept.copied().collect()
    }

    /// `arbi` may become a chain as well as a token: what is best known there stands before what nobody knows.
    fn mix_in_chain(&self, words: &[String], kept: &mut Vec<Hit>) {
        let start = compact(&words.join(" "));
        let begun = chain_words::beginning(self.snapshot.chains(), &start);
        let open = kept.first().is_none_or(|hit| !hit.tier.is_known());
        if let ([chain], true, true) = (&begun[..], open, start.len() >= MIN_CHAIN_LETTERS) {
            let coins = self.favourites(&self.narrowed(&Chains::One(*chain)));
            let place = kept.iter().position(|hit| !hit.tier.is_exact() && !self.is_known(*hit));
            let place = place.unwrap_or(kept.len());
            let new: Vec<Hit> =
                coins.into_iter().take(MIXED_IN).filter(|coin| !kept.contains(coin)).collect();
            kept.splice(place..place, new);
        }
    }

    /// What to offer when no token was named: the best known coins, each once, and a lone chain's own coin first.
    fn favourites(&self, scope: &Scope) -> Vec<Hit> {
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
