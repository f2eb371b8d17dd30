use std::net::SocketAddr;

use causeway_sandbox::FeeModel;
use serde::{Deserialize, Serialize};

use super::faults::{Faults, demand};

/// The number of the node that only attesters read.
const ATTESTER_NODE: u8 = 250;

/// What transactions cost on the sandbox chains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SandboxFees {
    /// Near the fees of each real chain.
    #[default]
    Realistic,
    /// The same on every chain.
    Flat,
}

impl SandboxFees {
    pub(crate) const fn model(self) -> FeeModel {
        match self {
            Self::Realistic => FeeModel::Realistic,
            Self::Flat => FeeModel::Flat,
        }
    }
}

/// The sandbox chains; sandbox mode only.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SandboxConfig {
    /// Whether chains run at all.
    pub(crate) enabled: bool,
    /// The address of a `causeway sandbox`; without it the chains run inside the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rpc: Option<String>,
    /// How many nodes of each chain the service uses; all show the same chain, and each can have its own faults.
    pub(crate) nodes: u8,
    /// Reset the chains at every start.
    pub(crate) fresh: bool,
    /// What transactions cost.
    pub(crate) fees: SandboxFees,
    /// Whether prices move slightly, as they do elsewhere.
    pub(crate) drifting_prices: bool,
    /// The address of the sandbox on-ramps; by default the service's with the next port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) onramps_listen: Option<SocketAddr>,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            rpc: None,
            nodes: 1,
            fresh: false,
            fees: SandboxFees::Realistic,
            drifting_prices: true,
            onramps_listen: None,
        }
    }
}

/// The default address of a service with its sandbox.
const DEFAULT_SERVICE: &str = "http://127.0.0.1:8080";

impl SandboxConfig {
    /// The base address of the sandbox chains for other commands; a chain's id is appended.
    pub(crate) fn rpc_address(&self) -> String {
        let base = self.rpc.as_deref().unwrap_or(DEFAULT_SERVICE).trim_end_matches('/');
        format!("{base}/sandbox/rpc")
    }

    /// The addresses of all nodes, separated by commas, given that of the first.
    pub(crate) fn all_nodes(&self, first: &str) -> String {
        let others = (2..=self.nodes).map(|node| format!(",{first}/node/{node}"));
        std::iter::once(first.to_owned()).chain(others).collect()
    }

    /// The node that the attesters read through where several nodes stand for those of other operators, who may lie: attesters
    /// have endpoints of their own.
    pub(crate) fn attester_node(&self, first: &str) -> Option<String> {
        (self.nodes > 1).then(|| format!("{first}/node/{ATTESTER_NODE}"))
    }

    pub(super) fn check(&self) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        if let Some(url) = &self.rpc {
            let web = url.starts_with("http://") || url.starts_with("https://");
            demand!(faults, web, "sandbox.rpc must start with http:// or https://");
        }
        demand!(
            faults,
            (1..ATTESTER_NODE).contains(&self.nodes),
            "sandbox.nodes must be between 1 and {}",
            ATTESTER_NODE - 1
        );
        faults.end()
    }
}
