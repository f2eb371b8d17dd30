use causeway_domain::{Address, Chain, ChainId, Currency, Explorer};
use serde::Deserialize;

use crate::CatalogError;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    chain: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: u64,
    slug: String,
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
    family: String,
    native: NativeEntry,
    wrapped_native: Option<String>,
    explorer: ExplorerEntry,
    #[serde(default)]
    rpc: Vec<String>,
    deposit_methods: Vec<String>,
    color: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NativeEntry {
    name: String,
    symbol: String,
    decimals: u8,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExplorerEntry {
    name: String,
    url: String,
}

/// Parses the chains file; the result is ordered by id.
pub(crate) fn parse(text: &str) -> Result<Vec<Chain>, CatalogError> {
    let file: File = toml::from_str(text).map_err(|error| invalid(error.message()))?;
    let mut chains = file.chain.into_iter().map(Entry::into_chain).collect::<Result<Vec<_>, _>>()?;
    chains.sort_by_key(|chain| chain.id);
    match chains.windows(2).find_map(|pair| match pair {
        [one, two] if one.id == two.id => Some(one.id),
        _ => None,
    }) {
        Some(id) => Err(invalid(format!("chain {id} is defined twice"))),
        None => Ok(chains),
    }
}

fn invalid(reason: impl Into<String>) -> CatalogError {
    CatalogError::Bundled { file: "chains.toml", reason: reason.into() }
}

impl Entry {
    fn into_chain(self) -> Result<Chain, CatalogError> {
        let invalid = |reason: String| invalid(format!("chain {}: {reason}", self.id));
        let id = ChainId::new(self.id).ok_or_else(|| invalid("the id does not fit a JSON number".into()))?;
        let family = match self.family.as_str() {
            "evm" => causeway_domain::Family::Evm,
            "solana" => causeway_domain::Family::Solana,
            other => return Err(invalid(format!("`{other}` is not a family: use evm or solana"))),
        };
        if family != id.family() {
            return Err(invalid(format!("the id belongs to the family {:?}", id.family())));
        }
        let wrapped_native = self
            .wrapped_native
            .as_deref()
            .map(|text| Address::parse(family, text))
            .transpose()
            .map_err(|error| invalid(error.to_string()))?;
        let deposit_methods = self
            .deposit_methods
            .iter()
            .map(|text| text.parse())
            .collect::<Result<_, _>>()
            .map_err(|error: causeway_domain::UnknownDepositMethod| invalid(error.to_string()))?;
        Ok(Chain {
            id,
            slug: self.slug,
            name: self.name,
            aliases: self.aliases,
            native: Currency {
                name: self.native.name,
                symbol: self.native.symbol,
                decimals: self.native.decimals,
            },
            wrapped_native,
            explorer: Explorer { name: self.explorer.name, url: self.explorer.url },
            rpc: self.rpc,
            deposit_methods,
            color: self.color,
            enabled: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r##"
        [[chain]]
        id = 1
        slug = "ethereum"
        name = "Ethereum"
        family = "evm"
        native = { name = "Ether", symbol = "ETH", decimals = 18 }
        explorer = { name = "Etherscan", url = "https://etherscan.io" }
        deposit_methods = ["CONTRACT_CALL"]
        color = "#627eea"
    "##;

    #[test]
    fn a_chain_is_read_with_its_native_currency() {
        let chains = parse(ONE).unwrap();
        assert_eq!(chains[0].native.symbol, "ETH");
        assert!(chains[0].enabled);
    }

    #[test]
    fn invalid_entries_are_rejected_with_their_chain() {
        let cases = [
            (ONE.replace("\"evm\"", "\"solana\""), "chain 1: the id belongs to the family Evm"),
            (ONE.replace("CONTRACT_CALL", "CALL"), "`CALL` is not a deposit method"),
            (ONE.replace("slug", "slag"), "unknown field `slag`"),
            (ONE.repeat(2), "chain 1 is defined twice"),
        ];
        for (text, expected) in cases {
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
