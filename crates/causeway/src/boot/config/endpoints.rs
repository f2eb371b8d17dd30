use std::collections::BTreeSet;

use causeway_domain::ChainId;
use serde::{Deserialize, Serialize};

use super::attester::RpcAddress;
use super::faults::{Faults, demand};

/// RPC endpoints of a chain that the service uses instead of the public ones and never publishes.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndpointsConfig {
    pub(crate) chain: u64,
    pub(crate) rpc: Vec<RpcAddress>,
    /// Whether these are the operator's own nodes, so that the word of one is enough before money leaves.
    #[serde(default)]
    pub(crate) trusted: bool,
}

/// Rejects invalid settings at the start.
pub(super) fn check(endpoints: &[EndpointsConfig]) -> anyhow::Result<()> {
    let mut faults = Faults::default();
    let mut named = BTreeSet::new();
    for EndpointsConfig { chain, rpc, .. } in endpoints {
        demand!(faults, ChainId::new(*chain).is_some(), "endpoints: {chain} is not a chain id");
        demand!(faults, named.insert(*chain), "endpoints names chain {chain} twice");
        demand!(faults, !rpc.is_empty(), "endpoints: chain {chain} needs at least one RPC address");
    }
    faults.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boot::config::{Config, read};

    #[test]
    fn endpoints_are_validated_and_their_keys_redacted() {
        let text = "[[endpoints]]\nchain = 8453\nrpc = [\"https://base.one.example/v2/hunter2hunter2\"]\n";
        let config: Config = read::parse(text).unwrap();
        assert!(!config.endpoints[0].trusted, "endpoints are not trusted by default");
        let own: Config = read::parse(&format!("{text}trusted = true\n")).unwrap();
        assert!(own.endpoints[0].trusted);
        check(&config.endpoints).unwrap();
        for shown in [config.to_toml().unwrap(), format!("{config:?}")] {
            assert!(shown.contains("base.one.example") && !shown.contains("hunter2"), "{shown}");
        }
        for (bad, words) in [
            (format!("{text}{text}"), "twice"),
            ("[[endpoints]]\nchain = 1\nrpc = []\n".to_owned(), "at least one"),
            ("[[endpoints]]\nchain = 0\nrpc = [\"https://a.example\"]\n".to_owned(), "not a chain id"),
        ] {
            let config: Config = read::parse(&bad).unwrap();
            assert!(check(&config.endpoints).unwrap_err().to_string().contains(words), "{bad}");
        }
    }
}
