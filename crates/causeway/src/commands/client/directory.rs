use causeway_client::wire::{Chain, Token};
use causeway_client::{Client, TokenQuery};

use super::failure::Failure;
use super::parse::TokenRef;

/// Common aliases that are no prefix of a chain's name.
const OTHER_NAMES: [(&str, u64); 5] =
    [("optimism", 10), ("bsc", 56), ("matic", 137), ("avax", 43_114), ("mainnet", 1)];

/// The largest page of the token catalog.
const MAX_PAGE: u32 = 1000;

/// Looks up the service's chains and tokens by name.
#[derive(Default)]
pub(crate) struct Directory {
    chains: Vec<Chain>,
}

impl Directory {
    pub(crate) async fn load(client: &Client) -> Result<Self, Failure> {
        Ok(Self { chains: client.chains().await? })
    }

    pub(crate) fn by_id(&self, id: u64) -> Option<&Chain> {
        self.chains.iter().find(|chain| chain.id == id)
    }

    /// The chain's name, or its id if unknown.
    pub(crate) fn name(&self, id: u64) -> String {
        self.by_id(id).map_or_else(|| format!("chain {id}"), |chain| chain.name.clone())
    }

    /// The explorer link of a transaction.
    pub(crate) fn link(&self, chain_id: u64, tx_hash: &str) -> String {
        match self.by_id(chain_id) {
            Some(chain) => format!("{}/tx/{tx_hash}", chain.explorer_url.trim_end_matches('/')),
            None => tx_hash.to_owned(),
        }
    }

    /// Finds a chain by id, CAIP-2 name, name or prefix.
    pub(crate) fn chain(&self, text: &str) -> Result<&Chain, Failure> {
        let wanted = normalized(text);
        let exactly = |chain: &&Chain| {
            chain.id.to_string() == text || chain.caip2 == text || normalized(&chain.name) == wanted
        };
        let other =
            || OTHER_NAMES.iter().find(|(name, _)| *name == wanted).and_then(|(_, id)| self.by_id(*id));
        if let Some(chain) = self.chains.iter().find(exactly).or_else(other) {
            return Ok(chain);
        }
        let begins = |chain: &&Chain| !wanted.is_empty() && normalized(&chain.name).starts_with(&wanted);
        let found: Vec<_> = self.chains.iter().filter(begins).collect();
        match found[..] {
            [chain] => Ok(chain),
            [] => Err(Failure::usage(
                match closest(text, self.chains.iter().map(|chain| chain.name.as_str())) {
                    Some(name) => format!("there is no chain {text:?}; did you mean {name}?"),
                    None => format!("there is no chain {text:?}; there are {}", names(self.chains.iter())),
                },
            )),
            _ => Err(Failure::usage(format!("{text:?} may be {}", names(found.into_iter())))),
        }
    }

    /// The ids of the named chains; empty for all.
    pub(crate) fn chain_ids(&self, texts: &[String]) -> Result<Vec<u64>, Failure> {
        texts.iter().map(|text| self.chain(text).map(|chain| chain.id)).collect()
    }

    /// The CAIP identifier of a token, as pauses name it.
    pub(crate) async fn token_id(&self, client: &Client, place: &TokenRef) -> Result<String, Failure> {
        let token = self.token(client, place).await?;
        Ok(format!("{}:{}", self.chain(&place.chain)?.caip2, token.address))
    }

    /// Finds a token by address, symbol, or `native`.
    ///
    /// A symbol matches a well-known token, else the chain's only token of that symbol; never an imitation.
    pub(crate) async fn token(&self, client: &Client, place: &TokenRef) -> Result<Token, Failure> {
        let chain = self.chain(&place.chain)?;
        let text = place.token.as_str();
        let top = client.top_tokens(&[chain.id]).await?;
        let native = text.eq_ignore_ascii_case("native");
        let bears = |token: &&Token| token.symbol.eq_ignore_ascii_case(text);
        let is = |token: &&Token| token.address.eq_ignore_ascii_case(text) || (native && is_coin(token));
        if let Some(token) = top.iter().find(is).or_else(|| top.iter().find(bears)) {
            return Ok(token.clone());
        }
        let query = TokenQuery {
            q: Some(text.to_owned()),
            chain_ids: vec![chain.id],
            limit: Some(MAX_PAGE),
            cursor: None,
        };
        let listed = client.tokens(&query).await?.data;
        if let Some(token) = listed.iter().find(|token| same_address(chain, &token.address, text)) {
            return Ok(token.clone());
        }
        let honest = |token: &&Token| bears(token) && !is_risky(token);
        match listed.iter().filter(honest).collect::<Vec<_>>()[..] {
            [token] => Ok(token.clone()),
            [] => {
                let meant = closest(text, top.iter().map(|token| token.symbol.as_str()));
                let meant =
                    meant.map(|symbol| format!("did you mean {symbol}? Otherwise ")).unwrap_or_default();
                Err(Failure::usage(format!(
                    "{} has no token {text:?}; {meant}look for it with: causeway tokens {text} --chain {}",
                    chain.name, chain.id
                )))
            }
            ref many => {
                let lines = many.iter().map(|token| format!("\n  {}  {}", token.address, token.name));
                let lines: String = lines.collect();
                Err(Failure::usage(format!(
                    "several tokens on {} are called {text}; give the address of one:{lines}",
                    chain.name
                )))
            }
        }
    }
}

/// The name that was probably meant, if one is similar enough.
fn closest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = normalized(text);
    let similarity = |name: &str| strsim::jaro_winkler(&wanted, &normalized(name));
    let similar = names.map(|name| (name, similarity(name))).filter(|(_, similarity)| *similarity > 0.8);
    similar.max_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(name, _)| name)
}

/// Base58 is exact; hex may be written in either case.
fn same_address(chain: &Chain, address: &str, text: &str) -> bool {
    if chain.r#type == "solana" { address == text } else { address.eq_ignore_ascii_case(text) }
}

fn is_coin(token: &Token) -> bool {
    token.address == format!("0x{}", "0".repeat(40)) || token.address == "1".repeat(32)
}

pub(crate) fn is_risky(token: &Token) -> bool {
    token.extensions.as_ref().and_then(|extensions| extensions.is_risk_token) == Some(true)
}

/// Lower-case letters and digits only.
fn normalized(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn names<'a>(chains: impl Iterator<Item = &'a Chain>) -> String {
    chains.map(|chain| format!("{} ({})", chain.name, chain.id)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chain(id: u64, name: &str) -> Chain {
        serde_json::from_value(json!({
            "id": id, "name": name, "type": "eip155", "caip2": format!("eip155:{id}"),
            "nativeCurrency": { "name": "Ether", "symbol": "ETH", "decimals": 18 },
            "rpcUrls": { "default": { "http": [] } }, "blockExplorers": { "default": { "name": "", "url": "" } },
            "explorerUrl": "https://scan.example/", "icon": "", "depositMethods": [], "enabled": true,
        }))
        .unwrap()
    }

    fn directory() -> Directory {
        let chains = [
            (1, "Ethereum"),
            (10, "OP Mainnet"),
            (8453, "Base"),
            (42161, "Arbitrum One"),
            (43114, "Avalanche"),
        ];
        Directory { chains: chains.map(|(id, name)| chain(id, name)).into() }
    }

    #[test]
    fn chain_is_found_by_id_name_prefix_or_alias() {
        let directory = directory();
        for (text, id) in [
            ("8453", 8453),
            ("eip155:10", 10),
            ("base", 8453),
            ("Arbitrum-One", 42161),
            ("arb", 42161),
            ("op", 10),
            ("optimism", 10),
            ("eth", 1),
            ("avax", 43114),
        ] {
            assert_eq!(directory.chain(text).unwrap().id, id, "{text}");
        }
    }

    #[test]
    fn ambiguous_or_unknown_chain_is_rejected() {
        let directory = directory();
        for (text, says) in [
            ("a", "Avalanche (43114)"),
            ("bass", "did you mean Base?"),
            ("etherium", "did you mean Ethereum?"),
            ("arbitum", "did you mean Arbitrum One?"),
            ("tron", "there are Ethereum (1), OP Mainnet (10)"),
            ("", "there is no chain"),
            ("-", "there is no chain"),
        ] {
            let problem = directory.chain(text).err().unwrap().to_string();
            assert!(problem.contains(says), "{text}: {problem}");
        }
    }

    #[test]
    fn transaction_links_to_the_chain_explorer() {
        assert_eq!(directory().link(10, "0x1"), "https://scan.example/tx/0x1");
        assert_eq!(directory().link(7, "0x1"), "0x1");
    }
}
