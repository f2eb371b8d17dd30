use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The account that pays gas for users: opens with a signature, sweeps, refunds. Production only.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RelayerConfig {
    /// The key on EVM chains; without a file it comes from the environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key_file: Option<PathBuf>,
    /// The key on Solana.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solana_key_file: Option<PathBuf>,
    /// The entry of `[[signers]]` with the key on EVM chains, instead of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signer: Option<String>,
    /// The same on Solana.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solana_signer: Option<String>,
}
