use anyhow::Context as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Cancels `stop` on the first Ctrl-C or SIGTERM; a second one ends the process at once.
pub(crate) fn stop_on_signal(stop: CancellationToken) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    tokio::spawn(async move {
        for first in [true, false] {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if first {
                tracing::info!("stopping, open requests are answered first");
                stop.cancel();
            }
        }
        std::process::exit(1);
    });
    Ok(())
}
