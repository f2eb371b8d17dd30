use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use tracing_subscriber::EnvFilter;

/// What is logged, and how it looks.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LogConfig {
    /// Such as `info`, or `warn,causeway=debug`.
    pub(crate) filter: String,
    pub(crate) format: LogFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// Human on a terminal, JSON otherwise.
    #[default]
    Auto,
    Human,
    Json,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self { filter: "info".to_owned(), format: LogFormat::default() }
    }
}

impl LogConfig {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        self.env_filter().map(drop)
    }

    pub(crate) fn env_filter(&self) -> anyhow::Result<EnvFilter> {
        let words =
            || format!("log.filter `{}` is not a filter such as `info` or `causeway=debug`", self.filter);
        EnvFilter::try_new(&self.filter).with_context(words)
    }
}
