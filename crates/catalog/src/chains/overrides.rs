use std::path::PathBuf;

use causeway_domain::{Address, Chain, ChainId, ChainPolicy, Currency, DepositMethod, Explorer, Family};
use serde::{Deserialize, Serialize};

use crate::CatalogError;

/// Configured changes of a chain, or a whole new chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ChainOverride {
    pub id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// Alternative names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliases: Option<Vec<String>>,
    /// The native coin; required for a new chain, fixed for a bundled one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native: Option<CurrencyConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrapped_native: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explorer: Option<ExplorerConfig>,
    /// Public RPC URLs that the API returns; never private ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rpc: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deposit_methods: Option<Vec<String>>,
    /// `#rrggbb`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// An SVG file with the chain's logo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<PathBuf>,
}

/// The native coin in the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CurrencyConfig {
    pub name: String,
    pub symbol: String,
    #[serde(default = "default_decimals")]
    pub decimals: u8,
}

fn default_decimals() -> u8 {
    18
}

/// A chain's explorer in the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExplorerConfig {
    pub name: String,
    pub url: String,
}

const DEFAULT_COLOR: &str = "#5b6472";

/// Lays the configuration over the bundled chains; the answer is ordered by id.
pub(crate) fn apply(mut chains: Vec<Chain>, overrides: &[ChainOverride]) -> Result<Vec<Chain>, CatalogError> {
    let mut seen = Vec::with_capacity(overrides.len());
    for change in overrides {
        if seen.contains(&change.id) {
            return Err(change.invalid("it is configured twice; put both into one entry"));
        }
        seen.push(change.id);
        let id = ChainId::new(change.id)
            .ok_or_else(|| change.invalid("an id is a number between 1 and 2^53 - 1"))?;
        match chains.iter_mut().find(|chain| chain.id == id) {
            Some(chain) => change.change(chain)?,
            None => chains.push(change.add(id)?),
        }
    }
    chains.sort_by_key(|chain| chain.id);
    Ok(chains)
}

impl ChainOverride {
    fn invalid(&self, reason: impl Into<String>) -> CatalogError {
        CatalogError::Chain { id: self.id, reason: reason.into() }
    }

    fn change(&self, chain: &mut Chain) -> Result<(), CatalogError> {
        if self.native.is_some() {
            return Err(self.invalid("the native coin of a known chain cannot be changed; remove `native`"));
        }
        self.apply_fields(chain)
    }

    fn add(&self, id: ChainId) -> Result<Chain, CatalogError> {
        let missing = |field: &str| self.invalid(format!("a new chain needs `{field}`"));
        let name = self.name.clone().ok_or_else(|| missing("name"))?;
        let native = self.native.clone().ok_or_else(|| missing("native"))?;
        let explorer = self.explorer.clone().ok_or_else(|| missing("explorer"))?;
        if native.decimals > crate::tokens::MAX_DECIMALS {
            return Err(self.invalid("the native coin has more than 36 decimals"));
        }
        let mut chain = Chain {
            id,
            slug: name.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-"),
            name,
            aliases: Vec::new(),
            native: Currency { name: native.name, symbol: native.symbol, decimals: native.decimals },
            wrapped_native: None,
            explorer: Explorer { name: explorer.name, url: explorer.url },
            rpc: Vec::new(),
            deposit_methods: match id.family() {
                Family::Evm => {
                    vec![DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer]
                }
                Family::Solana => vec![DepositMethod::ContractCall, DepositMethod::Transfer],
                Family::Bitcoin | Family::Tron => vec![DepositMethod::Transfer],
            },
            color: DEFAULT_COLOR.to_owned(),
            policy: ChainPolicy::unlisted(id.family()),
            enabled: true,
        };
        self.apply_fields(&mut chain)?;
        Ok(chain)
    }

    fn apply_fields(&self, chain: &mut Chain) -> Result<(), CatalogError> {
        if let Some(enabled) = self.enabled {
            chain.enabled = enabled;
        }
        if let Some(name) = &self.name {
            chain.name.clone_from(name);
        }
        if let Some(slug) = &self.slug {
            chain.slug.clone_from(slug);
        }
        if let Some(aliases) = &self.aliases {
            chain.aliases = aliases.iter().map(|alias| alias.to_lowercase()).collect();
        }
        if let Some(text) = &self.wrapped_native {
            let address =
                Address::parse(chain.family(), text).map_err(|error| self.invalid(error.to_string()))?;
            chain.wrapped_native = Some(address);
        }
        if let Some(explorer) = &self.explorer {
            self.check_url("explorer.url", &explorer.url)?;
            chain.explorer = Explorer { name: explorer.name.clone(), url: explorer.url.clone() };
        }
        if let Some(rpc) = &self.rpc {
            rpc.iter().try_for_each(|url| self.check_url("rpc", url))?;
            chain.rpc.clone_from(rpc);
        }
        if let Some(methods) = &self.deposit_methods {
            let parsed: Result<Vec<DepositMethod>, _> = methods.iter().map(|text| text.parse()).collect();
            chain.deposit_methods = parsed.map_err(|error| self.invalid(error.to_string()))?;
        }
        if let Some(color) = &self.color {
            if !is_color(color) {
                return Err(self.invalid(format!("`{color}` is not a color; write it like #627eea")));
            }
            chain.color = color.to_lowercase();
        }
        Ok(())
    }

    /// These URLs are public, so credentials in them are a mistake.
    fn check_url(&self, field: &str, url: &str) -> Result<(), CatalogError> {
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
        if authority.is_empty() || url.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(self.invalid(format!("`{field}` has to be an http or https address")));
        }
        if authority.contains('@') {
            return Err(
                self.invalid(format!("`{field}` is public and must not carry a user name or password"))
            );
        }
        Ok(())
    }
}

fn is_color(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use causeway_domain::{FinalityRule, FinalityTag};

    use super::*;

    fn bundled() -> Vec<Chain> {
        crate::fixture::chains()
    }

    fn read(text: &str) -> ChainOverride {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_bundled_chain_can_be_disabled_and_get_another_explorer_and_rpc() {
        let change = read(
            r#"id = 1
               enabled = false
               rpc = ["https://rpc.example.org"]
               explorer = { name = "Scan", url = "https://scan.example.org" }"#,
        );
        let chains = apply(bundled(), &[change]).unwrap();
        let ethereum = chains.iter().find(|chain| chain.id.get() == 1).unwrap();
        assert!(!ethereum.enabled);
        assert_eq!(ethereum.rpc, ["https://rpc.example.org"]);
        assert_eq!(ethereum.explorer.name, "Scan");
        assert_eq!(ethereum.native.symbol, "ETH");
    }

    #[test]
    fn a_new_chain_is_added_in_the_order_of_ids() {
        let change = read(
            r#"id = 100
               name = "Gnosis Chain"
               native = { name = "xDAI", symbol = "XDAI" }
               explorer = { name = "Gnosisscan", url = "https://gnosisscan.io" }"#,
        );
        let chains = apply(bundled(), &[change]).unwrap();
        assert!(chains.is_sorted_by_key(|chain| chain.id));
        let added = chains.iter().find(|chain| chain.id.get() == 100).unwrap();
        assert_eq!((added.slug.as_str(), added.native.decimals), ("gnosis-chain", 18));
        let finality = added.policy.evm.unwrap().finality;
        let finalized = FinalityRule::Tag { tag: FinalityTag::Finalized, fallback_depth: None };
        assert_eq!(finality.small_deposits, finalized, "an unlisted chain reports finality itself");
        assert_eq!((finality.attestations, finality.large_amounts), (finalized, finalized));
    }

    #[test]
    fn invalid_overrides_are_rejected_with_reason() {
        let cases = [
            ("id = 0", "an id is a number between 1 and 2^53 - 1"),
            ("id = 100", "a new chain needs `name`"),
            ("id = 1\nnative = { name = \"A\", symbol = \"A\" }", "cannot be changed"),
            ("id = 1\ncolor = \"blue\"", "write it like #627eea"),
            ("id = 1\nrpc = [\"ftp://x\"]", "has to be an http or https address"),
            ("id = 1\nrpc = [\"https://me:pw@x.org\"]", "must not carry a user name or password"),
            ("id = 1\ndeposit_methods = [\"CARRIER_PIGEON\"]", "is not a deposit method"),
        ];
        for (text, words) in cases {
            let error = apply(bundled(), &[read(text)]).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
        let twice = apply(bundled(), &[read("id = 1"), read("id = 1")]).unwrap_err();
        assert!(twice.to_string().contains("configured twice"));
    }

    #[test]
    fn overrides_round_trip_through_toml() {
        let change =
            read("id = 100\nname = \"G\"\nnative = { name = \"X\", symbol = \"X\" }\nicon = \"a.svg\"");
        assert_eq!(read(&toml::to_string(&change).unwrap()), change);
    }

    #[test]
    fn unknown_keys_are_rejected() {
        assert!(toml::from_str::<ChainOverride>("id = 1\nexplorers = 3").is_err());
    }
}
