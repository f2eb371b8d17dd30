use causeway_domain::ChainId;
use causeway_fillers::providers::ProviderKey;
use causeway_fillers::providers::jupiter::JupiterConfig;
use causeway_fillers::providers::lifi::LifiConfig;
use causeway_fillers::providers::oneclick::{OneClickConfig, SOURCES};
use causeway_fillers::providers::relay::RelayConfig;
use causeway_fillers::providers::zerox::ZeroxConfig;
use serde::{Deserialize, Serialize};

/// Liquidity providers, which settle swaps themselves; one without a section is disabled.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LiquidityConfig {
    /// Whether two routes are joined through a stablecoin where nobody offers one: a provider's, and one of ours.
    pub(crate) join: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lifi: Option<LifiConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) relay: Option<RelayConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) oneclick: Option<OneClickConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) zerox: Option<ZeroxConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) jupiter: Option<JupiterConfig>,
}

impl Default for LiquidityConfig {
    fn default() -> Self {
        Self { join: true, lifi: None, relay: None, oneclick: None, zerox: None, jupiter: None }
    }
}

impl LiquidityConfig {
    /// The chains that swaps only begin on, which the configured providers take transfers on.
    pub(crate) fn sources(&self) -> Vec<ChainId> {
        if self.oneclick.is_some() { SOURCES.to_vec() } else { Vec::new() }
    }

    /// How many providers are configured.
    pub(crate) fn count(&self) -> usize {
        let Self { join: _, lifi, relay, oneclick, zerox, jupiter } = self;
        [lifi.is_some(), relay.is_some(), oneclick.is_some(), zerox.is_some(), jupiter.is_some()]
            .into_iter()
            .filter(|is_configured| *is_configured)
            .count()
    }

    /// Keys from the environment replace those of the file.
    pub(super) fn read_environment(&mut self) {
        if let (Some(lifi), Ok(key)) = (&mut self.lifi, std::env::var("CAUSEWAY_LIFI_KEY")) {
            lifi.api_key = Some(ProviderKey::new(key));
        }
        if let (Some(relay), Ok(key)) = (&mut self.relay, std::env::var("CAUSEWAY_RELAY_KEY")) {
            relay.api_key = Some(ProviderKey::new(key));
        }
        if let (Some(oneclick), Ok(key)) = (&mut self.oneclick, std::env::var("CAUSEWAY_ONECLICK_KEY")) {
            oneclick.api_key = Some(ProviderKey::new(key));
        }
        if let (Some(zerox), Ok(key)) = (&mut self.zerox, std::env::var("CAUSEWAY_ZEROX_KEY")) {
            zerox.api_key = Some(ProviderKey::new(key));
        }
        if let (Some(jupiter), Ok(key)) = (&mut self.jupiter, std::env::var("CAUSEWAY_JUPITER_KEY")) {
            jupiter.api_key = Some(ProviderKey::new(key));
        }
    }
}
