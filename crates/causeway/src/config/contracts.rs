use alloy_primitives::Address;
use anyhow::ensure;
use serde::{Deserialize, Serialize};

/// Who attests, and what the hub's vaults are over. In the sandbox all of it has values of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ContractsConfig {
    /// Addresses of the attesters' keys in the first epoch, the same on every chain.
    pub(crate) attesters: Vec<Address>,
    /// How many of them it takes: more than half.
    pub(crate) threshold: usize,
    /// Tokens of the hub chain that get a vault; each must be in the catalog.
    pub(crate) vault_assets: Vec<Address>,
}

impl ContractsConfig {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let (threshold, count) = (self.threshold, self.attesters.len());
        ensure!(
            count == 0 || (threshold <= count && threshold * 2 > count),
            "contracts.threshold is {threshold} of {count} attesters: it must be more than half of them and at most all"
        );
        Ok(())
    }
}
