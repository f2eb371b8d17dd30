use std::collections::HashSet;

use anyhow::{Context as _, ensure};
use causeway_domain::ports::{EndpointName, WebhookSecret};
use causeway_engine::WantedEndpoint;
use serde::{Deserialize, Serialize};

use super::secret::Secret;
use super::web_address::WebAddress;

/// An address that is told what happens to orders.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookConfig {
    pub(crate) name: String,
    pub(crate) url: WebAddress,
    /// What we sign with; the receiver knows it too.
    pub(crate) secret: Secret,
    /// Signs beside `secret`, while a receiver changes over.
    #[serde(default)]
    pub(crate) old_secret: Option<Secret>,
    /// Only orders whose quotes this integrator asked for.
    #[serde(default)]
    pub(crate) integrator: Option<String>,
    /// The address may lie in a network of our own, and need no https.
    #[serde(default)]
    pub(crate) private: bool,
}

impl WebhookConfig {
    pub(crate) fn wanted(&self) -> anyhow::Result<WantedEndpoint> {
        let secrets = std::iter::once(&self.secret).chain(&self.old_secret);
        let secret = |secret: &Secret| secret.reveal().parse::<WebhookSecret>();
        Ok(WantedEndpoint {
            name: self.name.parse::<EndpointName>()?,
            url: self.url.expose().to_owned(),
            secrets: secrets.map(secret).collect::<Result<_, _>>()?,
            integrator: self.integrator.clone(),
        })
    }
}

pub(super) fn check(webhooks: &[WebhookConfig]) -> anyhow::Result<()> {
    let mut names = HashSet::new();
    for webhook in webhooks {
        webhook.wanted().with_context(|| format!("webhooks: `{}`", webhook.name))?;
        ensure!(names.insert(&webhook.name), "webhooks: there are two of the name `{}`", webhook.name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, read};

    fn parse(text: &str) -> anyhow::Result<Config> {
        let config: Config = read::parse(text)?;
        check(&config.webhooks)?;
        Ok(config)
    }

    const SHOP: &str = "[[webhooks]]\nname = \"shop\"\nurl = \"https://shop.example/hook\"\n\
                        secret = \"a secret-less-secret\"\n";

    #[test]
    fn an_endpoint_needs_a_sound_name_and_secret_and_a_name_of_its_own() {
        let shop = SHOP.replace("a secret", "a-secret");
        let config = parse(&shop).unwrap();
        assert_eq!(config.webhooks[0].wanted().unwrap().name.as_str(), "shop");
        assert!(!config.to_toml().unwrap().contains("secret-less"));
        assert!(format!("{:#}", parse(SHOP).unwrap_err()).contains("without spaces"));
        assert!(parse(&shop.replace("\"shop\"", "\"Shop\"")).is_err());
        assert!(parse(&format!("{shop}{shop}")).unwrap_err().to_string().contains("two of the name"));
    }
}
