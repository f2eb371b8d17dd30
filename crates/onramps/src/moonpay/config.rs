use serde::{Deserialize, Serialize};

use crate::secret::SecretText;

/// What an operator enters for MoonPay: from its dashboard, under Developers. Keys that begin with `pk_test_` and `sk_test_` lead to
/// its sandbox.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MoonPayConfig {
    /// The key that names the partner; it stands in addresses that payers see.
    pub publishable_key: String,
    /// Signs the checkout's address.
    pub secret_key: SecretText,
    /// Signs webhooks; without it they are all refused.
    #[serde(default)]
    pub webhook_key: Option<SecretText>,
    /// In place of MoonPay's own addresses, for a stand-in.
    #[serde(default)]
    pub api_url: Option<String>,
    #[serde(default)]
    pub widget_url: Option<String>,
}

impl MoonPayConfig {
    /// Whether nothing real is bought.
    pub fn is_sandbox(&self) -> bool {
        self.publishable_key.starts_with("pk_test_")
    }

    pub(super) fn api(&self) -> String {
        self.api_url.as_deref().unwrap_or("https://api.moonpay.com").trim_end_matches('/').to_owned()
    }

    /// From where its checkout speaks.
    pub(super) fn widget(&self) -> String {
        let usual =
            if self.is_sandbox() { "https://buy-sandbox.moonpay.com" } else { "https://buy.moonpay.com" };
        self.widget_url.as_deref().unwrap_or(usual).trim_end_matches('/').to_owned()
    }
}
