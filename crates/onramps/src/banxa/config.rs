use serde::{Deserialize, Serialize};

use crate::secret::SecretText;

/// Banxa's environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BanxaEnvironment {
    #[default]
    Sandbox,
    Production,
}

/// Configuration of Banxa's hosted checkout.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BanxaConfig {
    /// The partner name given by Banxa; part of every path.
    pub partner: String,
    pub api_key: SecretText,
    /// Where a payer is redirected at the end; Banxa requires it.
    pub redirect_url: String,
    #[serde(default, rename = "world")]
    pub environment: BanxaEnvironment,
    /// The secret that signs webhooks; without it they are rejected.
    #[serde(default)]
    pub webhook_secret: Option<SecretText>,
    /// The key that webhooks name, if it differs from `api_key`.
    #[serde(default)]
    pub webhook_key: Option<SecretText>,
    /// The path that webhooks are sent to, as Banxa knows it: it is part of the signature.
    #[serde(default = "webhook_path")]
    pub webhook_path: String,
    /// Overrides Banxa's own URL.
    #[serde(default)]
    pub api_url: Option<String>,
    /// The web origins of its checkout.
    #[serde(default)]
    pub checkout_origins: Option<Vec<String>>,
}

impl BanxaConfig {
    /// The default configuration with these values.
    pub fn new(partner: impl Into<String>, api_key: SecretText, redirect_url: impl Into<String>) -> Self {
        Self {
            partner: partner.into(),
            api_key,
            redirect_url: redirect_url.into(),
            environment: BanxaEnvironment::default(),
            webhook_secret: None,
            webhook_key: None,
            webhook_path: webhook_path(),
            api_url: None,
            checkout_origins: None,
        }
    }

    pub(super) fn api(&self) -> String {
        let default_url = match self.environment {
            BanxaEnvironment::Sandbox => "https://api.banxa-sandbox.com",
            BanxaEnvironment::Production => "https://api.banxa.com",
        };
        self.api_url.as_deref().unwrap_or(default_url).trim_end_matches('/').to_owned()
    }

    /// The origins of its checkout: Banxa's, and the partner's subdomain.
    pub(super) fn origins(&self) -> Vec<String> {
        let host = match self.environment {
            BanxaEnvironment::Sandbox => "banxa-sandbox.com",
            BanxaEnvironment::Production => "banxa.com",
        };
        self.checkout_origins.clone().unwrap_or_else(|| {
            vec![format!("https://checkout.{host}"), format!("https://{}.{host}", self.partner)]
        })
    }
}

fn webhook_path() -> String {
    "/v1/fiat/webhook/banxa".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_environment_has_its_urls_and_unknown_fields_are_rejected() {
        let read = |text: &str| serde_json::from_str::<BanxaConfig>(text);
        let json = r#"{"partner":"acme","api_key":"hush","redirect_url":"https://acme.example/done"}"#;
        let config = read(json).unwrap();
        assert_eq!(config.api(), "https://api.banxa-sandbox.com");
        assert!(!format!("{config:?}").contains("hush"));
        let live = read(&json.replace("\"partner\"", "\"world\":\"production\",\"partner\"")).unwrap();
        assert_eq!(live.origins(), ["https://checkout.banxa.com", "https://acme.banxa.com"]);
        assert!(read(&json.replace("redirect_url", "redirect")).is_err());
    }
}
