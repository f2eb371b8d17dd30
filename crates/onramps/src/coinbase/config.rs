use serde::{Deserialize, Serialize};

use crate::secret::SecretText;

/// What an operator enters to sell with Coinbase Onramp.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CoinbaseConfig {
    /// The id of a secret API key of the Coinbase Developer Platform.
    pub api_key_id: String,
    /// Its secret: base64 of an Ed25519 key, or an EC key in PEM.
    pub api_key_secret: SecretText,
    /// The secret of the webhook subscription; without it webhooks are refused.
    #[serde(default)]
    pub webhook_secret: Option<SecretText>,
    /// Marks every purchase as a play one, which moves no money.
    #[serde(default)]
    pub sandbox: bool,
    /// Where payers are expected, `DE` or `US-CA`: what Coinbase offers there is shown, and who names no country is quoted as in the
    /// first.
    #[serde(default = "places")]
    pub places: Vec<String>,
    /// Where a payer is sent when done; must be on the list that Coinbase keeps for the key's project.
    #[serde(default)]
    pub redirect_url: Option<String>,
    /// Where sessions are opened.
    #[serde(default = "api_url")]
    pub api_url: String,
    /// Where prices and transactions are asked for.
    #[serde(default = "onramp_url")]
    pub onramp_url: String,
    /// The web origin of its checkout.
    #[serde(default = "checkout_origin")]
    pub checkout_origin: String,
}

impl CoinbaseConfig {
    /// A configuration with everything but the key left as it is usually.
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
    fn a_key_is_enough_and_a_wrong_name_is_refused() {
        let read = |text: &str| serde_json::from_str::<CoinbaseConfig>(text);
        let config = read(r#"{"api_key_id":"k","api_key_secret":"hush"}"#).unwrap();
        assert_eq!(config.onramp_url, "https://api.developer.coinbase.com");
        assert!(!format!("{config:?}").contains("hush"));
        let error = read(r#"{"api_key_id":"k","api_key_secret":"s","webhok_secret":"w"}"#).unwrap_err();
        assert!(error.to_string().contains("webhok_secret"), "{error}");
    }
}
