use std::collections::HashMap;
use std::sync::Arc;

use causeway_domain::{Chain, Token, TokenId};

use super::{Base, Snapshot};
use crate::haystack::Haystack;
use crate::search::{Facet, IndexBuilder};
use crate::tokens::{Protected, sort_key};

impl Snapshot {
    /// Merges native coins, bundled tokens and lists; the first source of a token wins.
    pub(crate) fn build(base: Arc<Base>, bundled: Vec<Token>, lists: &[Arc<[Arc<Token>]>]) -> Self {
        let mut keyed: Vec<(u64, Arc<Token>)> =
            gather(&base, bundled, lists).into_iter().map(|token| (key(&base, &token.id), token)).collect();
        keyed.sort_unstable_by_key(|(key, token)| (*key, token.id));
        let (keys, tokens): (Vec<u64>, Vec<Arc<Token>>) = keyed.into_iter().unzip();
        let mut by_address: Vec<u32> = (0u32..).zip(&tokens).map(|(ordinal, _)| ordinal).collect();
        by_address.sort_unstable_by_key(|ordinal| {
            tokens.get(*ordinal as usize).map(|token| (token.id.address(), token.id.chain()))
        });
        let protected = Protected::new(
            base.assets
                .all
                .iter()
                .map(|asset| asset.symbol.as_str())
                .chain(base.chains.iter().map(|chain| chain.native.symbol.as_str())),
        );
        let mut index = IndexBuilder::default();
        for token in &tokens {
            let asset = base.assets.of(&token.id);
            let symbols = [token.symbol.as_str()].into_iter().chain(asset.map(|asset| asset.symbol.as_str()));
            let names = [token.name.as_str()]
                .into_iter()
                .chain(asset.map(|asset| asset.name.as_str()))
                .chain(asset.into_iter().flat_map(|asset| asset.aliases.iter().map(String::as_str)));
            let position = base.chains.binary_search_by_key(&token.id.chain(), |chain| chain.id);
            let facet = Facet {
                chain: position.ok().and_then(|at| u16::try_from(at).ok()).unwrap_or(u16::MAX),
                known: token.id.is_native() || asset.is_some(),
                risk: !is_genuine(&base, &token.id) && protected.is_imitated_by(&token.symbol),
            };
            index.add(facet, symbols, names);
        }
        let haystack = Haystack::build(tokens.iter().map(|token| {
            let asset = base.assets.of(&token.id).map(|asset| asset.symbol.as_str());
            [token.symbol.as_str(), token.name.as_str()].into_iter().chain(asset)
        }));
        Self {
            by_id: tokens.iter().map(|token| token.id).zip(0..).collect(),
            tokens: tokens.into(),
            keys: keys.into(),
            by_address: by_address.into(),
            index: index.build(),
            haystack,
            base,
        }
    }
}

fn gather(base: &Base, bundled: Vec<Token>, lists: &[Arc<[Arc<Token>]>]) -> Vec<Arc<Token>> {
    let enabled = |id: &TokenId| {
        let position = base.chains.binary_search_by_key(&id.chain(), |chain| chain.id).ok();
        position.and_then(|at| base.chains.get(at)).is_some_and(|chain| chain.enabled)
    };
    let natives = base.chains.iter().map(native);
    let mut tokens: Vec<Arc<Token>> =
        natives.chain(bundled).filter(|token| enabled(&token.id)).map(Arc::new).collect();
    let mut known: HashMap<TokenId, usize> = tokens.iter().map(|token| token.id).zip(0..).collect();
    for token in lists.iter().flat_map(|list| list.iter()).filter(|token| enabled(&token.id)) {
        match known.get(&token.id).and_then(|at| tokens.get_mut(*at)) {
            None => {
                known.insert(token.id, tokens.len());
                tokens.push(Arc::clone(token));
            }
            // Bundled tokens have no logo; a list may add one.
            Some(first) if first.logo.is_none() && token.logo.is_some() => {
                *first = Arc::new(Token { logo: token.logo.clone(), ..Token::clone(first) });
            }
            Some(_) => {}
        }
    }
    tokens
}

fn native(chain: &Chain) -> Token {
    Token {
        id: TokenId::native(chain.id),
        symbol: chain.native.symbol.clone(),
        name: chain.native.name.clone(),
        decimals: chain.native.decimals,
        logo: None,
    }
}

fn key(base: &Base, id: &TokenId) -> u64 {
    sort_key(id, base.assets.of(id).map(|asset| asset.rank))
}

/// Whether the token is a genuine owner of its well-known symbol.
fn is_genuine(base: &Base, id: &TokenId) -> bool {
    let wraps_native = || {
        let position = base.chains.binary_search_by_key(&id.chain(), |chain| chain.id).ok();
        let chain = position.and_then(|at| base.chains.get(at));
        chain.is_some_and(|chain| chain.wrapped_native == Some(id.address()))
    };
    id.is_native() || base.assets.position(id).is_some() || wraps_native()
}
