use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use causeway_client::CancellationToken;

use super::failure::Failure;

/// The exit code after Ctrl-C, as in shells.
const STOPPED: i32 = 130;

/// Handles Ctrl-C: the first cancels the command, a second exits at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    pub(crate) token: CancellationToken,
    asking: Arc<AtomicBool>,
}

impl Interrupt {
    pub(crate) fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let listening = Self::default();
        let handler = listening.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                // A pending question blocks its thread, and nothing is signed before the answer.
                if handler.asking.load(Ordering::SeqCst) || handler.token.is_cancelled() {
                    super::output::notice("");
                    std::process::exit(STOPPED);
                }
                handler.token.cancel();
            }
        });
        Ok(listening)
    }

    /// Asks for confirmation; Ctrl-C declines.
    pub(crate) fn confirm(&self, question: &str) -> bool {
        use std::io::Write as _;
        self.asking.store(true, Ordering::SeqCst);
        let mut err = std::io::stderr();
        let _ = write!(err, "{question} [y/N] ").and_then(|()| err.flush());
        let mut answer = String::new();
        let read = tokio::task::block_in_place(|| std::io::stdin().read_line(&mut answer));
        self.asking.store(false, Ordering::SeqCst);
        read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }
}
