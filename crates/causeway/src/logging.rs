use std::io::IsTerminal as _;

use tracing_subscriber::fmt;

use crate::config::{LogConfig, LogFormat};

/// Starts the log on standard error: for people on a terminal, one JSON object per line otherwise.
pub(crate) fn start(config: &LogConfig) -> anyhow::Result<()> {
    let filter = config.env_filter()?;
    let human = match config.format {
        LogFormat::Auto => std::io::stderr().is_terminal(),
        LogFormat::Human => true,
        LogFormat::Json => false,
    };
    let builder = fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = if human {
        builder.with_target(false).compact().try_init()
    } else {
        builder.json().flatten_event(true).try_init()
    };
    started.map_err(|error| anyhow::anyhow!("the log could not be started: {error}"))
}
