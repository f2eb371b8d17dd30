use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ListError;

/// A configured token list.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TokenListConfig {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    #[serde(default = "default_refresh_minutes")]
    pub refresh_minutes: u32,
}

fn default_refresh_minutes() -> u32 {
    60
}

/// Where a list comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Url(String),
    File(PathBuf),
}

impl TokenListConfig {
    pub(super) fn source(&self) -> Result<Source, ListError> {
        if self.name.is_empty() || self.name.chars().count() > 64 || self.name.chars().any(char::is_control) {
            return Err(ListError::Name);
        }
        match (&self.url, &self.file) {
            (Some(url), None) => {
                let parsed = reqwest::Url::parse(url).map_err(|_| ListError::Url)?;
                let web = matches!(parsed.scheme(), "http" | "https") && parsed.has_host();
                if web { Ok(Source::Url(url.clone())) } else { Err(ListError::Url) }
            }
            (None, Some(file)) => Ok(Source::File(file.clone())),
            _ => Err(ListError::Source),
        }
    }

    pub(super) fn interval(&self) -> Result<Duration, ListError> {
        match self.refresh_minutes {
            0 => Err(ListError::Interval),
            minutes => Ok(Duration::from_secs(60 * u64::from(minutes))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> TokenListConfig {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_list_comes_from_a_file_or_a_url() {
        let web = read("name = \"a\"\nurl = \"https://tokens.example.org/list.json\"");
        assert_eq!(web.source().unwrap(), Source::Url("https://tokens.example.org/list.json".into()));
        assert_eq!(web.interval().unwrap(), Duration::from_hours(1));
        let file = read("name = \"a\"\nfile = \"list.json\"\nrefresh_minutes = 5");
        assert_eq!(file.source().unwrap(), Source::File("list.json".into()));
    }

    #[test]
    fn invalid_settings_are_rejected() {
        assert!(matches!(read("name = \"a\"").source(), Err(ListError::Source)));
        assert!(matches!(read("name = \"\"\nfile = \"x\"").source(), Err(ListError::Name)));
        assert!(matches!(
            read("name = \"a\"\nfile = \"x\"\nurl = \"https://x.org\"").source(),
            Err(ListError::Source)
        ));
        for url in ["ftp://x.org/a", "file:///etc/passwd", "x.org", "ipfs://abc", "https://"] {
            assert!(
                matches!(read(&format!("name = \"a\"\nurl = \"{url}\"")).source(), Err(ListError::Url)),
                "{url}"
            );
        }
        assert!(read("name = \"a\"\nfile = \"x\"\nrefresh_minutes = 0").interval().is_err());
        assert!(toml::from_str::<TokenListConfig>("name = \"a\"\nuri = \"x\"").is_err());
    }
}
