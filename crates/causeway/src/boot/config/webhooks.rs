use std::collections::HashSet;

use anyhow::Context as _;
use causeway_domain::ports::{EndpointName, Subscription, WebhookSecret};
use causeway_engine::ConfiguredEndpoint;
use serde::{Deserialize, Serialize};

use super::faults::{Faults, demand};
use super::secret::Secret;
use super::web_address::WebAddress;

/// A webhook endpoint.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookConfig {
    pub(crate) name: String,
    pub(crate) url: WebAddress,
    /// Signs deliveries; shared with the receiver.
    pub(crate) secret: Secret,
    /// Signs in addition to `secret` during a rotation.
    #[serde(default)]
    pub(crate) old_secret: Option<Secret>,
    /// Only orders whose quotes this integrator asked for, and its purchases.
    #[serde(default)]
    pub(crate) integrator: Option<String>,
    /// `orders`, `purchases` or `all`.
    #[serde(default = "orders")]
    pub(crate) about: String,
    /// Allows a private network and plain http.
    #[serde(default)]
    pub(crate) private: bool,
}

fn orders() -> String {
    Subscription::default().as_str().to_owned()
}

impl WebhookConfig {
    pub(crate) fn wanted(&self) -> anyhow::Result<ConfiguredEndpoint> {
        let secrets = std::iter::once(&self.secret).chain(&self.old_secret);
        let secret = |secret: &Secret| secret.reveal().parse::<WebhookSecret>();
        Ok(ConfiguredEndpoint {
            name: self.name.parse::<EndpointName>()?,
            url: self.url.expose().to_owned(),
            secrets: secrets.map(secret).collect::<Result<_, _>>()?,
            integrator: self.integrator.clone(),
            about: self.about.parse::<Subscription>()?,
        })
    }
}

pub(super) fn check(webhooks: &[WebhookConfig]) -> anyhow::Result<()> {
    let mut faults = Faults::default();
    let mut names = HashSet::new();
    for webhook in webhooks {
        faults.check(webhook.wanted().with_context(|| format!("webhooks: `{}`", webhook.name)));
        demand!(
            faults,
            names.insert(&webhook.name),
            "webhooks: there are two of the name `{}`",
            webhook.name
        );
    }
    faults.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boot::config::{Config, read};

    fn parse(text: &str) -> anyhow::Result<Config> {
        let config: Config = read::parse(text)?;
        check(&config.webhooks)?;
        Ok(config)
    }

    const SHOP: &str = "[[webhooks]]\nname = \"shop\"\nurl = \"https://shop.example/hook\"\n\
                        secret = \"a secret-less-secret\"\n";

    #[test]
    fn webhook_needs_a_valid_unique_name_and_a_valid_secret() {
        let shop = SHOP.replace("a secret", "a-secret");
        let config = parse(&shop).unwrap();
        assert_eq!(config.webhooks[0].wanted().unwrap().name.as_str(), "shop");
        assert!(!config.to_toml().unwrap().contains("secret-less"));
        assert!(format!("{:#}", parse(SHOP).unwrap_err()).contains("without spaces"));
        assert_eq!(config.webhooks[0].wanted().unwrap().about, Subscription::Orders);
        let all = parse(&format!("{shop}about = \"all\"\n")).unwrap();
        assert_eq!(all.webhooks[0].wanted().unwrap().about, Subscription::All);
        let wrong = parse(&format!("{shop}about = \"swaps\"\n")).unwrap_err();
        assert!(format!("{wrong:#}").contains("`orders`, `purchases` or `all`"), "{wrong:#}");
        assert!(parse(&shop.replace("\"shop\"", "\"Shop\"")).is_err());
        assert!(parse(&format!("{shop}{shop}")).unwrap_err().to_string().contains("two of the name"));
    }
}
