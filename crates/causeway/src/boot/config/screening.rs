use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::faults::{Faults, demand};
use super::secret::Secret;
use super::web_address::WebAddress;

/// Screening of orders.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ScreeningConfig {
    /// A file with one address per line, reloaded when it changes.
    pub(crate) deny_list: Option<PathBuf>,
    /// A service that is called before every order.
    pub(crate) hook_url: Option<WebAddress>,
    /// Signs the calls to it.
    pub(crate) hook_secret: Option<Secret>,
    /// How long it may take.
    pub(crate) hook_timeout_seconds: u64,
    /// Whether a transfer is taken whose sender the chain does not tell.
    pub(crate) accept_unknown_senders: bool,
}

impl Default for ScreeningConfig {
    fn default() -> Self {
        Self {
            deny_list: None,
            hook_url: None,
            hook_secret: None,
            hook_timeout_seconds: 3,
            accept_unknown_senders: false,
        }
    }
}

impl ScreeningConfig {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        demand!(
            faults,
            (1..=30).contains(&self.hook_timeout_seconds),
            "screening.hook_timeout_seconds must be between 1 and 30"
        );
        demand!(
            faults,
            self.hook_secret.is_none() || self.hook_url.is_some(),
            "screening.hook_secret is set, and screening.hook_url is not: name the hook, or drop the secret"
        );
        faults.end()
    }

    pub(crate) const fn hook_timeout(&self) -> Duration {
        Duration::from_secs(self.hook_timeout_seconds)
    }
}
