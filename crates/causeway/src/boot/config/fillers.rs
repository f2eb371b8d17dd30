use std::time::Duration;

use anyhow::{Context as _, ensure};
use causeway_domain::ports::{FillerProtocol, FillerRecord};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::faults::Faults;
use super::secret::Secret;
use super::web_address::WebAddress;

/// A remote filler.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FillerConfig {
    pub(crate) name: String,
    /// `remote` (our two calls) or `oif` (the Open Intents Framework's interface).
    pub(crate) kind: String,
    pub(crate) url: WebAddress,
    /// Signs the calls to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) secret: Option<Secret>,
    /// Its own deadline, instead of the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deadline_ms: Option<u64>,
}

impl FillerConfig {
    pub(crate) fn record(&self) -> anyhow::Result<FillerRecord> {
        let record = FillerRecord {
            name: self.name.clone(),
            protocol: self
                .kind
                .parse::<FillerProtocol>()
                .with_context(|| format!("fillers: {}", self.name))?,
            url: self.url.expose().to_owned(),
            secret: self.secret.as_ref().map(|secret| secret.reveal().to_owned()),
            deadline: self.deadline_ms.map(Duration::from_millis),
            added_at: Timestamp::UNIX_EPOCH,
            removed_at: None,
        };
        ensure!(
            record.has_valid_name(),
            "fillers: a name is 1 to 62 letters, digits, `-`, `_` or `.`, unlike {:?}",
            self.name
        );
        ensure!(self.deadline_ms != Some(0), "fillers: {}: deadline_ms must be at least 1", self.name);
        Ok(record)
    }
}

/// Rejects invalid settings at the start.
pub(super) fn check(fillers: &[FillerConfig]) -> anyhow::Result<()> {
    let mut faults = Faults::default();
    for filler in fillers {
        faults.check(filler.record());
    }
    faults.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filler(kind: &str, name: &str) -> FillerConfig {
        let (name, kind, url) = (name.to_owned(), kind.to_owned(), WebAddress::new("https://far.example"));
        FillerConfig { name, kind, url, secret: Some(Secret::new("hush".to_owned())), deadline_ms: None }
    }

    #[test]
    fn invalid_filler_is_rejected() {
        assert!(check(&[filler("remote", "far"), filler("oif", "wide")]).is_ok());
        for bad in [filler("http", "far"), filler("remote", "far away"), filler("remote", "")] {
            assert!(check(&[bad]).is_err());
        }
    }

    #[test]
    fn filler_secret_is_redacted() {
        let filler = filler("remote", "far");
        assert!(!format!("{filler:?}").contains("hush"));
        assert!(!toml::to_string(&filler).unwrap().contains("hush"));
    }
}
