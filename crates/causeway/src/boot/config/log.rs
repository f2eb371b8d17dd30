use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use tracing_subscriber::filter::Targets;

/// Log filter and format.
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
        self.targets().map(drop)
    }

    pub(crate) fn targets(&self) -> anyhow::Result<Targets> {
        let words =
            || format!("log.filter `{}` is not a filter such as `info` or `causeway=debug`", self.filter);
        self.filter.parse::<Targets>().with_context(words)
    }
}
