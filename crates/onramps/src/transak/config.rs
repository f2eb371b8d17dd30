use serde::{Deserialize, Serialize};

use crate::secret::SecretText;

/// Which of Transak's two worlds is spoken to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TransakWorld {
    #[default]
    Staging,
    Production,
}

/// What an operator enters for Transak: from its dashboard, under Developers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TransakConfig {
    /// The key that names the partner; it stands in addresses that payers see.
    pub api_key: String,
    /// With it access tokens are fetched, which also sign webhooks.
    pub api_secret: SecretText,
    /// The domain that shows the checkout, as it is registered with Transak.
    pub referrer_domain: String,
    #[serde(default)]
    pub world: TransakWorld,
    /// In place of Transak's own addresses, for a stand-in.
    #[serde(default)]
    pub api_url: Option<String>,
    #[serde(default)]
    pub gateway_url: Option<String>,
    #[serde(default)]
    pub widget_url: Option<String>,
}

impl TransakConfig {
    pub(super) fn api(&self) -> String {
        self.address(self.api_url.as_deref(), "https://api-stg.transak.com", "https://api.transak.com")
    }

    pub(super) fn gateway(&self) -> String {
        let own = self.gateway_url.as_deref();
        self.address(own, "https://api-gateway-stg.transak.com", "https://api-gateway.transak.com")
    }

    /// From where its checkout speaks.
    pub(super) fn widget(&self) -> String {
        let own = self.widget_url.as_deref();
        self.address(own, "https://global-stg.transak.com", "https://global.transak.com")
    }

    fn address(&self, own: Option<&str>, staging: &str, production: &str) -> String {
        let usual = match self.world {
            TransakWorld::Staging => staging,
            TransakWorld::Production => production,
        };
        own.unwrap_or(usual).trim_end_matches('/').to_owned()
    }
}
