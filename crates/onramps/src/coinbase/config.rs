use serde::{Deserialize, Serialize};

use crate::secret::SecretText;

/// Configuration of Coinbase Onramp.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CoinbaseConfig {
    /// The id of a secret API key of the Coinbase Developer Platform.
    pub api_key_id: String,
    /// Its secret: base64 of an Ed25519 key, or an EC key in PEM.
    pub api_key_secret: SecretText,
    /// The secret of the webhook subscription; without it webhooks are rejected.
    #[serde(default)]
    pub webhook_secret: Option<SecretText>,
    /// Marks every purchase as a sandbox one, which moves no money.
    #[serde(default)]
    pub sandbox: bool,
    /// Where payers are expected, `DE` or `US-CA`: their offerings are shown, and an ask without a country is quoted for the
    /// first.
    #[serde(default = "places")]
    pub places: Vec<String>,
    /// Where a payer is redirected at the end; must be on the allow list of the key's project.
    #[serde(default)]
    pub redirect_url: Option<String>,
    /// The API that opens sessions.
    #[serde(default = "api_url")]
    pub api_url: String,
    /// The API of prices and transactions.
    #[serde(default = "onramp_url")]
    pub onramp_url: String,
    /// The web origin of its checkout.
    #[serde(default = "checkout_origin")]
    pub checkout_origin: String,
}

impl CoinbaseConfig {
    /// The default configuration with this key.
    pub fn new(api_key_id: impl Into<String>, api_key_secret: SecretText) -> Self {
        Self {
            api_key_id: api_key_id.into(),
            api_key_secret,
            webhook_secret: None,
            sandbox: false,
            places: places(),
            redirect_url: None,
            api_url: api_url(),
            onramp_url: onramp_url(),
            checkout_origin: checkout_origin(),
        }
    }
}

fn places() -> Vec<String> {
    vec!["US-CA".to_owned()]
}

fn api_url() -> String {
    "https://api.cdp.coinbase.com".to_owned()
}

fn onramp_url() -> String {
    "https://api.developer.coinbase.com".to_owned()
}

fn checkout_origin() -> String {
    "https://pay.coinbase.com".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_alone_is_enough_and_unknown_fields_are_rejected() {
        let read = |text: &str| serde_json::from_str::<CoinbaseConfig>(text);
        let config = read(r#"{"api_key_id":"k","api_key_secret":"hush"}"#).unwrap();
        assert_eq!(config.onramp_url, "https://api.developer.coinbase.com");
        assert!(!format!("{config:?}").contains("hush"));
        let error = read(r#"{"api_key_id":"k","api_key_secret":"s","webhok_secret":"w"}"#).unwrap_err();
        assert!(error.to_string().contains("webhok_secret"), "{error}");
    }
}
