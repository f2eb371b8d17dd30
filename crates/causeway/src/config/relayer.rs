use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Who pays the gas of what the service sends for others: opens with a signature, sweeps, refunds. In production only.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RelayerConfig {
    /// The key on EVM chains; without a file it comes from the environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key_file: Option<PathBuf>,
    /// The key on Solana.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solana_key_file: Option<PathBuf>,
}
