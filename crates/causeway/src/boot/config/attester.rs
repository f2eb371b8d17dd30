use std::collections::BTreeSet;
use std::path::PathBuf;

use alloy_primitives::Address;
use anyhow::Context as _;
use causeway_domain::{ChainId, RawAmount};
use causeway_evm::RpcUrl;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::checked_address;
use super::faults::{Faults, demand};

/// The settings of `causeway attester`; the service does not read them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AttesterConfig {
    /// A file with the private key; without one the key comes from the environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key_file: Option<PathBuf>,
    /// The entry of `[[signers]]` with the key, instead of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signer: Option<String>,
    /// How often each chain is polled.
    pub(crate) poll_milliseconds: u64,
    /// The attester's own endpoints; optional in the sandbox.
    pub(crate) chains: Vec<AttesterChain>,
}

/// The endpoints of one chain.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttesterChain {
    pub(crate) id: u64,
    /// Endpoints of different operators, which must agree.
    pub(crate) rpc: Vec<RpcAddress>,
    /// Amounts for which the chain's usual finality is enough; all others wait for the stronger one, where there is one.
    #[serde(default)]
    pub(crate) small: Vec<SmallConfig>,
}

/// A token and the amount of it, in base units, that still counts as small.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SmallConfig {
    /// The zero address is the chain's own coin.
    #[serde(deserialize_with = "checked_address::one")]
    pub(crate) token: Address,
    pub(crate) up_to: String,
}

impl SmallConfig {
    pub(crate) fn amount(&self) -> anyhow::Result<RawAmount> {
        self.up_to.parse().with_context(|| format!("`{}` is not an amount in base units", self.up_to))
    }
}

/// An RPC address that prints only its host.
#[derive(Clone, Debug)]
pub(crate) struct RpcAddress(pub(crate) RpcUrl);

impl<'de> Deserialize<'de> for RpcAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

impl Serialize for RpcAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl Default for AttesterConfig {
    fn default() -> Self {
        Self { key_file: None, signer: None, poll_milliseconds: 1_000, chains: Vec::new() }
    }
}

impl AttesterConfig {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        demand!(faults, self.poll_milliseconds >= 50, "attester.poll_milliseconds must be at least 50");
        let mut named = BTreeSet::new();
        for chain in &self.chains {
            let id = chain.id;
            demand!(faults, named.insert(id), "attester.chains names chain {id} twice");
            demand!(faults, ChainId::new(id).is_some(), "attester.chains: {id} is not a chain id");
            let hosts: BTreeSet<String> = chain.rpc.iter().map(|rpc| rpc.0.to_string()).collect();
            if hosts.is_empty() || hosts.len() < chain.rpc.len() {
                faults.add(format!(
                    "attester.chains: chain {id} needs RPC addresses, each at a host of its own"
                ));
            }
            for small in &chain.small {
                faults.check(small.amount().with_context(|| format!("attester.chains: chain {id}, small")));
            }
        }
        faults.end()
    }
}

#[cfg(test)]
mod tests {
    use crate::boot::config::Config;

    fn parse(text: &str) -> anyhow::Result<Config> {
        let config: Config = super::super::read::parse(&format!("mode = \"production\"\n{text}"))?;
        config.check()?;
        Ok(config)
    }

    #[test]
    fn endpoints_on_the_same_host_are_rejected() {
        let chain = |rpc: &str| parse(&format!("[[attester.chains]]\nid = 1\nrpc = {rpc}\n")).map(drop);
        assert!(chain(r#"["https://one.example/key", "https://two.example/key"]"#).is_ok());
        for same in [r#"["https://one.example/a", "https://one.example/b"]"#, "[]"] {
            let error = chain(same).unwrap_err().to_string();
            assert!(error.contains("host of its own"), "{error}");
        }
    }

    #[test]
    fn key_in_an_rpc_address_is_redacted() {
        let text = "[[attester.chains]]\nid = 1\nrpc = [\"https://one.example/v2/hunter2hunter2\"]\n";
        let config = parse(text).unwrap();
        for shown in [config.to_toml().unwrap(), format!("{config:?}")] {
            assert!(shown.contains("https://one.example") && !shown.contains("hunter2"), "{shown}");
        }
        let error = parse(&text.replace("https://", "wss://")).unwrap_err().to_string();
        assert!(error.contains("https://") && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn amounts_are_base_units() {
        let small = |up_to: &str| {
            let token = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
            let text = format!(
                "[[attester.chains]]\nid = 8453\nrpc = [\"https://one.example\"]\n\
                 small = [{{ token = \"{token}\", up_to = \"{up_to}\" }}]\n"
            );
            parse(&text)
        };
        assert!(small("10000000000").is_ok());
        assert!(small("1e10").is_err());
    }
}
