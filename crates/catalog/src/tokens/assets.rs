use std::collections::HashMap;

use causeway_domain::{Chain, ChainId, Token, TokenId};
use serde::Deserialize;

use super::key::MAX_RANK;
use crate::CatalogError;

/// A well-known coin and its tokens, at most one per chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    pub symbol: String,
    pub name: String,
    /// The coin whose price it has.
    pub coin: String,
    /// 1 is the best known.
    pub rank: u16,
    /// Alternative names, lower case.
    pub aliases: Vec<String>,
    pub tokens: Vec<TokenId>,
}

/// A token of the service's own deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnToken {
    pub token: Token,
    /// The coin whose price it has: a curated asset, which it joins, or a new one.
    pub coin: String,
}

/// The curated list, best known first.
#[derive(Debug, Default)]
pub(crate) struct Assets {
    pub(crate) all: Vec<Asset>,
    by_token: HashMap<TokenId, u16>,
}

impl Assets {
    /// The position in `all` of the asset of a token.
    pub(crate) fn position(&self, token: &TokenId) -> Option<u16> {
        self.by_token.get(token).copied()
    }

    /// Adds an own token to the asset of its coin, or as a new asset behind all others.
    pub(crate) fn add(&mut self, own: &OwnToken) -> Result<(), CatalogError> {
        let OwnToken { token, coin } = own;
        let invalid = |reason| CatalogError::Own { token: token.id, reason };
        if self.by_token.contains_key(&token.id) {
            return Err(invalid("it is listed already"));
        }
        let known = self.all.iter_mut().zip(0u16..).find(|(asset, _)| asset.coin == *coin);
        let position = if let Some((asset, position)) = known {
            if asset.tokens.iter().any(|other| other.chain() == token.id.chain()) {
                return Err(invalid("its coin has another token on that chain"));
            }
            asset.tokens.push(token.id);
            position
        } else {
            let rank = self.all.last().map_or(1, |last| last.rank.saturating_add(1));
            let position = u16::try_from(self.all.len()).map_err(|_| invalid("there are too many"))?;
            if rank >= MAX_RANK {
                return Err(invalid("there are too many"));
            }
            self.all.push(Asset {
                symbol: token.symbol.clone(),
                name: token.name.clone(),
                coin: coin.clone(),
                rank,
                aliases: Vec::new(),
                tokens: vec![token.id],
            });
            position
        };
        self.by_token.insert(token.id, position);
        Ok(())
    }

    /// Leaves out the tokens of source-only chains that are not among `chains`, and the assets of them alone.
    pub(crate) fn keep_chains(&mut self, chains: &[Chain]) {
        let is_kept = |token: &TokenId| {
            !token.chain().family().is_source_only() || chains.iter().any(|chain| chain.id == token.chain())
        };
        for asset in &mut self.all {
            asset.tokens.retain(is_kept);
        }
        self.all.retain(|asset| !asset.tokens.is_empty());
        let positions = self.all.iter().zip(0u16..);
        self.by_token =
            positions.flat_map(|(asset, at)| asset.tokens.iter().map(move |token| (*token, at))).collect();
    }

    pub(crate) fn of(&self, token: &TokenId) -> Option<&Asset> {
        self.all.get(usize::from(self.position(token)?))
    }
}

#[derive(Deserialize)]
struct File {
    asset: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    symbol: String,
    name: String,
    coin: String,
    rank: u16,
    #[serde(default)]
    aliases: Vec<String>,
    addresses: HashMap<String, String>,
}

/// Parses the curated list.
pub(crate) fn parse(text: &str) -> Result<Assets, CatalogError> {
    let file: File = toml::from_str(text).map_err(|error| invalid(error.message()))?;
    let mut all = file
        .asset
        .into_iter()
        .map(|entry| {
            let symbol = entry.symbol.clone();
            entry.into_asset().map_err(|reason| invalid(format!("{symbol}: {reason}")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    all.sort_by_key(|asset| asset.rank);
    let mut by_token = HashMap::new();
    for (asset, position) in all.iter().zip(0u16..) {
        for token in &asset.tokens {
            if by_token.insert(*token, position).is_some() {
                return Err(invalid(format!("{}: {token} belongs to another asset too", asset.symbol)));
            }
        }
    }
    match all.windows(2).find(|pair| matches!(pair, [one, two] if one.rank == two.rank)) {
        Some([one, two]) => Err(invalid(format!("{} and {} have the same rank", one.symbol, two.symbol))),
        _ => Ok(Assets { all, by_token }),
    }
}

fn invalid(reason: impl Into<String>) -> CatalogError {
    CatalogError::Bundled { file: "top.toml", reason: reason.into() }
}

impl Entry {
    fn into_asset(self) -> Result<Asset, String> {
        // The last rank is reserved for native coins without an asset.
        if self.rank == 0 || self.rank >= MAX_RANK {
            return Err(format!("the rank is not between 1 and {}", MAX_RANK - 1));
        }
        let mut tokens = self
            .addresses
            .iter()
            .map(|(chain, address)| {
                let chain =
                    chain.parse().ok().and_then(ChainId::new).ok_or_else(|| format!("chain {chain}?"))?;
                match address.as_str() {
                    "native" => Ok(TokenId::native(chain)),
                    text => TokenId::new(chain, text).map_err(|error| format!("chain {chain}: {error}")),
                }
            })
            .collect::<Result<Vec<_>, String>>()?;
        tokens.sort_unstable();
        Ok(Asset {
            symbol: self.symbol,
            name: self.name,
            coin: self.coin,
            rank: self.rank,
            aliases: self.aliases,
            tokens,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ETH: &str = r#"
        [[asset]]
        symbol = "ETH"
        name = "Ether"
        coin = "ethereum"
        rank = 1
        decimals = 18
        aliases = ["ether"]
        [asset.addresses]
        1 = "native"
        8453 = "native"
    "#;

    #[test]
    fn native_is_the_native_coin_of_the_chain() {
        let assets = parse(ETH).unwrap();
        let base = TokenId::native(ChainId::new(8453).unwrap());
        assert_eq!(assets.of(&base).unwrap().symbol, "ETH");
    }

    #[test]
    fn an_own_token_joins_the_asset_of_its_coin_or_follows_all_others() {
        let mut assets = parse(ETH).unwrap();
        let own = |chain: u64, coin: &str| {
            let id = TokenId::new(ChainId::new(chain).unwrap(), "0x00000000000000000000000000000000000000aa")
                .unwrap();
            let token = Token { id, symbol: "cwETH".into(), name: "Vault".into(), decimals: 24, logo: None };
            OwnToken { token, coin: coin.to_owned() }
        };
        assets.add(&own(10, "ethereum")).unwrap();
        assert_eq!(assets.of(&own(10, "").token.id).unwrap().symbol, "ETH");
        assets.add(&own(130, "vault-ethereum")).unwrap();
        assert_eq!(assets.of(&own(130, "").token.id).unwrap().rank, 2);
        assert!(assets.add(&own(10, "other")).is_err(), "listed already");
        assert!(assets.add(&own(8453, "ethereum")).is_err(), "ether is on Base already");
    }

    #[test]
    fn tokens_and_ranks_belong_to_one_asset_each() {
        let same_token = format!("{ETH}{}", ETH.replace("rank = 1", "rank = 2"));
        assert!(parse(&same_token).unwrap_err().to_string().contains("another asset"));
        let same_rank = format!("{ETH}{}", ETH.replace("1 = \"native\"", "").replace("8453", "10"));
        assert!(parse(&same_rank).unwrap_err().to_string().contains("same rank"));
        assert!(parse(&ETH.replace("rank = 1", "rank = 0")).is_err());
    }
}
