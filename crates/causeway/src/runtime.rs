use std::time::Duration;

/// How long threads may take that wait for something outside, such as the name of a host that nobody knows.
const LAST_MOMENT: Duration = Duration::from_millis(300);

/// Runs a command to its end. What it leaves behind does not keep the process alive.
pub(crate) fn run(command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(command);
    runtime.shutdown_timeout(LAST_MOMENT);
    ended
}
