use causeway_fillers::providers::ProviderKey;
use causeway_fillers::providers::lifi::LifiConfig;
use serde::{Deserialize, Serialize};

/// Liquidity providers, which settle swaps through contracts of their own; one without a section is disabled.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LiquidityConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lifi: Option<LifiConfig>,
}

impl LiquidityConfig {
    /// Keys from the environment replace those of the file.
    pub(super) fn read_environment(&mut self) {
        if let (Some(lifi), Ok(key)) = (&mut self.lifi, std::env::var("CAUSEWAY_LIFI_KEY")) {
            lifi.api_key = Some(ProviderKey::new(key));
        }
    }
}
