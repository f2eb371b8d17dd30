//! An immutable state of the catalog.

mod build;
mod find;
mod page;

use std::collections::HashMap;
use std::sync::Arc;

use causeway_domain::{Chain, ChainId, Token, TokenId};

pub use find::MAX_SEARCH_RESULTS;
pub use page::{Page, TokenFilter};

use crate::chains::{Icon, Icons};
use crate::haystack::Haystack;
use crate::search::{Index, Scope};
use crate::tokens::{Asset, Assets, is_well_known, token_icon};

/// The part of the catalog that is independent of token lists.
#[derive(Debug)]
pub(crate) struct Base {
    /// By id.
    pub(crate) chains: Vec<Chain>,
    pub(crate) icons: Icons,
    pub(crate) assets: Assets,
    pub(crate) own: Vec<Token>,
}

/// All chains and tokens at one point in time.
#[derive(Debug)]
pub struct Snapshot {
    base: Arc<Base>,
    /// By sort key: the best known first.
    tokens: Box<[Arc<Token>]>,
    keys: Box<[u64]>,
    /// Ordinals by address, then chain.
    by_address: Box<[u32]>,
    by_id: HashMap<TokenId, u32>,
    index: Index,
    haystack: Haystack,
}

/// A token and its risk assessment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed<'a> {
    pub token: &'a Token,
    /// Whether its symbol imitates a well-known token.
    pub is_risk: bool,
}

impl Snapshot {
    /// Every chain, enabled or not, by id.
    pub fn chains(&self) -> &[Chain] {
        &self.base.chains
    }

    pub fn chain(&self, id: ChainId) -> Option<&Chain> {
        self.base.chains.get(self.chain_position(id)?)
    }

    pub fn icon(&self, chain: ChainId) -> Option<&Icon> {
        self.base.icons.get(chain)
    }

    /// A token of an enabled chain.
    pub fn token(&self, id: &TokenId) -> Option<Listed<'_>> {
        self.listed(self.ordinal(id)?)
    }

    /// The icon of a token: the mark of its coin, or one drawn from symbol and address.
    pub fn token_icon(&self, id: &TokenId) -> Option<Icon> {
        let coin = self.asset(id).map(|asset| asset.coin.as_str());
        Some(token_icon(self.token(id)?.token, coin))
    }

    /// A token that outlives the snapshot, without a copy.
    pub fn shared_token(&self, id: &TokenId) -> Option<Arc<Token>> {
        self.tokens.get(self.ordinal(id)? as usize).cloned()
    }

    /// The well-known coin that a token represents.
    pub fn asset(&self, id: &TokenId) -> Option<&Asset> {
        self.base.assets.of(id)
    }

    /// Every well-known coin, best known first.
    pub fn assets(&self) -> &[Asset] {
        &self.base.assets.all
    }

    pub fn token_count(&self) -> usize {
        self.tokens.len()
    }

    /// The curated tokens of the given chains (of all when none is given), best known first.
    pub fn top(&self, chains: &[ChainId]) -> Vec<Listed<'_>> {
        let curated = |listed: &Listed<'_>| self.asset(&listed.token.id).is_some();
        let well_known = self.well_known(&self.scope(chains)).collect::<Vec<_>>();
        well_known.into_iter().filter_map(|ordinal| self.listed(ordinal)).filter(curated).collect()
    }

    /// The curated tokens and the native coins that a scope admits, best known first.
    pub(crate) fn well_known(&self, scope: &Scope) -> impl Iterator<Item = u32> {
        let end = self.keys.partition_point(|key| is_well_known(*key));
        (0u32..).take(end).filter(|ordinal| self.admits(scope, *ordinal))
    }

    fn chain_position(&self, id: ChainId) -> Option<usize> {
        self.base.chains.binary_search_by_key(&id, |chain| chain.id).ok()
    }

    pub(crate) fn listed(&self, ordinal: u32) -> Option<Listed<'_>> {
        let token = self.tokens.get(ordinal as usize)?;
        Some(Listed { token, is_risk: self.index.facet(ordinal)?.risk })
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    /// An empty list means all chains.
    pub(crate) fn scope(&self, chains: &[ChainId]) -> Scope {
        let wanted = |chain: &Chain| chains.contains(&chain.id);
        let chains = (!chains.is_empty()).then(|| self.base.chains.iter().map(wanted).collect());
        Scope { chains, without_risk: false }
    }

    fn admits(&self, scope: &Scope, ordinal: u32) -> bool {
        self.index.facet(ordinal).is_some_and(|facet| scope.admits(facet))
    }
}
