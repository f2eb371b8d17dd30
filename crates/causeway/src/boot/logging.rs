use std::io::IsTerminal as _;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{fmt, registry};

use crate::boot::config::{LogConfig, LogFormat, TracesConfig};
use crate::boot::traces::{TARGET, TraceSettings, Traces, traceparent};

/// Starts the log on standard error: for people on a terminal, one JSON object per line otherwise.
pub(crate) fn start(config: &LogConfig) -> anyhow::Result<()> {
    let filter = config.targets()?;
    let human = is_for_people(config);
    let builder = fmt().with_max_level(LevelFilter::TRACE).with_writer(std::io::stderr);
    let started = if human {
        builder.with_target(false).compact().finish().with(filter).try_init()
    } else {
        builder.json().flatten_event(true).finish().with(filter).try_init()
    };
    started.map_err(|error| anyhow::anyhow!("the log could not be started: {error}"))
}

/// The same, and sends traces where a collector is configured; within a runtime.
pub(crate) fn start_with_traces(config: &LogConfig, traces: &TracesConfig) -> anyhow::Result<Option<Traces>> {
    let Some(settings) = TraceSettings::of(traces, |name| std::env::var(name).ok())? else {
        start(config)?;
        return Ok(None);
    };
    let (layer, traces) = Traces::start(settings)?;
    let collected = Targets::new().with_default(LevelFilter::INFO).with_target(TARGET, LevelFilter::TRACE);
    let layer = layer.with_filter(collected);
    // A line within a span names its trace.
    let filter = config.targets()?.with_target(TARGET, LevelFilter::TRACE);
    let lines = fmt::layer().with_writer(std::io::stderr);
    let started = if is_for_people(config) {
        let lines = lines.with_target(false).compact().with_filter(filter);
        registry().with(layer).with(lines).try_init()
    } else {
        let lines = lines.json().flatten_event(true).with_filter(filter);
        registry().with(layer).with(lines).try_init()
    };
    started.map_err(|error| anyhow::anyhow!("the log could not be started: {error}"))?;
    causeway_http_client::carry_traces(traceparent);
    Ok(Some(traces))
}

fn is_for_people(config: &LogConfig) -> bool {
    match config.format {
        LogFormat::Auto => std::io::stderr().is_terminal(),
        LogFormat::Human => true,
        LogFormat::Json => false,
    }
}
