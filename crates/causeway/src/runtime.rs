use std::time::Duration;

/// How long blocked threads may take at exit, for instance in a name lookup.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(300);

/// Runs a command to its end; remaining tasks do not keep the process alive.
pub(crate) fn run(command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(command);
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    ended
}
