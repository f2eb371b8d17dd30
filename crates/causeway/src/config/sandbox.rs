use std::net::SocketAddr;

use anyhow::ensure;
use serde::{Deserialize, Serialize};

/// The play chains; they exist in sandbox mode only.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SandboxConfig {
    /// Whether chains run at all.
    pub(crate) enabled: bool,
    /// The address of a `causeway sandbox`; without it the chains run inside the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rpc: Option<String>,
    /// How many nodes of each chain the service asks; they show the same chain, but each can be given faults of its own.
    pub(crate) nodes: u8,
    /// Begin the chains anew at every start.
    pub(crate) fresh: bool,
    /// Where the play on-ramps answer, on a web origin of their own; by default the service's address with the next port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) onramps_listen: Option<SocketAddr>,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self { enabled: true, rpc: None, nodes: 1, fresh: false, onramps_listen: None }
    }
}

/// Where a service with its sandbox answers when nothing else was said.
const DEFAULT_SERVICE: &str = "http://127.0.0.1:8080";

impl SandboxConfig {
    /// Where a command beside the service finds the play chains; a chain's address is this and its id.
    pub(crate) fn rpc_address(&self) -> String {
        let base = self.rpc.as_deref().unwrap_or(DEFAULT_SERVICE).trim_end_matches('/');
        format!("{base}/sandbox/rpc")
    }

    /// Where the nodes answer, as [`crate::chains::Clients::connect`] takes it, when the first does at `first`.
    pub(crate) fn all_nodes(&self, first: &str) -> String {
        let others = (2..=self.nodes).map(|node| format!(",{first}/node/{node}"));
        std::iter::once(first.to_owned()).chain(others).collect()
    }

    pub(super) fn check(&self) -> anyhow::Result<()> {
        if let Some(url) = &self.rpc {
            let web = url.starts_with("http://") || url.starts_with("https://");
            ensure!(web, "sandbox.rpc must start with http:// or https://");
        }
        ensure!(self.nodes > 0, "sandbox.nodes must be at least 1");
        Ok(())
    }
}
