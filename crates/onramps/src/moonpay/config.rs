use serde::{Deserialize, Serialize};

use crate::secret::SecretText;

/// Configuration of MoonPay, from its dashboard under Developers. Keys that start with `pk_test_` and `sk_test_` select
/// its sandbox.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MoonPayConfig {
    /// The key that identifies the partner; it is visible in URLs that payers see.
    pub publishable_key: String,
    /// Signs the checkout URL.
    pub secret_key: SecretText,
    /// Signs webhooks; without it they are all rejected.
    #[serde(default)]
    pub webhook_key: Option<SecretText>,
    /// Overrides MoonPay's own URLs, for a stand-in.
    #[serde(default)]
    pub api_url: Option<String>,
    #[serde(default)]
    pub widget_url: Option<String>,
}

impl MoonPayConfig {
    /// Whether both keys are for the sandbox.
    pub fn is_sandbox(&self) -> bool {
        self.publishable_key.starts_with("pk_test_") && self.secret_key.reveal().starts_with("sk_test_")
    }

    pub(super) fn api(&self) -> String {
        self.api_url.as_deref().unwrap_or("https://api.moonpay.com").trim_end_matches('/').to_owned()
    }

    /// The origin of its checkout.
    pub(super) fn widget(&self) -> String {
        let default_url =
            if self.is_sandbox() { "https://buy-sandbox.moonpay.com" } else { "https://buy.moonpay.com" };
        self.widget_url.as_deref().unwrap_or(default_url).trim_end_matches('/').to_owned()
    }
}
