use std::io::IsTerminal as _;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::boot::config::{LogConfig, LogFormat};

/// Starts the log on standard error: for people on a terminal, one JSON object per line otherwise.
pub(crate) fn start(config: &LogConfig) -> anyhow::Result<()> {
    let filter = config.targets()?;
    let human = match config.format {
        LogFormat::Auto => std::io::stderr().is_terminal(),
        LogFormat::Human => true,
        LogFormat::Json => false,
    };
    let builder = fmt().with_max_level(LevelFilter::TRACE).with_writer(std::io::stderr);
    let started = if human {
        builder.with_target(false).compact().finish().with(filter).try_init()
    } else {
        builder.json().flatten_event(true).finish().with(filter).try_init()
    };
    started.map_err(|error| anyhow::anyhow!("the log could not be started: {error}"))
}
