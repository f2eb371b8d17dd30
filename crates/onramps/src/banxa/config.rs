use serde::{Deserialize, Serialize};

use crate::secret::SecretText;

/// Which of Banxa's two worlds is spoken to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BanxaWorld {
    #[default]
    Sandbox,
    Production,
}

/// What an operator enters to sell with Banxa's hosted checkout.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BanxaConfig {
    /// The name that Banxa gave the partner: it stands in every path.
    pub partner: String,
    pub api_key: SecretText,
    /// Where a payer is sent when done; Banxa takes no order without it.
    pub redirect_url: String,
    #[serde(default)]
    pub world: BanxaWorld,
    /// The secret that signs webhooks; without it they are refused.
    #[serde(default)]
    pub webhook_secret: Option<SecretText>,
    /// The key that webhooks name, where it is another than `api_key`.
    #[serde(default)]
    pub webhook_key: Option<SecretText>,
    /// The path that webhooks are sent to, as Banxa knows it: it is signed along.
    #[serde(default = "webhook_path")]
    pub webhook_path: String,
    /// In place of Banxa's own addresses.
    #[serde(default)]
    pub api_url: Option<String>,
    /// The web origins of its checkout.
    #[serde(default)]
    pub checkout_origins: Option<Vec<String>>,
}

impl BanxaConfig {
    /// A configuration with everything else left as it is usually.
    pub fn new(partner: impl Into<String>, api_key: SecretText, redirect_url: impl Into<String>) -> Self {
        Self {
            partner: partner.into(),
            api_key,
            redirect_url: redirect_url.into(),
            world: BanxaWorld::default(),
            webhook_secret: None,
            webhook_key: None,
            webhook_path: webhook_path(),
            api_url: None,
            checkout_origins: None,
        }
    }

    pub(super) fn api(&self) -> String {
        let usual = match self.world {
            BanxaWorld::Sandbox => "https://api.banxa-sandbox.com",
            BanxaWorld::Production => "https://api.banxa.com",
        };
        self.api_url.as_deref().unwrap_or(usual).trim_end_matches('/').to_owned()
    }

    /// From where its checkout speaks: its own name, or the partner's.
    pub(super) fn origins(&self) -> Vec<String> {
        let host = match self.world {
            BanxaWorld::Sandbox => "banxa-sandbox.com",
            BanxaWorld::Production => "banxa.com",
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
    fn both_worlds_have_their_addresses_and_a_wrong_name_is_refused() {
        let read = |text: &str| serde_json::from_str::<BanxaConfig>(text);
        let plain = r#"{"partner":"acme","api_key":"hush","redirect_url":"https://acme.example/done"}"#;
        let config = read(plain).unwrap();
        assert_eq!(config.api(), "https://api.banxa-sandbox.com");
        assert!(!format!("{config:?}").contains("hush"));
        let live = read(&plain.replace("\"partner\"", "\"world\":\"production\",\"partner\"")).unwrap();
        assert_eq!(live.origins(), ["https://checkout.banxa.com", "https://acme.banxa.com"]);
        assert!(read(&plain.replace("redirect_url", "redirect")).is_err());
    }
}
