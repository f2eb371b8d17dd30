use causeway_domain::{Address, Chain, ChainId, Currency, Explorer};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::policy::{EvmColumns, PolicyColumns, read_policy};
use crate::CatalogError;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    chain: Vec<toml::Table>,
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
    /// What `scripts/catalog` builds the icon from.
    #[serde(rename = "logo")]
    _logo: Option<IgnoredAny>,
    policy: PolicyColumns,
    evm: Option<EvmColumns>,
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
    let mut chains = file.chain.into_iter().map(read_entry).collect::<Result<Vec<_>, _>>()?;
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

/// Reads one entry by itself, so that an error names its chain.
fn read_entry(entry: toml::Table) -> Result<Chain, CatalogError> {
    let id = entry.get("id").map_or_else(|| "without an id".to_owned(), ToString::to_string);
    let entry: Entry = entry.try_into().map_err(|error: toml::de::Error| {
        let reason = error.to_string();
        invalid(format!("chain {id}: {}", reason.trim_end().replace('\n', " ")))
    })?;
    entry.into_chain()
}

impl Entry {
    fn into_chain(self) -> Result<Chain, CatalogError> {
        let invalid = |reason: String| invalid(format!("chain {}: {reason}", self.id));
        let id = ChainId::new(self.id).ok_or_else(|| invalid("the id does not fit a JSON number".into()))?;
        let family = match self.family.as_str() {
            "evm" => causeway_domain::Family::Evm,
            "solana" => causeway_domain::Family::Solana,
            "bitcoin" => causeway_domain::Family::Bitcoin,
            "tron" => causeway_domain::Family::Tron,
            other => {
                return Err(invalid(format!("`{other}` is not a family: use evm, solana, bitcoin or tron")));
            }
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
        let policy = read_policy(family, &self.policy, self.evm.as_ref()).map_err(invalid)?;
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
            policy,
            enabled: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::EVM_COLUMNS;

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

    /// Ethereum with every column.
    fn one() -> String {
        format!("{ONE}{EVM_COLUMNS}")
    }

    #[test]
    fn a_chain_is_read_with_its_native_currency() {
        let chains = parse(&one()).unwrap();
        assert_eq!(chains[0].native.symbol, "ETH");
        assert!(chains[0].enabled);
    }

    #[test]
    fn a_missing_column_is_an_error_that_names_the_chain_and_the_column() {
        let columns = EVM_COLUMNS.lines().filter_map(|line| line.split_once(" = "));
        let columns: Vec<_> = columns.map(|(column, _)| column).collect();
        assert_eq!(columns.len(), 14);
        for column in columns {
            let without: Vec<_> = EVM_COLUMNS.lines().filter(|line| !line.starts_with(column)).collect();
            let error = parse(&format!("{ONE}{}", without.join("\n"))).unwrap_err().to_string();
            assert!(error.contains(&format!("chain 1: missing field `{column}`")), "{error}");
        }
        let error = parse(ONE).unwrap_err().to_string();
        assert!(error.contains("chain 1: missing field `policy`"), "{error}");
    }

    #[test]
    fn invalid_columns_are_rejected_with_their_chain() {
        let cases = [
            ("\"finalized\"", "\"latest\"", "expected a number of blocks, \"safe\" or \"finalized\""),
            ("order_cap_usd = \"none\"", "order_cap_usd = \"no\"", "expected a whole number or \"none\""),
            ("fallback_depth = \"none\"", "fallback_depth = -1", "expected a whole number or \"none\""),
            ("large_amounts = \"finalized\"", "large_amounts = 120", "`order_cap_usd` cannot be none"),
            ("0x000000000022D4", "0x000000000022", "`permit2`: "),
            ("[chain.evm]", "[chain.aptos]", "unknown field `aptos`"),
        ];
        for (from, to, expected) in cases {
            assert!(EVM_COLUMNS.contains(from), "{from}");
            let error = parse(&one().replace(from, to)).unwrap_err().to_string();
            assert!(error.contains("chain 1: ") && error.contains(expected), "{error}");
        }
        let policy_alone = one().split("[chain.evm]").next().unwrap().to_owned();
        let error = parse(&policy_alone).unwrap_err().to_string();
        assert!(error.contains("chain 1: an EVM chain needs the table `evm`"), "{error}");
    }

    #[test]
    fn invalid_entries_are_rejected_with_their_chain() {
        let cases = [
            (one().replace("\"evm\"", "\"solana\""), "chain 1: the id belongs to the family Evm"),
            (one().replace("CONTRACT_CALL", "CALL"), "`CALL` is not a deposit method"),
            (one().replace("slug", "slag"), "unknown field `slag`"),
            (one().repeat(2), "chain 1 is defined twice"),
        ];
        for (text, expected) in cases {
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
