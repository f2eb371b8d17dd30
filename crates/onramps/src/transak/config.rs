use serde::{Deserialize, Serialize};

use crate::secret::SecretText;

/// Transak's environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TransakEnvironment {
    #[default]
    Staging,
    Production,
}

/// Configuration of Transak, from its dashboard under Developers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TransakConfig {
    /// The key that identifies the partner; it is visible in URLs that payers see.
    pub api_key: String,
    /// Fetches access tokens, which also sign webhooks.
    pub api_secret: SecretText,
    /// The domain that shows the checkout, as registered with Transak.
    pub referrer_domain: String,
    #[serde(default, rename = "world")]
    pub environment: TransakEnvironment,
    /// Overrides Transak's own URLs, for a stand-in.
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
        let override_url = self.gateway_url.as_deref();
        self.address(override_url, "https://api-gateway-stg.transak.com", "https://api-gateway.transak.com")
    }

    /// The origin of its checkout.
    pub(super) fn widget(&self) -> String {
        let override_url = self.widget_url.as_deref();
        self.address(override_url, "https://global-stg.transak.com", "https://global.transak.com")
    }

    fn address(&self, override_url: Option<&str>, staging: &str, production: &str) -> String {
        let default_url = match self.environment {
            TransakEnvironment::Staging => staging,
            TransakEnvironment::Production => production,
        };
        override_url.unwrap_or(default_url).trim_end_matches('/').to_owned()
    }
}
